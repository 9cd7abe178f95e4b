"use strict";
// Why the owners in one wait are said to be what they are: lanes over time of the threads
// that waited and of the suspects, and what speaks for and against each of these.
(function (C) {
  const { html, useState } = window.htmPreact;
  const kinds =
    [["prior", "how long and how often it holds, and how long the gap is"],
      ["next", "the gap ends with an acquisition, which is of the owner behind it"],
      ["alibis", "threads wait for the lock, or are elsewhere"], ["activities", "threads do something on its path"],
      ["samples", "they are sampled there"], ["dumps", "dumps show it, or the recording does"],
      ["checked", "what dumps and samples, hidden and compared, have shown"]];

  // marks are how spans are drawn, those first that are seen where several are at one place.
  const marks =
    [["waits", s => s.what === "waits" && s.here, "waits for it"],
      ["other", s => s.what === "waits", "waits for another lock"],
      ["idle", s => s.what === "asleep" || s.what === "idle", "asleep or idle"],
      ["seen", s => s.what !== "holds", "sampled, or in I/O"],
      ["recorded", s => s.here && s.known === "recorded", "holds it, recorded"],
      ["holds", s => s.here, "holds it, inferred"], ["more", () => true, "holds another lock"]];
  const markOf = s => marks.findIndex(m => m[1](s));

  function Lane({ m, w, name, spans }) {
    const all = w.toNs - w.fromNs, list = C.order(spans.map(s => ({ s, mark: markOf(s) })), x => x.mark);
    return html`<tr><th scope="row"><bdi class="name" title=${name}>${name}</bdi></th><td><span class="strip lane">
      ${list.map(({ s, mark }) =>
        html`
          <span class=${"l-" + marks[mark][0]}
            style=${{ left: 100 * (s.startNs - w.fromNs) / all + "%",
              width: Math.max(0.3, 100 * (s.endNs - s.startNs) / all) + "%" }}
            title=${`${s.what} ${s.lock ? m.shown(C.visible(s.lock)) :
              ""} ${C.duration(s.endNs - s.startNs)} ${C.short(C.visible(s.site || ""))} ${s.known || ""}`}>
          </span>`)}
      </span></td></tr>`;
  }

  // Axis are the times of the lanes, and the wait between its two marks.
  function Axis({ w, start }) {
    const all = w.toNs - w.fromNs, raw = all / 5, power = 10 ** Math.floor(Math.log10(raw)),
      step = power * [1, 2, 5, 10].find(n => n * power >= raw), digits = Math.max(0, 9 - Math.floor(Math.log10(step))),
      from = w.fromNs - start, ticks = [];
    for (let t = Math.ceil(from / step) * step; t < from + 0.97 * all; t += step) ticks.push(t);
    return html`<tr><th class="role" scope="row">time</th><td><span class="laneaxis">
      ${ticks.map(t =>
        html`<span style=${{ left: 100 * (t - from) / all + "%" }}>${(t / 1e9).toFixed(digits)} s</span>`)}
      </span></td></tr>`;
  }

  const bits = v =>
    Math.abs(v) < 0.05 ? html`<td class="noise">·</td>` :
      html`<td class=${v < 0 ? "up" : "down"}>${(v > 0 ? "+" : "−") + Math.abs(v).toFixed(1)}</td>`;

  function Wait({ m, w }) {
    const used = new Set(w.lanes.flatMap(l => l.spans.map(markOf))), evidence = w.suspects.some(s => s.evidence),
      start = m.analyze.trace.startNs, lanes = [html`<${Axis} w=${w} start=${start} />`],
      lock = m.shown(C.visible(w.lock)), site = C.visible(w.waitsAt);
    w.lanes.forEach((l, i) => {
      const name = C.visible(l.thread), held = l.spans.filter(s => s.what === "holds");
      if (i === 0 || w.lanes[i - 1].role !== l.role) lanes.push(
        html`<tr><th class="role" colspan="2">${l.role === "waiter" ? "Waiters" : "Suspects"}</th></tr>`);
      lanes.push(
        html`<${Lane} m=${m} w=${w} name=${name} spans=${l.spans.filter(s => s.what !== "holds")} />`);
      if (held.length) lanes.push(html`<${Lane} m=${m} w=${w} name="holds" spans=${held} />`);
    });
    return html`<p class="total"><bdi>${C.visible(w.thread)}</bdi> waited <b>${C.duration(w.waitNs)}
      </b> for <${C.Lock} m=${m} text=${lock} />${lock.includes(C.short(site)) ? "" :
        html`, called in <${C.Name} text=${site} />`}, from ${((w.startNs - start) / 1e9).toFixed(3)} s on:
      ${" "}${w.waits === 1 ? "the only wait" : `the longest of ${C.plural(w.waits, "wait")}`}. Its owners are
      ${" "}<b>${w.known}</b>.</p>
      <table class="lanes"><colgroup><col class="thread" /><col /></colgroup><tbody>${lanes}</tbody></table>
      <p class="legend">
        ${[...used].sort()
          .map(i => html`<span class="entry"><span class=${"swatch l-" + marks[i][0]}></span>${marks[i][2]}</span>`)}
        <span class="entry"><span class="swatch l-none"></span>running, or not recorded</span></p>
      <div class="wide below"><table><thead><tr><th class="text" scope="col">suspect</th><th scope="col">chance</th>
        <th class="text" scope="col">thread</th>
        ${evidence && kinds.map(([k, text]) => html`<th scope="col" title=${text}>${k}</th>`)}</tr></thead><tbody>
      ${w.suspects.map(s =>
        html`<tr><td class="text wrap"><${C.Name} text=${C.visible(s.site)} />
          ${C.meanings[s.site] && html` <small>${C.meanings[s.site]}</small>`}</td><td>${C.percent(s.chance, 1)}</td>
          <td class="text"><bdi>${C.visible(s.thread || "")}</bdi></td>
          ${evidence && kinds.map(([k]) => bits(s.evidence ? s.evidence[k] : 0))}</tr>`)}
        </tbody></table></div>
      ${evidence &&
        html`<p class="left">In bits for (+) and against (−), which add up to the odds: one bit doubles them.
          ${kinds.map(([k, text]) => html` <b>${k}:</b> ${text}.`)}</p>`}
        `;
  }

  // whys are those of locks that a filter lets through.
  C.whys = (m, f) => m.data.whys.filter(w => {
    const l = m.named.get(C.visible(w.lock)),
      among = (kind, text) => !f[kind] || !f[kind].length || f[kind].includes(text);
    return !l || among("lock", l.shown) && among("place", m.places[l.place]) &&
      among("class", m.classes[l.class].shown);
  });

  C.Why = function ({ model: m }) {
    const list = C.whys(m, C.state.filter), [chosen, choose] = useState(null),
      w = list.includes(chosen) ? chosen : list[0];
    if (!w) return html`<p class="none">Of the locks selected here the page has no wait: contend why LOCK shows one.</p>
      `;
    return html`<div class="view why">
      ${list.length > 1 &&
        html`<p class="groups">
          ${list.map(x =>
            html`<button type="button" class="chip" aria-pressed=${x === w} onClick=${() => choose(x)}><bdi>
              ${m.shown(C.visible(x.lock))}</bdi> ${C.duration(x.waitNs)}</button>`)}
          </p>`}
      <${Wait} m=${m} w=${w} /></div>`;
  };
})(window.contend);
