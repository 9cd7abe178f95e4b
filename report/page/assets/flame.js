"use strict";
// Flame graphs of owners, of waiters, or of the chain from waiters over the
// lock to its owner. Drawn by itself: the tree is cut where a frame would be
// hardly a pixel wide, after the sums are made.
(function (C) {
  const { html, useMemo, useState, useRef, useEffect, useLayoutEffect } = window.htmPreact;
  const height = 19;

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

  // boxes lays the tree out: every frame at least so wide, as a share of all. A
  // box knows the one it stands on, and its sisters come one after the other.
  function boxes(root, least) {
    const out = [{ node: root, x: 0, depth: 0, parent: -1, kids: [] }];
    for (let at = 0; at < out.length; at++) {
      const box = out[at];
      if (box.depth > 400) continue;
      let left = box.x;
      for (const node of box.node.wider(least)) {
        box.kids.push(out.length);
        out.push({ node, x: left, depth: box.depth + 1, parent: at, kids: [] });
        left += node.ns;
      }
    }
    return out;
  }

  const svg = name => document.createElementNS("http://www.w3.org/2000/svg", name);

  // paint makes the elements of a picture those of its boxes. Elements are used
  // again: a change of the filter is seen at once. Names become text nodes.
  function paint(picture, list) {
    while (picture.children.length > list.length) picture.lastChild.remove();
    while (picture.children.length < list.length) {
      const g = svg("g"), text = svg("text");
      g.append(svg("rect"), text);
      text.setAttribute("x", 4);
      text.setAttribute("y", 13.5);
      picture.append(g);
    }
    list.forEach((b, i) => {
      const g = picture.children[i], was = g.drawn || (g.drawn = {}), [rect, text] = g.children;
      const set =
        (of, name, value) => { if (was[name] !== value) { was[name] = value; of.setAttribute(name, value); } };
      set(g, "class", b.kind);
      set(g, "transform", b.place);
      set(rect, "width", b.wide);
      set(rect, "height", height - 1);
      if (was.text !== b.text) { was.text = b.text; text.textContent = b.text; }
    });
  }

  C.Flame = function ({ s, width }) {
    const m = s.model, { flame: view, from, up, by } = C.state, box = useRef();
    const [zoomed, zoom] = useState(null), [at, point] = useState(0), [find, setFind] = useState("");
    const tree = useMemo(() => treeOf(s, view, from, by), [s, view, from, by]);
    useEffect(() => point(0), [tree]);
    const wide = Math.max(300, width - 56), kept = zoomed && zoomed.shape === tree.shape ? tree.of(zoomed.at) : tree,
      root = kept.ns > 0 ? kept : tree;
    const list = useMemo(() => boxes(root, 1.5 * root.ns / wide), [root, wide]);
    const depth = list.reduce((a, b) => Math.max(a, b.depth), 0) + 1;
    const locks = s.column(by), methods = 2 * m.stacks.names.length, isLock = key => key >= methods,
      isWaiter = key => key % 2 === 1;
    const name = node =>
      node.depth < 0 ? "all" : isLock(node.key) ? locks.text(node.key - methods) : m.stacks.names[node.key >> 1];
    const role = node =>
      node.depth < 0 ? "all" : isLock(node.key) ? "lock" : isWaiter(node.key) ? "waiter" : name(node).startsWith("[") ?
        "nobody" : "owner";
    const whole = node => node.depth >= 0 && isLock(node.key) ? C.whole(m, by, name(node)) : name(node);
    const wanted = find.trim().toLowerCase(),
      hit = node => wanted && node.depth >= 0 && (name(node) + "\n" + whole(node)).toLowerCase().includes(wanted);
    const here = list[Math.min(at, list.length - 1)] || list[0];
    const describe = node =>
      name(node) + " — " + C.amount(node.ns) + ", " + C.percent(node.ns, s.total) +
        (node.depth < 0 ? "" : ", " + role(node));
    const sift = node => {
      if (role(node) === "lock") C.toggle(by, name(node));
      else if (node.depth >= 0) C.toggle(isWaiter(node.key) ? "waiterFrame" : "ownerFrame", name(node));
    };
    const step = e => {
      const i = list.indexOf(here), sisters = here.parent < 0 ? [i] : list[here.parent].kids,
        place = sisters.indexOf(i);
      const inner = () => here.kids.length ? here.kids[0] : i;
      const outer = () => Math.max(0, here.parent);
      const go =
        { ArrowLeft: () => sisters[Math.max(0, place - 1)],
          ArrowRight: () => sisters[Math.min(sisters.length - 1, place + 1)], ArrowUp: up === "up" ? inner : outer,
          ArrowDown: up === "up" ? outer : inner }[e.key];
      if (go) point(go());
      else if (e.key === "Enter") { zoom(here.node); point(0); }
      else if (e.key === "Escape") { zoom(null); point(0); }
      else if (e.key === "f") sift(here.node);
      else return;
      e.preventDefault();
    };
    const scale = wide / Math.max(root.ns, 1);
    useLayoutEffect(() => {
      if (!box.current) return;
      paint(box.current, list.map(b => {
        const w = b.node.ns * scale, y = (up === "up" ? depth - 1 - b.depth : b.depth) * height,
          chars = Math.floor((w - 6) / 6.6), text = chars > 2 ? C.short(name(b.node)) : "";
        return {
          kind: "f " + role(b.node) + (hit(b.node) ? " hit" : wanted ? " faint" : "") + (here === b ? " here" : ""),
          place: `translate(${(b.x * scale).toFixed(1)},${y})`,
          wide: Math.max(0.5, w - 0.5).toFixed(1), text: text.length > chars ? "…" + text.slice(1 - chars) : text };
      }));
    });
    const boxOf = e => { const g = e.target.closest("g"); return g ? [...box.current.children].indexOf(g) : -1; };
    const enter = e => { const i = boxOf(e); if (i >= 0 && i !== at) point(i); };
    const open = e => { const i = boxOf(e);
      if (i >= 0) { zoom(list[i].node.depth < 0 ? null : list[i].node); point(0); } };
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
        ${root !== tree && html`<button type="button" onClick=${() => { zoom(null); point(0); }}>whole</button>`}</div>
      <p class="details" role="status"><span title=${whole(here.node)}>${describe(here.node)}
        </span> ${here.node.depth >= 0 &&
          html`<button type="button" onClick=${() => sift(here.node)}>show this alone</button>`}
        </p>
      <svg ref=${box} class="flamegraph" width=${wide} height=${depth * height} tabindex="0" role="group"
        aria-label="flame graph; arrows move, Enter zooms, f filters, Escape shows the whole" onKeyDown=${step}
        onMouseOver=${enter} onClick=${open}>
        </svg>
      <p class="legend"><span class="entry"><span class="swatch flame-lock"></span>lock</span><span class="entry">
        <span class="swatch flame-owner"></span>owner</span><span class="entry"><span class="swatch flame-nobody">
        </span>nobody in particular</span><span class="entry"><span class="swatch flame-waiter"></span>waiter</span>
        <span class="entry hint">widths are waiting; click zooms, f filters</span></p></div>`;
  };
})(window.contend);
