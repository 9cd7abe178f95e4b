"use strict";
// Two recordings side by side: what grew and what shrank, and what may be noise.
(function (C) {
  const { html, useState } = window.htmPreact;

  const interval = (v, half, write) =>
    v === 0 ? "–" : write(v) + (half === null || half === undefined ? " ± ?" : write(v)[0] === "<" ? "" : " ± " +
      write(half));
  const share = r => interval(r.share, r.plusMinus, v => (100 * v).toPrecision(v >= 0.1 ? 3 : 2) + " %");

  // waiting is what changes are measured in: threads that waited on average, or, where
  // operations were counted, waiting for each.
  const waiting = (d, r) =>
    interval(r.waiting, r.waitingPlusMinus,
      d.base.operations ? C.duration : v => v < 0.0005 ? "<0.001" : v.toFixed(v < 0.0995 ? 3 : v < 99.5 ? 2 : 0));

  const change = r =>
    r.status === "same" ? "may be noise" : r.status === "unsure" ? "owners unsure" :
    r.status === "changed" && r.relative !== null ?
      (r.relative > 0 ? "+" : "−") + (100 * Math.abs(r.relative)).toFixed(r.relative > 10 ? 0 : 1) + " %" : r.status;

  const unmoved = r => r.status === "same" || r.status === "unsure";

  const direction = r => unmoved(r) ? "noise" : r.new.waiting > r.base.waiting ? "up" : "down";

  // named is what a row is called: a lock by its class and one site.
  const named = (m, r) => {
    const name = C.visible(r.name), cut = name.indexOf(" at ");
    if (name.includes(" -> ")) return name.split(" -> ").map(part => ofClass(m, part)).join(" → ");
    return r.site && cut > 0 ? ofClass(m, name.slice(0, cut)) + " at " + C.short(C.visible(r.site)) : name;
  };
  const ofClass = (m, name) => {
    const of = [...m.classes, ...m.baseClasses].find(c => c.name === name);
    return of ? of.shown : C.short(name);
  };

  function Rows({ m, d, title, rows }) {
    const [all, setAll] = useState(false), shown = all ? rows : rows.slice(0, 12),
      most = Math.max(...rows.map(r => Math.max(r.base.waiting, r.new.waiting)), 1e-9);
    if (!rows.length) return null;
    return html`<section><h3>${title}</h3><div class="wide"><table class="compared"><thead><tr>
      <th class="text" scope="col">what</th><th scope="col"><span class="swatch before"></span>before</th>
      <th scope="col"><span class="swatch now"></span>now</th>
      <th class="text" scope="col"></th><th scope="col">change</th>
      <th scope="col" title="waiting over the running time of all threads">pressure</th></tr></thead><tbody>
      ${shown.map(r =>
        html`<tr class=${direction(r)}><td class="text wrap">
          <${C.Name} text=${named(m, r)} title=${C.visible(r.name)} /></td><td class="before">
          ${waiting(d, r.base)}</td><td class="now">${waiting(d, r.new)}</td>
        <td class="text pairs"><span class="pair"><span class="before" style=${{ width: 100 * r.base.waiting / most + "%" }}>
          </span><span class="now" style=${{ width: 100 * r.new.waiting / most + "%" }}></span></span></td>
          <td class=${"change " + direction(r)} title=${"p = " + r.p}>
          ${direction(r) === "up" ? "▲ " : direction(r) === "down" ? "▼ " : "~ "}${change(r)}</td>
          <td class="pressure" title=${share(r.base) + " to " + share(r.new)}>
          ${C.percent(r.base.share, 1)} to ${C.percent(r.new.share, 1)}</td></tr>`)}
          </tbody></table></div>
      ${rows.length > 12 &&
        html`<button type="button" onClick=${() => setAll(!all)}>${all ? "fewer" : "all " + rows.length}</button>`}
        </section>`;
  }

  C.Compare = function ({ model: m }) {
    const d = m.data.diff;
    const chance = (100 * d.alpha).toFixed(0) + " %";
    const unit = d.base.operations ? "Waiting for each operation" : "Threads that waited, on average";
    return html`<div class="view compare">
      <p class="total">From <${C.Side} d=${d} side=${d.base} /> (running ${C.duration(d.base.runningNs)}) to
        ${" "}<${C.Side} d=${d} side=${d.new} />
        ${" "}(running ${C.duration(d.new.runningNs)}). ${unit}, with a 95 % interval. A change is shown when it is
        ${" "}larger than the variation within the recordings; each table shows a false one with a chance of at most
        ${" "}${chance}.</p>
      <${Rows} m=${m} d=${d} title="All locks together" rows=${[d.total]} />
      <${Rows} m=${m} d=${d} title="Locks" rows=${d.locks} /><${Rows} m=${m} d=${d} title="Owners" rows=${d.owners} />
      <${Rows} m=${m} d=${d} title="Chains of waits" rows=${d.chains} />
        </div>`;
  };

  const some = text => text === "–" ? "none" : text;

  // Side names the traces of one side, by as little of their paths as tells both sides apart.
  const inputs = side => side.traces.flatMap(t => t.trace.inputs.map(C.visible));
  function namesOf(d, side) {
    const paths = inputs(side === d.base ? d.new : d.base).map(path => path.split(/[\\/]/)),
      other = new Set(paths.flatMap(parts => parts.map((_, i) => parts.slice(i).join("/"))));
    return inputs(side).map(path => {
      const parts = path.split(/[\\/]/);
      for (let i = parts.length - 1; i > 0; i--) {
        if (!other.has(parts.slice(i).join("/"))) return parts.slice(i).join("/");
      }
      return path;
    });
  }
  C.Side = ({ d, side }) => html`<b class="side" title=${inputs(side).join("\n")}>${namesOf(d, side).join(", ")}</b>`;

  // change says what a row came from and went to.
  C.change = function (d, r) {
    const unit = d.base.operations ? " for each operation" : " threads waiting",
      relative = r.status === "changed" || r.status === "same" && r.relative !== null ? ` (${change({ ...r,
        status: "changed" })})` : "";
    return { noise: unmoved(r), text: some(waiting(d, r.base)) + " → " + some(waiting(d, r.new)) + unit +
      relative };
  };

  // changes are the verdicts of a comparison, for the headline. A large one is some part of what
  // waits in all.
  C.changes = function (m, d) {
    const moved = d.owners.map(r => ({ r, role: "held at" })).concat(d.locks.map(r => ({ r, role: "" })))
        .filter(({ r }) => !unmoved(r)), by = ({ r }) => Math.abs(r.new.waiting - r.base.waiting),
      most = Math.max(d.total.new.waiting, d.total.base.waiting);
    return C.order(moved, by).filter(x => by(x) >= 0.01 * most).slice(0, 4)
      .map(x => ({ name: named(m, x.r), whole: C.visible(x.r.name), role: x.role, grew: direction(x.r) === "up",
        large: by(x) >= 0.05 * most, text: C.change(d, x.r).text }));
  };
})(window.contend);
