"use strict";
// The page: state, what is made of it, and where everything stands.
(function (C) {
  const { html, render, useState, useEffect, useMemo, useRef } = window.htmPreact;

  const views =
    [["deadlocks", "Deadlocks", "Deadlocks"], ["holders", "Holders and waiters", "Holders"],
      ["threads", "Threads over time", "Threads"], ["flame", "Flame graph", "Flame"], ["pivot", "Pivot", "Pivot"],
      ["who", "Who blocks whom", "Who"],
      ["dumps", "Thread dumps", "Dumps"],
      ["longest", "Longest waits", "Longest"], ["why", "Why", "Why"], ["compare", "Compared", "Compare"],
      ["about", "How sure, words", "About"]];

  // paint gives the locks that waited most a colour, which no filter changes.
  function paint(all, by) {
    const column = all.column(by),
      biggest = C.groupBy(all, all.some, column).filter(g => g.text !== "[other]").slice(0, C.colours.length);
    C.coloured = biggest.map(g => g.key);
    const colours = new Map(C.coloured.map((n, i) => [n, C.colours[i]]));
    C.colourOf = n => colours.get(n) || C.grey;
  }

  function Search({ s }) {
    const [text, setText] = useState(""), [at, setAt] = useState(0), found = useMemo(() => C.find(s, text), [s, text]);
    const take = hit => { if (!hit) return; setText(""); C.toggle(hit.kind, hit.name); };
    const key = e => {
      if (e.key === "ArrowDown") setAt(Math.min(at + 1, found.length - 1));
      else if (e.key === "ArrowUp") setAt(Math.max(0, at - 1));
      else if (e.key === "Enter") take(found[at]);
      else if (e.key === "Escape") { setText(""); e.currentTarget.blur(); }
      else return;
      e.preventDefault();
    };
    return html`<div class="search" onFocusOut=${e => e.currentTarget.contains(e.relatedTarget) || setText("")}>
      <input id="search" type="search" role="combobox" aria-expanded=${found.length > 0} aria-controls="found"
        placeholder="Find a lock, thread or method  ( / )" value=${text}
        onInput=${e => { setText(e.target.value); setAt(0); }} onKeyDown=${key} />
      ${text &&
        html`<ul id="found" role="listbox">
          ${found.length ?
            found.map((h, i) =>
              html`<li role="option" aria-selected=${i === at}><button type="button" onClick=${() => take(h)}><small>
                ${C.kinds[h.kind].label}</small><bdi title=${h.text.split("\n")[1] || h.name}>${C.short(h.name)}</bdi>
                <span>${C.percent(h.ns, s.total)}</span></button></li>`) :
            html`<li class="none">nothing is called so</li>`}
          </ul>`}
        </div>`;
  }

  function Chips({ m }) {
    const f = C.state.filter, chips = [];
    for (const kind in C.kinds) for (const v of f[kind] || []) chips.push(
      html`
        <button type="button" class="chip on" key=${kind + v} onClick=${() => C.toggle(kind, v)}
          title=${"remove: " + (/^(lock|place|class)$/.test(kind) ? C.whole(m, kind, v) : v)}>
        <small>${C.kinds[kind].label}</small> <bdi>${C.short(v) || "[no name]"}</bdi> ×</button>`);
    if (f.time) chips.push(
      html`<button type="button" class="chip on" onClick=${() => C.narrow({ time: undefined })} title="remove"><small>
        time</small> ${C.duration(f.time[0] + m.shift)} to ${C.duration(f.time[1] + m.shift)} ×</button>`);
    if (!chips.length) return null;
    return html`<div class="chips" aria-label="filter">${chips}
      <button type="button" class="link" onClick=${() => C.set({ filter: {} })}>show all</button></div>`;
  }

  function Command({ m }) {
    const [done, setDone] = useState(""), line = useRef();
    const c = C.command(m, { ...C.state, view: C.viewOf(m)[0] });
    const copy = async () => {
      try { await navigator.clipboard.writeText(c.text); setDone("copied"); } catch (e) { line.current.select();
        setDone(document.execCommand("copy") ? "copied" : "press Ctrl-C"); }
    };
    return html`<button type="button" popovertarget="pop">As command line</button>
      <div class="pop" id="pop" popover="auto" onToggle=${() => setDone("")}>
      <textarea id="command" readonly rows="3" ref=${line} aria-label="command">${c.text}</textarea><p>
      <button type="button" onClick=${copy}>Copy</button> <span role="status">${done}</span>
      ${c.missing.length > 0 &&
        html` <small>No flag selects by ${[...new Set(c.missing)].join(", ")}: look for it in what the command prints.
          </small>`}
      </p></div>`;
  }

  function Summary({ m, s }) {
    const t = m.analyze.trace, when = new Date(t.startNs / 1e6);
    return html`<p class="about" title=${t.inputs.map(C.visible).join(" ")}>
      ${t.inputs.map(C.visible).join(" ")} · ${t.format}
      ${m.timed ?
        html` · ${C.duration(m.elapsed)}
          ${t.startNs > 1e15 ? " from " + when.toISOString().slice(0, 19).replace("T", " ") + " UTC" : ""}` :
        ""}${C.sums() ? "" : " · " + C.plural(t.threads, C.thread)}
      </p>`;
  }

  // Exact is what only the server can say of a selection: it reads the trace
  // again.
  function Exact({ m }) {
    const [state, setState] = useState(null), c = C.command(m, { ...C.state, view: "about" }),
      of = JSON.stringify(C.state.filter);
    useEffect(() => setState(null), [of]);
    if (c.missing.length) return html`<p class="left">
      Wall-time, percentiles and whole stacks are unknown for a selection by ${[...new Set(c.missing)].join(", ")}
      : waits are longer than their selected parts.</p>`;
    const ask = () => {
      setState({ asked: true });
      C.exact(c.words).then(doc => setState({ doc }), e => setState({ error: e.message }));
    };
    if (!state) return html`<p><button type="button" onClick=${ask}>
      Wall-time, percentiles and owners of this selection, exactly</button> <small>reads the trace again</small></p>`;
    if (state.error) return html`<p role="alert">${state.error}</p>`;
    if (!state.doc) return html`<p role="status">reading the trace …</p>`;
    const { analyze, owners, roots } = state.doc, t = analyze.total, blamed = C.state.blame === "root" ? roots : owners;
    return html`<div class="exact" role="status"><p>Exactly: <b>${C.amount(t.waitNs)}
      </b>${C.inWaits(t.waits)}, wall-time <b>${C.duration(t.wallNs)}</b>.</p>
      <div class="wide"><table><thead><tr><th class="text" scope="col">lock</th><th scope="col">waiting</th>
        <th scope="col">wall-time</th><th scope="col">waits</th><th scope="col">p50</th><th scope="col">p99</th>
        <th scope="col">longest</th></tr></thead><tbody>
        ${analyze.locks.slice(0, 8)
          .map(l =>
            html`<tr><td class="text"><${C.Lock} m=${m} text=${m.shown(C.visible(l.lock))} /></td><td>
              ${C.amount(l.waitNs)}</td><td>${C.duration(l.wallNs)}</td><td>${C.waits(l.waits)}</td><td>
              ${C.duration(l.p50Ns)}</td><td>${C.duration(l.p99Ns)}</td><td>${C.duration(l.maxNs)}</td></tr>`)}
        </tbody></table></div>
      <div class="wide blamed"><table><thead><tr><th class="text" scope="col">
        ${C.state.blame === "root" ? "at the end of the chain" : "owner"}, taken at</th><th class="text" scope="col">
        stack</th><th scope="col">waiting</th><th scope="col">wall-time</th><th scope="col">waits</th></tr></thead>
        <tbody>
        ${blamed.rows.slice(0, 8)
          .map(r => { const [stack, site, doing] = r.keys.map(C.visible);
            return html`<tr><td class="text"><${C.Name} text=${site} />
              ${doing[0] !== "[" && doing !== C.nothing && html` <span class="tag">${doing}</span>`}</td>
              <td class="text wrap"><small title=${stack}>${C.short(stack)}</small></td><td>${C.amount(r.threadNs)}</td>
              <td>${C.duration(r.wallNs)}</td><td>${C.waits(r.waits)}</td></tr>`;
            })}
        </tbody></table></div></div>`;
  }

  function App({ m }) {
    const [hash, setHash] = useState(location.hash), [width, setWidth] = useState(document.documentElement.clientWidth),
      [dark, setDark] = useState(C.dark);
    useEffect(() => {
      const moved = () => setHash(location.hash), sized = () => setWidth(document.documentElement.clientWidth);
      addEventListener("hashchange", moved);
      addEventListener("resize", sized);
      const key = e => {
        if (e.target.closest("input, textarea, select") || e.ctrlKey || e.metaKey || e.altKey) return;
        if (e.key === "/") { document.getElementById("search").focus(); e.preventDefault(); }
        const n = +e.key - 1, tabs = shown(m);
        if (tabs[n]) C.set({ view: tabs[n][0] });
      };
      addEventListener("keydown", key);
      document.getElementById("page").dataset.ready = "true"; // it is drawn, and listens
      return () => { removeEventListener("hashchange", moved); removeEventListener("resize", sized);
        removeEventListener("keydown", key); };
    }, []);
    const state = C.state = useMemo(() => C.read(hash), [hash]);
    const filter = JSON.stringify(state.filter);
    const all = useMemo(() => C.select(m, {}), [state.blame]);
    const s = useMemo(() => C.select(m, state.filter), [filter, state.blame]);
    useMemo(() => paint(all, state.by), [all, state.by]);
    const over = useMemo(() => C.overTime(s, state.by), [s, state.by]);
    const any = useMemo(() => { // the list offers the locks beside those that are selected
      const { lock, place, class: kind, ...rest } = state.filter;
      if (!lock && !place && !kind) return { s, over };
      const wider = C.select(m, rest);
      return { s: wider, over: C.overTime(wider, state.by) };
    }, [s, over]);
    const tabs = shown(m), view = C.viewOf(m), View = C[view[2]];
    const flip = () => { C.dark = !dark; document.documentElement.dataset.theme = C.dark ? "dark" : "light";
      setDark(C.dark); };
    return html`<header class="top"><h1>contend</h1><${Summary} m=${m} s=${s} /><${Search} s=${all} />
      <${Command} m=${m} />${C.served() && html`<a href="pprof/" target="_blank" rel="noreferrer">pprof</a>`}
      <button type="button" class="theme" onClick=${flip} aria-label=${dark ? "light colours" : "dark colours"}
        title=${dark ? "light" : "dark"}>
      ${dark ? "☀" : "☾"}</button></header>
      <${Chips} m=${m} />
      <main><${C.Headline} model=${m} s=${s} all=${all} />
        ${all.some.length > 0 &&
          html`<div class=${"overview" + (m.timed ? "" : " timeless")}><${C.Locks} s=${any.s} over=${any.over} />
            <${C.Time} s=${s} over=${over} width=${width} /></div>`}
        ${C.served() && m.timed && all.some.length > 0 && C.filtered(state.filter) && html`<${Exact} m=${m} />`}
        <nav class="tabs" role="tablist">
          ${tabs.map(([id, text], i) =>
            html`
              <button type="button" role="tab" id=${"tab-" + id} aria-selected=${view[0] === id} aria-controls="panel"
                title=${"key " + (i + 1)} onClick=${() => C.set({ view: id })}>
              ${text}</button>`)}
          </nav>
        <section class="card panel" id="panel" role="tabpanel" aria-labelledby=${"tab-" + view[0]}>
          <${View} s=${s} all=${all} width=${width} model=${m} /></section>
      </main>`;
  }

  // shown are the views that have something to show.
  const shown = m =>
    views.filter(([id]) => (id !== "deadlocks" || m.analyze.deadlocks.length > 0) &&
      (id !== "compare" || m.data.diff) && (id !== "threads" || m.lanes) && (id !== "dumps" || m.analyze.dumps) &&
      (id !== "why" || (m.data.whys || []).length > 0) &&
      (id !== "longest" || m.timed && m.longest.length > 0) && (m.rows > 0 || ["about", "deadlocks", "dumps"].includes(id)));

  C.viewOf = m => shown(m).find(v => v[0] === C.state.view) || shown(m)[0];

  C.dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = C.dark ? "dark" : "light";
  C.load().then(data => {
    const m = C.model = new C.Model(data);
    C.unit = data.analyze.coverage.unit;
    C.paths = /^go(routine)?\b/.test(data.analyze.trace.format) || data.analyze.locks.length > 0 &&
      data.analyze.locks[0].class.startsWith("sync.");
    C.thread = /^go(routine)?\b/.test(data.analyze.trace.format) ? "goroutine" : "thread";
    const box = document.getElementById("page");
    box.textContent = "";
    render(html`<${App} m=${m} />`, box);
  })
    .catch(e => { document.getElementById("page").textContent = "This page cannot show its data: " + e.message;
      console.error(e); });
})(window.contend);
