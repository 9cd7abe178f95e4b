"use strict";
// Which threads block which: a matrix as a heat map, and a graph to pan and zoom.
(function (C) {
  const { html, useRef, useEffect, useMemo } = window.htmPreact;
  const mostCells = 14, mostArrows = 20, smallest = 0.8, largest = 1.25, labelHeight = 16,
    loopRoom = contendArrows.loopRoom(labelHeight), { svg } = contendArrows;

  // network sums the selection by waiter and owner, as groups or methods.
  function network(s, nodes) {
    const from = s.column("waiter-" + nodes), to = s.column("owner-" + nodes);
    const waiters = C.groupBy(s, s.some, from), owners = C.groupBy(s, s.some, to),
      columns = owners.slice(0, mostCells).map(o => o.key), cells = new Map();
    let arrows = [], count = 0;
    waiters.forEach((w, row) => {
      const causes = C.groupBy(s, w.rows, to), arrow = o => ({ from: w.text, to: o.text, ns: o.ns, waits: o.waits });
      count += causes.length;
      arrows.push(...causes.slice(0, mostArrows).map(arrow));
      if (row < mostCells) for (const o of causes) if (columns.includes(o.key)) cells.set(w.text + "\n" + o.text,
        arrow(o));
    });
    arrows = C.order(arrows, a => a.ns).slice(0, mostArrows);
    let part = 0; // the heaviest, as long as they add something to see
    arrows = arrows.filter(a => { const add = part < 0.98 * s.total; part += a.ns; return add; });
    return { waiters, owners, cells, arrows, count, most: arrows.length ? arrows[0].ns : 1 };
  }

  const kinds = nodes => nodes === "group" ? ["waiter", "owner"] : ["waiterFrame", "ownerFrame"];

  function Matrix({ s, net, nodes }) {
    const rows = net.waiters.slice(0, mostCells), columns = net.owners.slice(0, mostCells), [wk, ok] = kinds(nodes);
    return html`<div class="matrix"><table><thead><tr><th scope="col">waits ↓ for →</th>
      ${columns.map(o =>
        html`<th scope="col"><button type="button" class="link" onClick=${() => C.toggle(ok, o.text)}>
          <${C.Name} text=${o.text} /></button></th>`)}
      <th scope="col">all</th></tr></thead>
      <tbody>
        ${rows.map(w =>
          html`<tr><th scope="row"><button type="button" class="link" onClick=${() => C.toggle(wk, w.text)}>
            <${C.Name} text=${w.text} /></button></th>
        ${columns.map(o => {
          const cell = net.cells.get(w.text + "\n" + o.text), dark = cell && cell.ns > 0.3 * net.most;
          return cell ?
            html`<td style=${{ background: C.heat(cell.ns / net.most) }}>
              <button type="button" class=${dark ? "dark" : ""}
                title=${w.text + " waited for " + o.text + ": " + C.amount(cell.ns) + ", " +
                  C.plural(cell.waits, "wait")}
                onClick=${() => C.only({ [wk]: w.text, [ok]: o.text })}>
              ${C.percent(cell.ns, s.total)}</button></td>` :
            html`<td></td>`;
        })}<td>${C.percent(w.ns, s.total)}</td></tr>`)}
        <tr><th scope="row">all</th>${columns.map(o => html`<td>${C.percent(o.ns, s.total)}</td>`)}<td>100 %</td></tr>
          </tbody></table>
      ${net.waiters.length > rows.length || net.owners.length > columns.length ?
        html`<p><small>
          The largest ${rows.length} of ${C.plural(net.waiters.length, "waiter")} and ${columns.length} of ${C.plural(
            net.owners.length, "owner")}
          ; the sums are over all.</small></p>` :
        ""}
        </div>`;
  }

  // wrap cuts a name into lines at its dots and dollars.
  function wrap(name, width) {
    const lines = [""];
    for (const piece of C.short(name).split(/(?<=[.$: -])/)) {
      if (lines[lines.length - 1].length + piece.length > width && lines[lines.length - 1]) lines.push("");
      lines[lines.length - 1] += piece;
    }
    return lines.map(l => l.length > width + 8 ? l.slice(0, width + 7) + "…" : l).slice(0, 3);
  }

  // lay places the nodes and routes the arrows, labels included. An arrow from
  // a node to itself is drawn in room above the node.
  function lay(net) {
    const { arrows } = net, caused = new Map(net.owners.map(o => [o.text, o.ns])),
      loops = new Map(arrows.filter(a => a.from === a.to).map(a => [a.from, a]));
    const g =
      new dagre.graphlib.Graph({ multigraph: true })
        .setGraph({ rankdir: "LR", nodesep: 22, ranksep: 84, edgesep: 16, marginx: 14, marginy: 14 })
        .setDefaultEdgeLabel(() => ({}));
    for (const name of new Set(arrows.flatMap(a => [a.from, a.to]))) {
      const lines = wrap(name, 26), loop = loops.get(name);
      g.setNode(name,
        { lines, name, loop, caused: caused.get(name) || 0, width: 20 + 7 * Math.max(...lines.map(l => l.length), 12),
          height: 12 + 15 * (lines.length + 1) + (loop ? loopRoom : 0) });
    }
    for (const a of arrows) if (a.from !== a.to) g.setEdge(a.from, a.to,
      { ...a, width: 62, height: labelHeight, labelpos: "c" });
    dagre.layout(g);
    return g;
  }

  // boxOf is where a node's box is drawn: below the room of its loop.
  const boxOf =
    n => ({ id: n.name, x: n.x, y: n.y + (n.loop ? loopRoom / 2 : 0), half: n.width / 2,
      high: (n.height - (n.loop ? loopRoom : 0)) / 2 });

  // draw makes the picture. Names become text nodes.
  function draw(g, s, net, nodes) {
    const size = g.graph(), most = Math.max(...g.nodes().map(n => g.node(n).caused), 1),
      view = svg("g", { class: "svg-pan-zoom_viewport" });
    const pen = e => Math.round(10 * (0.8 + 5 * e.ns / net.most)) / 10, arrows = g.edges().map(id => {
      const e = g.edge(id), inner = e.points.slice(1, -1);
      return { e, x: e.x, y: e.y, pen: pen(e), label: { x: e.x, half: 31 },
        from: boxOf(g.node(id.v)), to: boxOf(g.node(id.w)),
        inner: inner.length ? inner : [{ x: e.x, y: e.y }] };
    });
    contendArrows.route(arrows, g.nodes().map(id => boxOf(g.node(id))));
    for (const n of g.nodes().map(id => g.node(id)).filter(n => n.loop)) {
      const box = boxOf(n), heavy = pen(n.loop);
      arrows.push({ e: n.loop, x: n.x, y: box.y - box.high - labelHeight / 2 - 2, pen: heavy,
        d: contendArrows.loop(box, labelHeight, heavy) });
    }
    const title = e => svg("title", {}, `${e.from} waited for ${e.to}: ${C.amount(e.ns)}`);
    for (const a of arrows) view.append(svg("g", { class: "edge" }, title(a.e), contendArrows.line(a, {})));
    for (const { e, x, y } of arrows) {
      const text = C.amount(e.ns), half = 3.4 * text.length + 3;
      view.append(svg("g", { class: "edge" }, title(e),
        svg("rect", { x: x - half, y: y - 8, width: 2 * half, height: 15, rx: 3 }),
        svg("text", { x, y: y + 4, "text-anchor": "middle" }, text)));
    }
    for (const id of g.nodes()) {
      const n = g.node(id), share = n.caused / most, top = n.y - n.height / 2 + (n.loop ? loopRoom : 0),
        box = svg("rect", { x: n.x - n.width / 2, y: top, width: n.width, height: n.y + n.height / 2 - top, rx: 6 });
      box.style.fill = n.caused ? C.heat(share) : "var(--card)";
      const node =
        svg("g", { class: "node" + (share > 0.3 ? " dark" : ""), tabindex: 0 },
          svg("title", {}, n.name + ": caused " + C.amount(n.caused)), box);
      [...n.lines, n.caused ? "caused " + C.percent(n.caused, s.total) : "causes none"]
        .forEach((line, i) =>
          node.append(svg("text", { x: n.x, y: top + 18 + 15 * i, "text-anchor": "middle" }, line)));
      const select = () => C.toggle(kinds(nodes)[n.caused ? 1 : 0], n.name);
      node.addEventListener("dblclick", select);
      node.addEventListener("keydown", e => { if (e.key === "Enter") select(); });
      view.append(node);
    }
    const picture =
      svg("svg", { role: "img", "aria-label": "graph of who waited for whom" },
        svg("defs", {}, ...contendArrows.heads(arrows)), view);
    picture.style.overflow = "hidden"; // before svg-pan-zoom would, as an attribute that the page's policy forbids
    const worst = g.nodes().map(id => g.node(id)).reduce((a, n) => n.caused > a.caused ? n : a, { caused: 0 });
    return { picture, width: size.width, height: size.height,
      culprit: worst.caused ? { ...boxOf(worst), from: g.node(net.arrows.find(a => a.to === worst.name).from).y } :
        null };
  }

  function Graph({ s, net, nodes, width }) {
    const box = useRef(), zoom = useRef();
    useEffect(() => {
      const made = draw(lay(net), s, net, nodes), wide = box.current.clientWidth,
        scale = Math.max(smallest, Math.min(largest, wide / made.width));
      box.current.style.height = Math.max(200, Math.min(Math.max(860, 0.4 * wide), made.height * scale + 20)) + "px";
      box.current.replaceChildren(made.picture);
      const pan = zoom.current =
        svgPanZoom(made.picture,
          { controlIconsEnabled: false, mouseWheelZoomEnabled: false, dblClickZoomEnabled: false, minZoom: 0.1,
            maxZoom: 20, fit: true, center: true });
      const whole = pan.getSizes().realZoom, readable = () => {
        const to = Math.max(smallest, Math.min(largest, whole)), { width: w, height: h } = pan.getSizes(),
          c = made.culprit;
        pan.zoom(pan.getZoom() * to / pan.getSizes().realZoom);
        pan.center();
        if (whole >= smallest || !c) return; // all of it is in sight, and large enough
        const p = pan.getPan(),
          within = (at, half, room, size) => Math.min(Math.max(at, half + 12 - room), size - half - 12 - room);
        // with who waits for it most
        pan.pan({ x: within(p.x, c.half * to, c.x * to, w),
          y: within(h / 2 - (c.y + c.from) / 2 * to, c.high * to, c.y * to, h) });
      };
      readable();
      zoom.current.readable = readable;
      return () => { zoom.current.destroy(); zoom.current = null; };
    }, [net, nodes, width, C.dark]);
    return html`<div><div class="tools"><span class="choice" role="group" aria-label="zoom">
      <button type="button" onClick=${() => zoom.current.zoomIn()} aria-label="larger">+</button>
      <button type="button" onClick=${() => zoom.current.zoomOut()} aria-label="smaller">−</button>
      <button type="button" onClick=${() => { zoom.current.reset(); zoom.current.fit(); zoom.current.center(); }}>whole
      </button><button type="button" onClick=${() => zoom.current.readable()}>readable</button></span><small>
      drag to move; double-click a node to select it
      ${net.count > net.arrows.length ?
        `; the ${C.plural(net.arrows.length, "heaviest", "heaviest")} of ${C.plural(net.count, "arrow")}` : ""}
      </small></div>
      <div class="graphbox" ref=${box}></div></div>`;
  }

  C.Who = function ({ s, width }) {
    const nodes = C.state.nodes, net = useMemo(() => network(s, nodes), [s, nodes]);
    if (!s.some.length) return html`<p class="none">Nothing waited in this selection.</p>`;
    return html`<div class="view who"><div class="tools">
      <${C.Choice} label="of" name="nodes" values=${[["group", "groups of threads"], ["method", "methods"]]} />
      <${C.Choice} label="blame" name="blame" values=${[["direct", "the lock's owner"], ["root", "end of each chain"]]}
        />
        <span><small>waiting caused: little</small><span class="scale"></span><small>most</small></span></div>
      <${Graph} s=${s} net=${net} nodes=${nodes} width=${width} /><h3 class="below">As a matrix</h3>
        <${Matrix} s=${s} net=${net} nodes=${nodes} /></div>`;
  };
})(window.contend);
