"use strict";
// Flame graphs of owners, of waiters, or of the chain from waiters over the lock to its owner.
(function (C) {
  const { html, useMemo, useState, useRef, useEffect, useLayoutEffect } = window.htmPreact;

  // A key of a path is a method of an owner or a waiter, or, behind all of
  // those, a lock, a place or a class: what locks are listed by.
  const ownerKey = method => 2 * method, waiterKey = method => 2 * method + 1;

  function treeOf(s, view, from, by) {
    const m = s.model, t = m.stacks, methods = 2 * t.names.length, out = from === "outermost", locks = s.column(by);
    const side = (node, key, outermost, put) => t.walk(node, outermost, n => put(key(t.method[t.frame[n]])));
    return C.tree(s, ["flame", view, from, by, view === "waiters" ? "" : s.blame].join(" "), methods + locks.size,
      (i, put) => {
      if (view === "chain") side(m.waiterStack[i], waiterKey, true, put);
      put(methods + locks.of[i]);
      if (view === "waiters") side(m.waiterStack[i], waiterKey, out, put);
      else side(s.owner[i], ownerKey, view === "chain" || out, put);
    });
  }

  const most = 12000; // frames of one graph

  // nested is a tree as the graph takes it. Of a large one the narrowest frames are left out.
  function nested(root) {
    const out = { node: root, value: root.ns, path: "" };
    for (let least = root.ns / 1e5; ; least *= 3) {
      const list = [out];
      delete out.children;
      for (let at = 0; at < list.length && list.length <= most; at++) {
        const own = list[at], kids = own.node.depth > 400 ? [] : own.node.wider(Math.max(least, 1));
        if (kids.length) own.children = kids.map(node => ({ node, value: node.ns, path: own.path + "/" + node.key }));
        list.push(...own.children || []);
      }
      if (list.length <= most) return out;
    }
  }

  C.Flame = function ({ s, width }) {
    const m = s.model, { flame: view, from, up, by } = C.state, box = useRef(), zoomed = useRef("");
    const [here, point] = useState(null), [find, setFind] = useState("");
    const tree = useMemo(() => treeOf(s, view, from, by), [s, view, from, by]);
    const locks = s.column(by), methods = 2 * m.stacks.names.length, isLock = key => key >= methods,
      isWaiter = key => key % 2 === 1;
    const name = node =>
      node.depth < 0 ? "all" : isLock(node.key) ? locks.text(node.key - methods) : m.stacks.names[node.key >> 1];
    const role = node =>
      node.depth < 0 ? "all" : isLock(node.key) ? "lock" : isWaiter(node.key) ? "waiter" : name(node).startsWith("[") ?
        "nobody" : "owner";
    const whole = node => node.depth >= 0 && isLock(node.key) ? C.whole(m, by, name(node)) : name(node);
    const describe = node =>
      name(node) + " — " + C.amount(node.ns) + ", " + C.percent(node.ns, s.total) +
        (node.depth < 0 ? "" : ", " + role(node));
    const sift = node => {
      if (role(node) === "lock") C.toggle(by, name(node));
      else if (node.depth >= 0) C.toggle(isWaiter(node.key) ? "waiterFrame" : "ownerFrame", name(node));
    };
    useLayoutEffect(() => {
      if (!box.current) return;
      const of = d => d.data.node, chart = contendFlame(box.current, nested(tree), {
        down: up !== "up", name: d => C.short(name(of(d))), describe: d => describe(of(d)), role: d => role(of(d)),
        colour: d => d.highlight ? "var(--hit)" : `var(--flame-${role(of(d))})`, hover: d => point(of(d)),
        matches: (d, wanted) => of(d).depth >= 0 && (name(of(d)) + "\n" + whole(of(d))).toLowerCase().includes(wanted),
        found: () => {},
        select: d => { point(d && of(d)); zoomed.current = chart.zoomed ? chart.zoomed.data.path : ""; },
      });
      const again = zoomed.current && chart.root().descendants().find(d => d.data.path === zoomed.current);
      if (again) chart.zoom(again); // a change of the filter keeps what is looked at
      else point(null);
      chart.search(find.trim().toLowerCase());
      return () => chart.destroy();
    }, [tree, up, width, C.dark]);
    useEffect(() => {
      if (box.current && box.current.chart) box.current.chart.search(find.trim().toLowerCase());
    }, [find]);
    const node = here && here.shape === tree.shape ? here : tree;
    const step = e => {
      if (e.key === "f") sift(node);
      else if (!box.current.chart.key(e.key)) return;
      e.preventDefault();
    };
    if (!s.some.length) return html`<div class="view flame"><p class="none">Nothing waited in this selection.</p></div>
      `;
    return html`<div class="view flame"><div class="tools">
      <${C.Choice} label="of" name="flame" values=${[["owners", "owners"], ["waiters", "waiters"], ["chain", "chain"]]}
        />
        <${C.Choice} label="blame" name="blame"
          values=${[["direct", "the lock's owner"], ["root", "end of each chain"]]} />
        ${view !== "chain" &&
          html`
            <${C.Choice} label="from the" name="from"
              values=${[["outermost", "outermost frame"], ["innermost", "innermost"]]} />
            `}
        <${C.Choice} label="grows" name="up" values=${[["down", "down"], ["up", "up"]]} />
        <input type="search" placeholder="highlight" aria-label="highlight frames" value=${find}
          onInput=${e => setFind(e.target.value)} />
        <button type="button" onClick=${() => box.current.chart.whole()}>whole</button></div>
      <p class="details" role="status"><span title=${whole(node)}>${describe(node)}
        </span> ${node.depth >= 0 &&
          html`<button type="button" onClick=${() => sift(node)}>show this alone</button>`}
        </p>
      <div ref=${box} class="flamegraph" tabindex="0" role="group"
        aria-label="flame graph; arrows move, Enter zooms, f filters, Escape shows the whole" onKeyDown=${step}></div>
      <p class="legend"><span class="entry"><span class="swatch flame-lock"></span>lock</span><span class="entry">
        <span class="swatch flame-owner"></span>owner</span><span class="entry"><span class="swatch flame-nobody">
        </span>nobody in particular</span><span class="entry"><span class="swatch flame-waiter"></span>waiter</span>
        <span class="entry hint">widths are waiting; click zooms, f filters</span></p></div>`;
  };
})(window.contend);
