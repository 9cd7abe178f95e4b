"use strict";
// Flame graphs of owners, of waiters, or of the chain from waiters over the
// lock to its owner. Drawn by itself: the tree is cut where a frame would be
// hardly a pixel wide, after the sums are made.
(function (C) {
  const { html, useMemo, useState, useRef, useEffect } = window.htmPreact;
  const height = 19;

  // A key of a path is a method of an owner or a waiter, or, behind all of
  // those, a lock.
  const ownerKey = method => 2 * method, waiterKey = method => 2 * method + 1;

  function paths(s, view, from) {
    const m = s.model, t = m.stacks, methods = 2 * t.names.length, out = from === "outermost";
    const side = (node, key, outermost, put) => t.walk(node, outermost, n => put(key(t.method[t.frame[n]])));
    return C.paths(s, methods + m.locks.length, (i, put) => {
      if (view === "chain") side(m.waiterStack[i], waiterKey, true, put);
      put(methods + m.lock[i]);
      if (view === "waiters") side(m.waiterStack[i], waiterKey, out, put);
      else side(s.owner[i], ownerKey, view === "chain" || out, put);
    });
  }

  // boxes lays the tree out: every frame at least so wide, as a share of all.
  function boxes(root, least) {
    const out = [], todo = [{ node: root, x: 0, depth: 0, parent: -1 }];
    while (todo.length) {
      const { node, x, depth, parent } = todo.pop(), at = out.length;
      out.push({ node, x, depth, parent });
      if (depth > 400) continue;
      let left = x, narrow = 0;
      for (const kid of node.children) {
        if (kid.ns >= least) { todo.push({ node: kid, x: left, depth: depth + 1, parent: at }); left += kid.ns; }
        else narrow += kid.ns;
      }
    }
    return out;
  }

  C.Flame = function ({ s, width }) {
    const m = s.model, { flame: view, from, up } = C.state, box = useRef();
    const [zoomed, zoom] = useState(null), [at, point] = useState(0), [find, setFind] = useState("");
    const tree = useMemo(() => C.tree(s, paths(s, view, from)), [s, view, from]);
    useEffect(() => { zoom(null); point(0); }, [tree]);
    const wide = Math.max(300, width - 56), root = zoomed || tree;
    const list = useMemo(() => boxes(root, 1.5 * root.ns / wide), [root, wide]);
    const depth = list.reduce((a, b) => Math.max(a, b.depth), 0) + 1;
    const methods = 2 * m.stacks.names.length, isLock = key => key >= methods, isWaiter = key => key % 2 === 1;
    const name = node => node.depth < 0 ? "all" : isLock(node.key) ? m.locks[node.key - methods].name : m.stacks.names[node.key >> 1];
    const role = node => node.depth < 0 ? "all" : isLock(node.key) ? "lock" : isWaiter(node.key) ? "waiter" : name(node).startsWith("[") ? "nobody" : "owner";
    const wanted = find.trim().toLowerCase(), hit = node => wanted && node.depth >= 0 && name(node).toLowerCase().includes(wanted);
    const here = list[Math.min(at, list.length - 1)] || list[0];
    const describe = node => name(node) + " — " + C.amount(node.ns) + ", " + C.percent(node.ns, s.total) + (node.depth < 0 ? "" : ", " + role(node));
    const sift = node => {
      if (role(node) === "lock") C.toggle("lock", name(node));
      else if (node.depth >= 0) C.toggle(isWaiter(node.key) ? "waiterFrame" : "ownerFrame", name(node));
    };
    const kids = i => list.map((b, k) => b.parent === i ? k : -1).filter(k => k >= 0).sort((a, b) => list[a].x - list[b].x);
    const step = e => {
      const i = list.indexOf(here), sisters = here.parent < 0 ? [i] : kids(here.parent), place = sisters.indexOf(i);
      const inner = () => { const k = kids(i); return k.length ? k[0] : i; };
      const outer = () => Math.max(0, here.parent);
      const go = { ArrowLeft: () => sisters[Math.max(0, place - 1)], ArrowRight: () => sisters[Math.min(sisters.length - 1, place + 1)], ArrowUp: up === "up" ? inner : outer, ArrowDown: up === "up" ? outer : inner }[e.key];
      if (go) point(go());
      else if (e.key === "Enter") { zoom(here.node); point(0); }
      else if (e.key === "Escape") { zoom(null); point(0); }
      else if (e.key === "f") sift(here.node);
      else return;
      e.preventDefault();
    };
    if (!s.some.length) return html`<div class="view flame"><p class="none">Nothing waited in this selection.</p></div>`;
    const scale = wide / Math.max(root.ns, 1);
    return html`<div class="view flame"><div class="tools"><${C.Choice} label="of" name="flame" values=${[["owners", "owners"], ["waiters", "waiters"], ["chain", "chain"]]} />
        <${C.Choice} label="blame" name="blame" values=${[["direct", "the lock's owner"], ["root", "end of each chain"]]} />
        ${view !== "chain" && html`<${C.Choice} label="from the" name="from" values=${[["outermost", "outermost frame"], ["innermost", "innermost"]]} />`}
        <${C.Choice} label="grows" name="up" values=${[["down", "down"], ["up", "up"]]} />
        <input type="search" placeholder="highlight" aria-label="highlight frames" value=${find} onInput=${e => setFind(e.target.value)} />
        ${zoomed && html`<button type="button" onClick=${() => { zoom(null); point(0); }}>whole</button>`}</div>
      <p class="details" role="status">${describe(here.node)} ${here.node.depth >= 0 && html`<button type="button" onClick=${() => sift(here.node)}>show this alone</button>`}</p>
      <svg ref=${box} class="flamegraph" width=${wide} height=${depth * height} tabindex="0" role="group" aria-label="flame graph; arrows move, Enter zooms, f filters, Escape shows the whole" onKeyDown=${step}>
        ${list.map((b, i) => {
          const w = b.node.ns * scale, y = (up === "up" ? depth - 1 - b.depth : b.depth) * height, chars = Math.floor((w - 6) / 6.6), text = C.short(name(b.node));
          return html`<g key=${b.node.depth + " " + i} class=${"f " + role(b.node) + (hit(b.node) ? " hit" : wanted ? " faint" : "") + (here === b ? " here" : "")} transform=${`translate(${(b.x * scale).toFixed(1)},${y})`} onMouseEnter=${() => point(i)} onClick=${() => { zoom(b.node === tree ? null : b.node); point(0); }}>
            <rect width=${Math.max(0.5, w - 0.5).toFixed(1)} height=${height - 1} rx="1.5">${w > 24 && html`<title>${describe(b.node)}</title>`}</rect>
            ${chars > 2 && html`<text x="4" y="13.5">${text.length > chars ? "…" + text.slice(1 - chars) : text}</text>`}</g>`;
        })}</svg>
      <p class="legend"><span class="entry"><span class="swatch flame-lock"></span>lock</span><span class="entry"><span class="swatch flame-owner"></span>owner</span><span class="entry"><span class="swatch flame-nobody"></span>nobody in particular</span><span class="entry"><span class="swatch flame-waiter"></span>waiter</span><span class="entry hint">widths are waiting; click zooms, f filters</span></p></div>`;
  };
})(window.contend);
