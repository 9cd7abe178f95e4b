"use strict";
// Two recordings side by side: what grew and what shrank, and what may be noise.
(function (C) {
  const { html, useState } = window.htmPreact;

  const interval = (v, half, write) =>
    v === 0 ? "–" : write(v) + (half === null || half === undefined ? " ± ?" : " ± " + write(half));
  const share = r => interval(r.share, r.plusMinus, v => (100 * v).toPrecision(v >= 0.1 ? 3 : 2) + " %");

  // waiting is what changes are measured in: threads that waited on average, or, where
  // operations were counted, waiting for each.
  const waiting = (d, r) =>
    interval(r.waiting, r.waitingPlusMinus,
      d.base.operations ? C.duration : v => v < 0.0995 ? v.toPrecision(2) : v.toFixed(v < 99.5 ? 2 : 0));

  const change = r =>
    r.status === "same" ? "may be noise" : r.status === "changed" && r.relative !== null ?
      (r.relative > 0 ? "+" : "−") + (100 * Math.abs(r.relative)).toFixed(r.relative > 10 ? 0 : 1) + " %" : r.status;

  const direction = r => r.status === "same" ? "noise" : r.new.waiting > r.base.waiting ? "up" : "down";

  function Rows({ d, title, rows }) {
    const [all, setAll] = useState(false), shown = all ? rows : rows.slice(0, 12),
      most = Math.max(...rows.map(r => Math.max(r.base.waiting, r.new.waiting)), 1e-9);
    if (!rows.length) return null;
    return html`<section><h3>${title}</h3><div class="wide"><table class="compared"><thead><tr>
      <th class="text" scope="col">what</th><th scope="col">before</th><th scope="col">now</th>
      <th class="text" scope="col"></th><th scope="col">change</th>
      <th scope="col" title="waiting over the running time of all threads">pressure</th></tr></thead><tbody>
      ${shown.map(r =>
        html`<tr class=${direction(r)}><td class="text wrap"><${C.Name} text=${C.visible(r.name)} /></td><td>
          ${waiting(d, r.base)}</td><td>${waiting(d, r.new)}</td>
        <td class="text"><span class="pair"><span class="before" style=${{ width: 100 * r.base.waiting / most + "%" }}>
          </span><span class="now" style=${{ width: 100 * r.new.waiting / most + "%" }}></span></span></td>
          <td class=${direction(r)} title=${"p = " + r.p}>
          ${direction(r) === "up" ? "▲ " : direction(r) === "down" ? "▼ " : "~ "}${change(r)}</td>
          <td title=${share(r.base) + " to " + share(r.new)}>
          ${C.percent(r.base.share, 1)} to ${C.percent(r.new.share, 1)}</td></tr>`)}
          </tbody></table></div>
      ${rows.length > 12 &&
        html`<button type="button" onClick=${() => setAll(!all)}>${all ? "fewer" : "all " + rows.length}</button>`}
        </section>`;
  }

  C.Compare = function ({ model: m }) {
    const d = m.data.diff, name = side => side.traces.map(t => t.trace.inputs.map(C.visible).join(" ")).join(", ");
    const chance = (100 * d.alpha).toFixed(0) + " %";
    const unit = d.base.operations ? "Waiting for each operation" : "Threads that waited, on average";
    return html`<div class="view compare">
      <p class="total">From <b>${name(d.base)}</b> (running ${C.duration(d.base.runningNs)}) to <b>${name(d.new)}</b>
        ${" "}(running ${C.duration(d.new.runningNs)}). ${unit}, with a 95 % interval. A change is shown when it is
        ${" "}larger than the variation within the recordings; each table shows a false one with a chance of at most
        ${" "}${chance}.</p>
      <${Rows} d=${d} title="All locks together" rows=${[d.total]} /><${Rows} d=${d} title="Locks" rows=${d.locks} />
        <${Rows} d=${d} title="Owners" rows=${d.owners} /><${Rows} d=${d} title="Chains of waits" rows=${d.chains} />
        </div>`;
  };

  const some = text => text === "–" ? "none" : text;

  // changes are the verdicts of a comparison, for the headline.
  C.changes = function (d) {
    const moved = d.owners.concat(d.locks).filter(r => r.status !== "same");
    return C.order(moved, r => Math.abs(r.new.waiting - r.base.waiting)).slice(0, 3)
      .map(r => ({ name: C.visible(r.name).split(" < ").slice(0, 2).join(" < "), grew: direction(r) === "up",
        text: `${some(waiting(d, r.base))} → ${some(waiting(d, r.new))} ${d.base.operations ? "for each operation" :
          "threads waiting"}` }));
  };
})(window.contend);
