"use strict";
// Arrows of the graphs of all pages: they leave a box at its side, run level past their labels, and
// end where their head begins, which is as large as the arrow is heavy. A box has its middle (x, y),
// half its width and half its height (high).
window.contendArrows = (function () {
  const at = (x, y) => x.toFixed(1) + "," + y.toFixed(1);

  const svg = (name, attributes, ...children) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    e.append(...children);
    return e;
  };

  // size is how long the head of an arrow is, by the width of its pen.
  const size = pen => 7 + 2 * pen;

  // head is the marker of arrows of one pen; its base is at the end of the line.
  const idOf = pen => "head-" + pen.toFixed(1).replace(".", "-");
  function head(pen) {
    const n = size(pen);
    return svg("marker",
      { id: idOf(pen), viewBox: "0 0 10 10", refX: 1, refY: 5, markerWidth: n, markerHeight: n,
        markerUnits: "userSpaceOnUse", orient: "auto", class: "arrowhead" }, svg("path", { d: "M0,0L10,5L0,10Z" }));
  }

  // heads are the markers of some arrows.
  const heads = arrows => [...new Set(arrows.map(a => a.pen))].map(head);

  // line is the path of an arrow, with its head.
  const line = (a, attributes) =>
    svg("path", { d: a.d, fill: "none", "stroke-width": a.pen, "marker-end": `url(#${idOf(a.pen)})`, ...attributes });

  // route gives arrows from box to box, by way of the points inner, their paths d. In a column of boxes or labels,
  // which have their middle at one x, an arrow is level as far as the widest of them reaches: so it crosses none.
  function route(arrows, boxes) {
    const sides = new Map();
    const join = (box, p, set) => {
      const sign = p.x >= box.x ? 1 : -1, key = box.id + " " + sign;
      if (!sides.has(key)) sides.set(key, { box, sign, ends: [] });
      sides.get(key).ends.push({ y: p.y, set });
    };
    for (const a of arrows) {
      join(a.from, a.inner[0], p => { a.start = p; });
      join(a.to, a.inner[a.inner.length - 1], p => { a.end = p; });
    }
    for (const { box, sign, ends } of sides.values()) { // the ends at one side lie apart
      const step = Math.min(16, 2 * Math.max(0, box.high - 6) / ends.length);
      ends.sort((a, b) => a.y - b.y);
      ends.forEach((e, i) =>
        e.set({ x: box.x + sign * box.half, y: box.y + (i - (ends.length - 1) / 2) * step, sign }));
    }
    const columns = [...boxes, ...arrows.map(a => a.label)];
    const reach = x => Math.max(0, ...columns.filter(c => Math.abs(x - c.x) <= 1).map(c => c.half));
    for (const a of arrows) {
      const { start, end } = a, sign = end.x >= start.x ? 1 : -1, head = size(a.pen) - 1;
      const edge = (box, p, room) => ({ x: box.x + p.sign * (reach(box.x) + room), y: p.y });
      const base = { x: end.x + end.sign * head, y: end.y };
      const way = [edge(a.from, start, 0), ...a.inner.flatMap(p => reach(p.x) ?
        [{ x: p.x - sign * reach(p.x), y: p.y }, { x: p.x + sign * reach(p.x), y: p.y }] : [p]), edge(a.to, end, head),
        base];
      let { x, y } = start;
      a.d = "M" + at(x, y);
      for (const p of way) {
        const middle = (x + p.x) / 2;
        a.d += `C${at(middle, y)} ${at(middle, p.y)} ${at(p.x, p.y)}`;
        ({ x, y } = p);
      }
    }
  }

  // loop is the path of an arrow from a box to itself, over a label of that height above the box.
  const loopRoom = height => height + 14;
  function loop(box, height, pen) {
    const side = box.half - 6, top = box.y - box.high, up = (height + 9) / 0.75;
    return "M" + at(box.x - side, top) + `C${at(box.x - side, top - up)} ${at(box.x + side, top - up)} ` +
      at(box.x + side, top - size(pen) + 1);
  }

  return { svg, heads, line, route, loop, loopRoom };
})();
