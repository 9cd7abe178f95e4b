"use strict";
// How far the answers can be trusted, and what the words mean.
(function (C) {
  const { html } = window.htmPreact;

  const words = [
    ["lock", "what a thread acquires: a Java monitor, a lock of java.util.concurrent, a mutex of Go."],
    ["place",
      "the class of a lock, and where it is made or, if that is unknown, mostly acquired. Numbers distinguish the " +
        "locks of one place, the most contended first; their addresses show when the pointer is on them."],
    ["owner",
      "the thread that holds the lock while others wait; “the lock's owner” holds the lock waited for, " +
        "“end of each chain” is the thread that was not itself blocked."],
    ["thread-time",
      "the time of all threads added up: ten threads blocked for a second are ten seconds. All waiting on this " +
        "page is that."],
    ["threads waiting", "waiting thread-time over the time it fell into: how many threads waited, on average."],
    ["pressure",
      "waiting over the running time of all threads. Above 5 % a lock is worth a look; two threads that " +
        "exclude each other all the time give 50 %."],
    ["phase", "an interval over which the pressure of a lock stays above 5 %."],
    ["group", "threads whose names differ in their numbers only."],
    ["recorded", "the trace shows the owner, or the pause that stopped it."],
    ["inferred", "by a model of the lock that is learned from the recording, with its probability."],
    ["unknown", "the trace does not show the owner."],
    ["took the lock",
      "marks the frame of the program's own code in which the owner took it, as far as the trace shows."],
    ["held the lock", "marks the frame that the owner was in, if it is unknown where it took the lock."],
    ...Object.entries({ "[handoff]": 1, "[gc pause]": 1, "[safepoint]": 1, "[other]": 1 }).map(([k]) => [k, null]),
  ];

  function Trust({ m }) {
    const c = m.analyze.coverage, p = c.provenance, total = m.analyze.total.waitNs,
      list = [["recorded", p.exactNs + p.sampledNs], ["inferred", p.inferredNs], ["unknown", p.unknownNs]];
    const expected = new Map(((c.calibration || {}).provenances || []).map(e => [e.name, e]));
    return html`<div class="wide"><table><thead><tr><th class="text" scope="col">owners known</th><th scope="col">
      waiting</th><th scope="col">share</th><th scope="col">expected right</th></tr></thead><tbody>
      ${list.map(([name, ns], i) => {
      const e = expected.get(name);
      return html`<tr><td class="text"><span class=${"swatch k" + i}></span>
        <button type="button" class="link" onClick=${() => C.toggle("known", name)}>${name}</button></td><td>
        ${C.amount(ns)}</td><td>${C.percent(ns, total)}</td><td>
        ${name === "recorded" && ns ? "100 %" :
          e && e.expectedRight !== null ? (100 * e.expectedRight).toFixed(0) + " %" : "–"}</td></tr>`;
    })}</tbody></table></div>
      ${c.calibration && c.calibration.dumps > 0 &&
        html`<p>
          Of ${C.plural(c.calibration.waiters, "waiter")} in ${C.plural(c.calibration.dumps,
            "thread dump")} hidden, ${C.number(c.calibration.agreeing)} agree with what was inferred without them.
          </p>`}
      `;
  }

  // Resources lists waiting that is none for locks.
  function Resources({ m }) {
    const list = m.analyze.resources || [];
    if (!list.length) return null;
    return html`<h3 class="below">Waiting for resources</h3><p>
      Pools, queues and results, which are not locks. The list beside the locks has the main ones.
      </p>
      <div class="wide"><table><thead><tr><th class="text" scope="col">what</th><th class="text" scope="col">called at
        </th><th scope="col">waiting</th><th scope="col">waits</th></tr></thead><tbody>
        ${list.slice(0, 20)
          .map(r =>
            html`<tr><td class="text wrap"><${C.Name} text=${C.visible(r.what)} /></td><td class="text wrap">
              <${C.Name} text=${C.visible(r.site)} />${r.loop && html` <small>its own loop: perhaps idle</small>`}</td>
              <td>${C.amount(r.waitNs)}</td><td>${C.number(r.waits)}</td></tr>`)}
        </tbody></table></div>`;
  }

  C.About = function ({ model: m }) {
    const c = m.analyze.coverage, lost = c.bytesTotal - c.bytesRead;
    return html`<div class="view about"><div class="aboutgrid"><section><h2>How sure</h2><${Trust} m=${m} />
        <h3 class="below">What was read</h3><p>${C.plural(c.events, "event")}
          , ${C.number(c.bytesRead)} of ${C.number(c.bytesTotal)} bytes
          ${lost > 0 ?
            html` — <b class="up">${C.number(lost)} bytes are damaged or missing; all sums are lower bounds</b>` : ""}
          .</p>
        ${c.sampler &&
          html`<p>${C.plural(c.sampler.samples, "sample")}
            ; the sampler was late for ${C.percent(c.sampler.lateNs, c.sampler.spanNs)} of the recording.</p>`}
        ${m.otherNs > 0 &&
          html`<p>To keep the page small, rows of ${C.amount(m.otherNs)}
            , ${C.percent(m.otherNs, m.analyze.total.waitNs)} of the waiting, were merged: they show as [other].</p>`}
        <p>Time is cut into ${C.plural(m.bins, "bin")} of ${C.duration(m.bin)}.</p>
        <h3 class="below">Reasons to doubt</h3>
          ${c.warnings.length ? html`<ul>${c.warnings.map(w => html`<li>${C.visible(w.text)}</li>`)}</ul>` :
            html`<p>None.</p>`}
        <${Resources} m=${m} />
        <h3 class="below">Keys</h3><p>
          / searches, 1 to 9 choose a view, arrows move in trees and flame graphs, Enter opens, Escape goes back.
          </p></section>
      <section><h2>Words</h2><dl class="words">
        ${words.map(([w, text]) => html`<dt>${w}</dt><dd>${text || C.meanings[w]}</dd>`)}</dl>
        <p><small>Drawn with htm and preact (Apache-2.0, MIT), uPlot (MIT), dagre (MIT), svg-pan-zoom
          (BSD-2-Clause), d3-flame-graph (Apache-2.0) and parts of d3 (ISC, BSD-3-Clause).
          </small></p></section></div></div>`;
  };
})(window.contend);
