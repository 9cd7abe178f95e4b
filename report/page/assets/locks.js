"use strict";
// The list of locks, or of their classes.
(function (C) {
  const { html, useState, useMemo } = window.htmPreact;
  const most = 15;

  // rows joins the sums of the selection with what the analysis says of whole
  // waits, which no selection changes.
  function rows(s, by) {
    const m = s.model, whole = new Map();
    for (const l of m.analyze.locks) {
      const name = C.visible(by === "class" ? l.class : l.lock), w = whole.get(name);
      if (!w) whole.set(name, { max: l.maxNs, p99: by === "class" ? 0 : l.p99Ns, locks: 1 });
      else { w.max = Math.max(w.max, l.maxNs); w.locks++; }
    }
    const [names, number] = by === "class" ? [m.classes, m.classOf] : [m.names, m.nameOf];
    return C.groupBy(s, s.some, i => number[m.lock[i]]).map(g => {
      const name = names[g.key], w = whole.get(name) || {};
      return { name, ns: g.ns, waits: g.waits, max: w.max || 0, p99: w.p99 || 0, known: C.knownParts(s, g.rows), rows: g.rows };
    });
  }

  // columns: name, text, what to sort by.
  const columns = [["name", "lock", null], ["ns", "waiting", r => r.ns], ["share", "share", r => r.ns], ["waits", "waits", r => r.waits], ["max", "longest", r => r.max], ["p99", "p99", r => r.p99], ["over", "over time", null], ["known", "known", r => r.known[0] + r.known[1] + r.known[2] / 2]];

  // Several says how many locks of a class there are, unless it is one.
  function Several({ m, rows }) {
    const n = new Set(rows.map(i => m.lock[i])).size;
    return n > 1 && html` <small>${C.plural(n, "lock")}</small>`;
  }

  C.Locks = function ({ s, over }) {
    const [sort, setSort] = useState(["ns", -1]), [all, setAll] = useState(false);
    const m = s.model, by = C.state.by, list = useMemo(() => rows(s, by), [s, by]).slice();
    const column = columns.find(c => c[0] === sort[0]);
    list.sort((a, b) => sort[0] === "name" ? -sort[1] * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) : sort[1] * (column[2](a) - column[2](b)));
    const shown = all ? list.slice(0, 500) : list.slice(0, most), chosen = C.state.filter[by] || [];
    const head = ([id, text, key]) => html`<th class=${id} scope="col" aria-sort=${sort[0] === id ? (sort[1] < 0 ? "descending" : "ascending") : undefined}>${key || id === "name"
      ? html`<button type="button" onClick=${() => setSort([id, sort[0] === id ? -sort[1] : -1])}>${id === "name" ? by : text}${sort[0] === id ? (sort[1] < 0 ? " ▾" : " ▴") : ""}</button>` : text}</th>`;
    return html`<section class="card locks"><header><h2>Locks</h2><${C.Choice} label="by" name="by" values=${[["lock", "lock"], ["class", "class"]]} /></header>
      <div class="wide"><table><thead><tr>${columns.filter(c => c[0] !== "over" || m.timed).map(head)}</tr></thead><tbody>
      ${shown.map(r => html`<tr key=${r.name} class=${chosen.includes(r.name) ? "chosen" : ""}>
        <th scope="row" class="name"><span class="marked"><span class="swatch" style=${{ background: C.colourOf(r.name) }}></span><span><button type="button" class="link" onClick=${() => C.toggle(by, r.name)} aria-pressed=${chosen.includes(r.name)}><${C.Name} text=${r.name} /></button>${by === "class" && html`<${Several} m=${m} rows=${r.rows} />`}</span></span></th>
        <td title=${C.amount(r.ns) + " of waiting"}>${m.timed ? C.average(r.ns / Math.max(s.span, 1)) : C.number(r.ns)}</td><td>${C.percent(r.ns, s.total)}</td><td>${C.number(r.waits)}</td>
        <td>${r.max ? C.duration(r.max) : "–"}</td><td>${r.p99 ? C.duration(r.p99) : "–"}</td>
        ${m.timed && html`<td><${C.Spark} sums=${over.of(r.name)} from=${s.from} to=${s.to} bins=${m.bins} /></td>`}<td><${C.KnownBar} parts=${r.known} /></td></tr>`)}
      </tbody></table></div>
      ${!list.length && html`<p class="none">No lock was waited for in this selection.</p>`}
      <footer>${list.length > most && html`<button type="button" onClick=${() => setAll(!all)}>${all ? "fewer" : "all " + C.number(list.length)}</button>`} <small>${m.timed ? "Waiting: threads, on average over the selected time. " : ""}Longest and p99: of the whole recording. Known: how owners are.</small></footer></section>`;
  };
})(window.contend);
