"use strict";
// The one flame graph of all pages: d3-flame-graph, without the room it leaves for a title, with names
// that are cut on the left, and with keys. Its element gets the property chart.
//
// Options are functions of a node of d3's hierarchy, whose data is a node of the tree ({value,
// children}): name, what is written in it; describe, its tooltip; colour; role, its class; hover and
// select are told of one, null for none. down turns the graph over.
window.contendFlame = function (box, tree, o) {
  const { flamegraph, select } = d3flame, cell = 18, least = 1.5; // pixels
  let current = null, zoomed = null, width = box.clientWidth;

  // depthOf is how many frames stand on each other that are wide enough to be drawn.
  function depthOf(n, narrow) {
    let deepest = 0;
    for (const k of n.children || []) if (k.value > narrow) deepest = Math.max(deepest, depthOf(k, narrow));
    return deepest + 1;
  }
  // fit makes the picture as high as what is drawn.
  function fit() {
    const top = zoomed ? zoomed.data : tree,
      rows = (zoomed ? zoomed.depth : 0) + depthOf(top, least * top.value / width);
    chart.width(width).height(rows * cell);
    select(box).select("svg").attr("height", rows * cell);
  }
  // mark gives frames their classes, and at once what the library would move them to step by step.
  function mark() {
    const high = +select(box).select("svg").attr("height");
    select(box).selectAll("g.frame").classed("here", d => d === current).each(function (d) {
      const y = o.down ? d.depth * cell : high - (d.depth + 1) * cell, text = this.querySelector("foreignObject");
      select(this).interrupt().attr("transform", `translate(${width * d.x0},${y})`);
      select(this.querySelector("rect")).interrupt().attr("width", text.getAttribute("width"));
      select(text.firstChild).interrupt().text(o.name(d));
      this.dataset.role = o.role(d);
    });
  }
  const chart = flamegraph().cellHeight(cell).minFrameSize(least).transitionDuration(0).inverted(!!o.down).sort(false)
    .title("").tooltip(false).getName(o.name).label(o.describe).setColorMapper(o.colour).onHover(d => o.hover(d))
    .onClick(d => { zoomed = d.parent ? d : null; redraw(); choose(d); });
  if (o.found) chart.setSearchHandler(o.found);
  chart.setSearchMatch((d, wanted) => o.matches(d, wanted));
  const root = () => select(box).datum();
  function redraw() { fit(); chart.update(); mark(); }
  function choose(d) { current = d; mark(); o.select(d); }

  // whole shows all of it again.
  function whole() { zoomed = current = null; chart.resetZoom(); redraw(); o.select(null); }

  // key acts upon a key, and says whether there was anything to do.
  function key(name) {
    const at = current || root(), kids = (at.children || []).filter(k => !k.data.hide),
      sisters = at.parent ? at.parent.children.filter(k => !k.data.hide) : [at], i = sisters.indexOf(at);
    const inner = () => kids.reduce((a, b) => a && a.data.value >= b.data.value ? a : b, null), outer = () => at.parent;
    const step = { ArrowUp: o.down ? outer : inner, ArrowDown: o.down ? inner : outer, ArrowLeft: () => sisters[i - 1],
      ArrowRight: () => sisters[i + 1] }[name];
    if (step) { const next = current ? step() : at; if (next) choose(next); return true; }
    if (name === "Enter" && current) { chart.zoomTo(current); return true; }
    if (name === "Escape") { whole(); return true; }
    return false;
  }
  chart.width(width);
  fit();
  select(box).datum(tree).call(chart);
  fit();
  mark();
  return box.chart = {
    key, whole, get current() { return current; }, get zoomed() { return zoomed; }, root,
    zoom: d => chart.zoomTo(d),
    search: text => { if (text) chart.search(text); else chart.clear(); mark(); },
    resize: () => { width = box.clientWidth; redraw(); },
    destroy: () => { chart.destroy(); select(box).datum(null); },
  };
};
