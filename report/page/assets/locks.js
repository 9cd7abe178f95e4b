"use strict";
// The list of locks, or of their classes.
(function (C) {
  const { html, useState, useMemo } = window.htmPreact;
  const most = 10;

  // wholes are what the analysis says of whole waits, which no selection changes,
  // by what the list calls locks. Percentiles of several locks do not add up.
  function wholes(m, by) {
    const out = new Map();
    for (const l of m.analyze.locks) {
      const lock = m.named.get(C.visible(l.lock));
      if (!lock) continue;
      const name = by === "lock" ? lock.shown : by === "place" ? m.places[lock.place] : m.classes[lock.class].shown,
        w = out.get(name);
      out.set(name, w ? { max: Math.max(w.max, l.maxNs), p99: 0 } : { max: l.maxNs, p99: l.p99Ns });
    }
    for (const r of m.analyze.resources || []) {
      const lock = m.named.get(C.visible(r.what + " at " + r.site));
      if (lock) out.set(
        by === "class" ? m.classes[lock.class].shown : by === "lock" ? lock.shown : m.places[lock.place],
        { max: r.maxNs, p99: 0 });
    }
    return out;
  }

  function rows(s, by) {
    const whole = wholes(s.model, by);
    return C.groupBy(s, s.some, s.column(by)).map(g => {
      const w = whole.get(g.text) || {};
      return { key: g.key, text: g.text, ns: g.ns, waits: g.waits, rows: g.rows, max: w.max || 0, p99: w.p99 || 0,
        known: C.sureness(s, g.rows) };
    });
  }

  // columns: name, text, what to sort by.
  const columns =
    [["text", "lock", null], ["ns", "waiting", r => r.ns], ["share", "share", r => r.ns],
      ["waits", "waits", r => r.waits], ["max", "longest", r => r.max], ["p99", "p99", r => r.p99],
      ["over", "over time", null], ["known", "sure", r => r.known.sure / Math.max(r.known.whole, 1)]];

  // Several says how many locks of a class, or at a place, there are, unless it is one.
  function Several({ m, rows }) {
    const n = new Set(rows.map(i => m.lock[i])).size;
    return n > 1 && html` <small>${C.plural(n, "lock")}</small>`;
  }

  C.Locks = function ({ s, over }) {
    const [sort, setSort] = useState(["ns", -1]), [all, setAll] = useState(false);
    const m = s.model, by = C.state.by, list = useMemo(() => rows(s, by), [s, by]).slice();
    const column = columns.find(c => c[0] === sort[0]);
    list.sort((a, b) =>
      sort[0] === "text" ? -sort[1] * (a.text < b.text ? -1 : a.text > b.text ? 1 : 0) :
        sort[1] * (column[2](a) - column[2](b)));
    const shown = all ? list.slice(0, 500) : list.slice(0, most), chosen = C.state.filter[by] || [];
    const head = ([id, text, key]) =>
      html`
        <th class=${id === "text" ? "name" : id} scope="col"
          aria-sort=${sort[0] === id ? (sort[1] < 0 ? "descending" : "ascending") : undefined}>
        ${key || id === "text"
      ?
        html`<button type="button" onClick=${() => setSort([id, sort[0] === id ? -sort[1] : -1])}>
          ${id === "text" ? (by === "class" ? "class" : "lock") : text}
          ${sort[0] === id ? (sort[1] < 0 ? " ▾" : " ▴") : ""}</button>` :
        text}
        </th>`;
    return html`<section class="card locks"><header><h2>Locks, pools, queues, latches</h2>
      <${C.Choice} label="by" name="by" values=${[["place", "place"], ["lock", "lock"], ["class", "class"]]} /></header>
      <div class="wide"><table><thead><tr>${columns.filter(c => c[0] !== "over" || m.timed).map(head)}</tr></thead>
        <tbody>
      ${shown.map(r => html`<tr key=${r.text} class=${chosen.includes(r.text) ? "chosen" : ""}>
        <th scope="row" class="name"><span class="marked">
          <span class="swatch" style=${{ background: C.colourOf(r.key) }}></span><span>
          <button type="button" class="link" onClick=${() => C.toggle(by, r.text)}
            aria-pressed=${chosen.includes(r.text)}>
          <${C.Lock} m=${m} text=${r.text} kind=${by} /></button>${C.kindOf(m, r.rows)}
          ${by !== "lock" && html`<${Several} m=${m} rows=${r.rows} />`}</span></span></th>
        <td title=${C.amount(r.ns) + " of waiting"}>
          ${m.timed ? C.average(r.ns / Math.max(s.span, 1)) : C.sums() ? C.duration(r.ns) : C.number(r.ns)}</td><td>${C.percent(r.ns, s.total)}</td><td>${C.waits(r.waits)}</td>
        <td>${r.max ? C.duration(r.max) : "–"}</td><td>${r.p99 ? C.duration(r.p99) : "–"}</td>
        ${m.timed && html`<td><${C.Spark} sums=${over.of(r.key)} from=${s.from} to=${s.to} bins=${m.bins} /></td>`}<td>
          ${r.known.whole > 0 ? html`<span class="sureness">${C.percent(r.known.sure, r.known.whole)}
            <${C.KnownBar} of=${r.known} /></span>` : "–"}</td></tr>`)}
      </tbody></table></div>
      ${!list.length && html`<p class="none">Nothing was waited for in this selection.</p>`}
      <footer>
        ${list.length > most &&
          html`<button type="button" onClick=${() => setAll(!all)}>${all ? "fewer" : "all " + C.number(list.length)}
            </button>`} <small>
        ${m.timed ? "Waiting: threads, on average over the selected time. " : ""}
        ${C.sums() ? "" : "Longest and p99: of the whole recording. "}
        Sure: the part of the waiting whose owner is recorded, or
        ${" "}inferred and expected to be right.</small></footer></section>`;
  };
})(window.contend);
