"use strict";
// Lays the graph out, draws it, and lets a reader pan and zoom as on the page of contend report.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent), letter = 7.2, line = 15;
  const size =
    (lines,
      around) => ({ lines, width: letter * Math.max(...lines.map(l => l.length)) + around,
        height: line * lines.length + around });

  // lay places nodes and edges. An edge from a node to itself is drawn in room above the node.
  function lay() {
    const g =
      new dagre.graphlib.Graph({ multigraph: true })
        .setGraph({ rankdir: "LR", nodesep: 18, ranksep: 34, edgesep: 14, marginx: 16, marginy: 16 });
    const edges = data.edges.map(e => ({ ...e, pen: e.width, ...size(e.lines, 4), labelpos: "c" })),
      loops = edges.filter(e => e.from === e.to);
    for (const n of data.nodes) {
      const own = size(n.lines, 16), loop = loops.find(e => e.from === n.id), room = loop ? loop.height + 10 : 0;
      g.setNode(n.id,
        { ...n, ...own, loop, own, room, width: Math.max(own.width, loop ? loop.width : 0),
          height: own.height + room });
    }
    edges.forEach((e, i) => { if (e.from !== e.to) g.setEdge(e.from, e.to, e, i); });
    dagre.layout(g);
    for (const n of g.nodes().map(id => g.node(id))) {
      if (n.loop) {
        const side = n.own.width / 2 - 8, top = n.y - n.height / 2 + n.room;
        Object.assign(n.loop,
          { x: n.x, y: top - n.room / 2,
            d: `M${n.x - side},${top}C${n.x - side - 12},${top - 1.2 * n.room} ${n.x + side +
              12},${top - 1.2 * n.room} ${n.x + side},${top}` });
      }
      Object.assign(n, { y: n.y + n.room / 2, width: n.own.width, height: n.own.height });
    }
    for (const e of g.edges().map(id => g.edge(id))) {
      e.points[0] = border(g.node(e.from), e.points[1]);
      e.points[e.points.length - 1] = border(g.node(e.to), e.points[e.points.length - 2]);
      e.d = curve(e.points);
    }
    return { nodes: g.nodes().map(id => g.node(id)), edges,
      ...(data.nodes.length ? g.graph() : { width: 1, height: 1 }) };
  }

  // border is where a line from the middle of a box to a point leaves the box.
  function border(b, p) {
    const dx = p.x - b.x, dy = p.y - b.y, k = 1 / Math.max(2 * Math.abs(dx) / b.width, 2 * Math.abs(dy) / b.height, 1);
    return { x: b.x + k * dx, y: b.y + k * dy };
  }

  // curve is a smooth path through the bends of an edge: from the middle of each leg to
  // the middle of the next one.
  function curve(points) {
    const at = (x, y) => x.toFixed(1) + "," + y.toFixed(1), last = points[points.length - 1];
    let d = "M" + at(points[0].x, points[0].y);
    for (let i = 1; i + 1 < points.length;
      i++) d += `Q${at(points[i].x, points[i].y)} ${at((points[i].x + points[i + 1].x) / 2,
        (points[i].y + points[i + 1].y) / 2)}`;
    return d + "L" + at(last.x, last.y);
  }

  const svg = (name, attributes, ...children) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    e.append(...children);
    return e;
  };
  const texts = (lines, x, y) =>
    lines.map((l, i) => svg("text", { x, y: y + line * (i - lines.length / 2) + 11, "text-anchor": "middle" }, l));
  const rect = (b, attributes) =>
    svg("rect", { x: b.x - b.width / 2, y: b.y - b.height / 2, width: b.width, height: b.height, ...attributes });
  const frames = { pseudo: { "stroke-dasharray": "4 3" }, closed: { "stroke-width": 4 }, cycle: { "stroke-width": 2 } };

  // draw makes the picture. Names become text nodes.
  function draw({ nodes, edges, width, height }) {
    const view = svg("g", { class: "svg-pan-zoom_viewport" });
    const head =
      svg("marker",
        { id: "head", viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9,
          markerUnits: "userSpaceOnUse", orient: "auto" },
        svg("path", { d: "M0,0L10,5L0,10Z", fill: "#666666" }));
    for (const e of edges) view.append(
      svg("g", { class: "edge" }, svg("title", {}, e.tip),
        svg("path", { d: e.d, fill: "none", stroke: "#666666", "stroke-width": e.pen, "marker-end": "url(#head)" })));
    for (const n of nodes) view.append(
      svg("g", { class: `node h${n.heat}${n.heat > 5 ? " hot" : ""}` }, svg("title", {}, n.name),
        rect(n, { rx: 5, stroke: "#333333", ...frames[n.style] }), ...texts(n.lines, n.x, n.y)));
    for (const e of edges) view.append(
      svg("g", { class: "label" }, svg("title", {}, e.tip), rect(e, { fill: "#ffffff", "fill-opacity": 0.8 }),
        ...texts(e.lines, e.x, e.y)));
    return { width, height,
      picture: svg("svg",
        { role: "img", "aria-label": "graph of who waited for whom", viewBox: `0 0 ${width} ${height}`,
          "font-size": 12 },
        svg("defs", {}, head), view) };
  }

  const box = document.getElementById("graph"), { picture, width, height } = draw(lay());
  picture.style.overflow = "hidden"; // before svg-pan-zoom would, as an attribute that the page's policy forbids
  box.style.height = Math.max(320, Math.min(innerHeight - 140, height * Math.min(1, box.clientWidth / width) + 20)) +
    "px";
  box.append(picture);
  const zoom =
    svgPanZoom(picture,
      { controlIconsEnabled: false, mouseWheelZoomEnabled: false, minZoom: 0.2, maxZoom: 20, fit: true, center: true });
  const whole = () => { zoom.resize(); zoom.fit(); zoom.center(); };
  document.getElementById("larger").addEventListener("click", () => zoom.zoomIn());
  document.getElementById("smaller").addEventListener("click", () => zoom.zoomOut());
  document.getElementById("whole").addEventListener("click", whole);
  addEventListener("resize", whole);
  addEventListener("keydown",
    e => { const act = { "+": () => zoom.zoomIn(), "-": () => zoom.zoomOut(), Escape: whole }[e.key]; if (act) act();
      });
})();
