"use strict";
// Lays the graph out, draws it, and lets a reader pan and zoom as on the page of contend report.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent), letter = 7.2, line = 15,
    { svg, loopRoom } = contendArrows;
  const size =
    (lines,
      around) => ({ lines, width: letter * Math.max(...lines.map(l => l.length)) + around,
        height: line * lines.length + around });

  // lay places nodes and edges. An edge from a node to itself is drawn in room above the node.
  function lay() {
    const g =
      new dagre.graphlib.Graph({ multigraph: true })
        .setGraph({ rankdir: "LR", nodesep: 20, ranksep: 84, edgesep: 14, marginx: 16, marginy: 16 });
    const edges = data.edges.map(e => ({ ...e, pen: +e.width, ...size(e.lines, 4), labelpos: "c" })),
      loops = edges.filter(e => e.from === e.to);
    for (const n of data.nodes) {
      const own = size(n.lines, 16), loop = loops.find(e => e.from === n.id), room = loop ? loopRoom(loop.height) : 0;
      g.setNode(n.id,
        { ...n, ...own, loop, own, room, width: Math.max(own.width, loop ? loop.width : 0),
          height: own.height + room });
    }
    edges.forEach((e, i) => { if (e.from !== e.to) g.setEdge(e.from, e.to, e, i); });
    dagre.layout(g);
    const boxes = new Map();
    for (const id of g.nodes()) {
      const n = g.node(id);
      Object.assign(n, { y: n.y + n.room / 2, width: n.own.width, height: n.own.height });
      boxes.set(n.id, { id, x: n.x, y: n.y, half: n.width / 2, high: n.height / 2 });
      if (n.loop) Object.assign(n.loop, { x: n.x, y: n.y - n.height / 2 - n.loop.height / 2 - 2,
        d: contendArrows.loop(boxes.get(n.id), n.loop.height, n.loop.pen) });
    }
    const arrows = g.edges().map(id => {
      const e = g.edge(id), inner = e.points.slice(1, -1);
      return { e, from: boxes.get(e.from), to: boxes.get(e.to), inner: inner.length ? inner : [{ x: e.x, y: e.y }],
        label: { x: e.x, half: e.width / 2 }, pen: e.pen };
    });
    contendArrows.route(arrows, [...boxes.values()]);
    for (const a of arrows) a.e.d = a.d;
    return { nodes: g.nodes().map(id => g.node(id)), edges,
      ...(data.nodes.length ? g.graph() : { width: 1, height: 1 }) };
  }

  const texts = (lines, x, y) =>
    lines.map((l, i) => svg("text", { x, y: y + line * (i - lines.length / 2) + 11, "text-anchor": "middle" }, l));
  const rect = (b, attributes) =>
    svg("rect", { x: b.x - b.width / 2, y: b.y - b.height / 2, width: b.width, height: b.height, ...attributes });
  const frames = { pseudo: { "stroke-dasharray": "4 3" }, closed: { "stroke-width": 4 }, cycle: { "stroke-width": 2 } };

  // draw makes the picture. Names become text nodes.
  function draw({ nodes, edges, width, height }) {
    const view = svg("g", { class: "svg-pan-zoom_viewport" });
    for (const e of edges) view.append(
      svg("g", { class: "edge" }, svg("title", {}, e.tip), contendArrows.line(e, {})));
    for (const n of nodes) view.append(
      svg("g", { class: `node h${n.heat}${n.heat > 5 ? " hot" : ""}` }, svg("title", {}, n.name),
        rect(n, { rx: 5, stroke: "#333333", ...frames[n.style] }), ...texts(n.lines, n.x, n.y)));
    for (const e of edges) view.append(
      svg("g", { class: "label" }, svg("title", {}, e.tip),
        ...e.from === e.to ? [] : [rect(e, { fill: "#ffffff", rx: 3 })],
        ...texts(e.lines, e.x, e.y)));
    return { width, height, nodes,
      picture: svg("svg",
        { role: "img", "aria-label": "graph of who waited for whom", viewBox: `0 0 ${width} ${height}`,
          "font-size": 12 },
        svg("defs", {}, ...contendArrows.heads(edges)), view) };
  }

  const box = document.getElementById("graph"), { picture, width, height, nodes } = draw(lay());
  picture.style.overflow = "hidden"; // before svg-pan-zoom would, as an attribute that the page's policy forbids
  box.style.height = Math.max(320, Math.min(innerHeight - 140, height * Math.min(1, box.clientWidth / width) + 20)) +
    "px";
  box.append(picture);
  const zoom =
    svgPanZoom(picture,
      { controlIconsEnabled: false, mouseWheelZoomEnabled: false, minZoom: 0.2, maxZoom: 20, fit: true, center: true });
  const whole = () => { // a window without any size has no picture
    if (box.clientWidth > 0 && box.clientHeight > 0) { zoom.resize(); zoom.fit(); zoom.center(); }
  };
  // Where all of it is too small to read, what causes most is in the middle.
  const { realZoom: fits, width: wide, height: high } = zoom.getSizes(), readable = 0.8;
  if (fits < 0.55) {
    const worst = nodes.reduce((a, n) => n.heat > a.heat ? n : a);
    zoom.zoom(zoom.getZoom() * readable / fits);
    zoom.pan({ x: wide / 2 - readable * worst.x, y: high / 2 - readable * worst.y });
  }
  document.getElementById("larger").addEventListener("click", () => zoom.zoomIn());
  document.getElementById("smaller").addEventListener("click", () => zoom.zoomOut());
  document.getElementById("whole").addEventListener("click", whole);
  addEventListener("resize", whole);
  addEventListener("keydown",
    e => { const act = { "+": () => zoom.zoomIn(), "-": () => zoom.zoomOut(), Escape: whole }[e.key]; if (act) act();
      });
})();
