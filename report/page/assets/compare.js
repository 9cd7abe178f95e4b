"use strict";
// Two recordings side by side: what grew and what shrank, and what may be noise.
(function (C) {
  const { html, useState } = window.htmPreact;

  const share = r => r.waitNs === 0 ? "–" : (100 * r.share).toPrecision(r.share >= 0.1 ? 3 : 2) + " %" + (r.plusMinus === null || r.plusMinus === undefined ? "" : " ± " + (100 * r.plusMinus).toPrecision(2) + " %");

  const change = r => r.status === "same" ? "may be noise" : r.status === "changed" && r.relative !== null ? (r.relative > 0 ? "+" : "−") + (100 * Math.abs(r.relative)).toFixed(r.relative > 10 ? 0 : 1) + " %" : r.status;

  const direction = r => r.status === "same" ? "noise" : r.new.share > r.base.share ? "up" : "down";

  function Rows({ title, rows, note }) {
    const [all, setAll] = useState(false), shown = all ? rows : rows.slice(0, 12), most = Math.max(...rows.map(r => Math.max(r.base.share, r.new.share)), 1e-9);
    if (!rows.length) return null;
    return html`<section><h3>${title}</h3><div class="wide"><table class="compared"><thead><tr><th class="text" scope="col">what</th><th scope="col">before</th><th scope="col">now</th><th class="text" scope="col"></th><th scope="col">change</th></tr></thead><tbody>
      ${shown.map(r => html`<tr class=${direction(r)}><td class="text wrap"><bdi title=${C.visible(r.name)}>${C.short(C.visible(r.name))}</bdi></td><td>${share(r.base)}</td><td>${share(r.new)}</td>
        <td class="text"><span class="pair"><span class="before" style=${{ width: 100 * r.base.share / most + "%" }}></span><span class="now" style=${{ width: 100 * r.new.share / most + "%" }}></span></span></td><td class=${direction(r)} title=${"p = " + r.p}>${direction(r) === "up" ? "▲ " : direction(r) === "down" ? "▼ " : "~ "}${change(r)}</td></tr>`)}</tbody></table></div>
      ${rows.length > 12 && html`<button type="button" onClick=${() => setAll(!all)}>${all ? "fewer" : "all " + rows.length}</button>`}</section>`;
  }

  C.Compare = function ({ model: m }) {
    const d = m.data.diff, name = side => side.traces.map(t => t.trace.inputs.map(C.visible).join(" ")).join(", ");
    return html`<div class="view compare"><p class="total">From <b>${name(d.base)}</b> (running ${C.duration(d.base.runningNs)}) to <b>${name(d.new)}</b> (running ${C.duration(d.new.runningNs)}). Shares are of running time. A change is shown when it is larger than what the recordings vary by themselves; each table shows a false one with a chance of at most ${(100 * d.alpha).toFixed(0)} %.</p>
      <${Rows} title="Pressure of all locks together" rows=${[d.total]} /><${Rows} title="Locks" rows=${d.locks} /><${Rows} title="Owners" rows=${d.owners} /><${Rows} title="Chains of waits" rows=${d.chains} /></div>`;
  };

  // changes are the verdicts of a comparison, for the headline.
  C.changes = function (d) {
    const moved = d.owners.concat(d.locks).filter(r => r.status !== "same");
    return C.order(moved, r => Math.abs(r.new.share - r.base.share)).slice(0, 3);
  };
  C.changeText = r => `${(100 * r.base.share).toPrecision(2)} % → ${(100 * r.new.share).toPrecision(2)} % of running time`;
})(window.contend);
