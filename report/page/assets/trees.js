"use strict";
// Trees of rows, grouped step by step along paths. The shape of a tree is that of
// all rows and made once, as far as it is looked into; what a filter changes is
// the sums, which are differences of running totals.
(function (C) {
  const kept = 6; // shapes that are remembered

  // Paths hold a list of keys for each row, one after the other in one column:
  // key numbers are small. add(row, put) puts the keys of a row.
  function paths(m, add) {
    const start = new Int32Array(m.rows + 1);
    let column = new Int32Array(Math.max(64, 16 * m.rows)), n = 0;
    const put = key => {
      if (n === column.length) { const more = new Int32Array(2 * n); more.set(column); column = more; }
      column[n++] = key;
    };
    for (let i = 0; i < m.rows; i++) {
      add(i, put);
      start[i + 1] = n;
    }
    return { start, column };
  }

  // Shape is a tree of all rows: those of a node stand together in one order.
  class Shape {
    constructor(m, size, add) {
      this.m = m;
      this.size = size;
      this.paths = paths(m, add);
      this.order = Int32Array.from({ length: m.rows }, (_, i) => i);
      this.nodes = [{ key: -1, from: 0, to: m.rows, depth: -1, kids: null }];
      this.spare = new Int32Array(m.rows);
    }
    // kids returns the children of a node. The rows of each are put together.
    kids(node) {
      if (node.kids) return node.kids;
      const { start, column } = this.paths, { order, spare } = this, depth = node.depth + 1,
        slots = C.slots(this.m, this.size), kids = [];
      let ended = 0;
      for (let r = node.from; r < node.to; r++) {
        const i = order[r];
        if (start[i + 1] - start[i] <= depth) { ended++; continue; }
        const key = column[start[i] + depth];
        if (slots[key] < 0) { slots[key] = kids.length; kids.push({ key, from: 0, to: 0, depth, kids: null }); }
        kids[slots[key]].to++;
      }
      let at = node.from + ended;
      for (const kid of kids) { const count = kid.to; kid.from = kid.to = at; at += count; }
      let behind = node.from;
      for (let r = node.from; r < node.to; r++) {
        const i = order[r];
        if (start[i + 1] - start[i] <= depth) spare[behind++] = i;
        else spare[kids[slots[column[start[i] + depth]]].to++] = i;
      }
      order.set(spare.subarray(node.from, node.to), node.from);
      for (const kid of kids) slots[kid.key] = -1;
      if (this.s) this.sum(node.from, node.to);
      return node.kids = kids;
    }
    // select makes the running totals of a selection.
    select(s) {
      this.s = s;
      this.ns = new Float64Array(this.m.rows + 1);
      this.waits = new Float64Array(this.m.rows + 1);
      this.seen = new Int32Array(this.m.rows + 1);
      this.sum(0, this.m.rows);
    }
    sum(from, to) {
      const { s, order, ns, waits, seen } = this;
      for (let r = from; r < to; r++) {
        const i = order[r];
        ns[r + 1] = ns[r] + s.ns[i];
        waits[r + 1] = waits[r] + s.waits[i];
        seen[r + 1] = seen[r] + s.seen[i];
      }
    }
  }

  // Node is a node of a shape with the sums of a selection.
  class Node {
    constructor(shape, at) {
      this.shape = shape;
      this.at = at;
      this.key = at.key;
      this.depth = at.depth;
      this.ns = shape.ns[at.to] - shape.ns[at.from];
      this.waits = shape.waits[at.to] - shape.waits[at.from];
      this.list = null;
    }
    of(at) { return new Node(this.shape, at); }
    // wider returns the children that have at least so much, the largest first.
    wider(least) {
      const { shape } = this, out = [];
      for (const kid of shape.kids(this.at)) {
        if (shape.seen[kid.to] > shape.seen[kid.from] && shape.ns[kid.to] - shape.ns[kid.from] >= least) out.push(
          new Node(shape, kid));
      }
      return C.order(out, n => n.ns);
    }
    get children() { return this.list || (this.list = this.wider(0)); }
    // top returns the largest children, and how many others there are with how much.
    top(n) {
      const { shape } = this, best = [];
      let others = 0, ns = 0;
      for (const kid of shape.kids(this.at)) {
        if (shape.seen[kid.to] === shape.seen[kid.from]) continue;
        const sum = shape.ns[kid.to] - shape.ns[kid.from];
        others++;
        ns += sum;
        if (best.length === n && sum <= best[n - 1].ns) continue;
        let at = best.length;
        while (at > 0 && best[at - 1].ns < sum) at--;
        best.splice(at, 0, { ns: sum, kid });
        if (best.length > n) best.pop();
      }
      return { list: best.map(b => new Node(shape, b.kid)), others: others - best.length,
        ns: ns - best.reduce((a, b) => a + b.ns, 0) };
    }
    get leaf() {
      const { order, paths, s } = this.shape;
      for (let r = this.at.from; r < this.at.to; r++) {
        const i = order[r];
        if (s.seen[i] && paths.start[i + 1] - paths.start[i] > this.depth + 1) return false;
      }
      return true;
    }
    get rows() { return this.shape.order.subarray(this.at.from, this.at.to).filter(i => this.shape.s.seen[i]); }
  }

  // tree sums a selection along paths; name tells the shape, which is made of
  // keys below size by add(row, put).
  C.tree = function (s, name, size, add) {
    const shapes = s.model.shapes || (s.model.shapes = new Map()),
      shape = shapes.get(name) || new Shape(s.model, size, add);
    shapes.delete(name); // the one used last is the last one
    shapes.set(name, shape);
    if (shapes.size > kept) shapes.delete(shapes.keys().next().value);
    shape.select(s);
    return new Node(shape, shape.nodes[0]);
  };

  // stackTree is that of the frames of a column of stacks, from the end that is
  // chosen.
  C.stackTree = function (s, name, column, from) {
    const t = s.model.stacks;
    return C.tree(s, "stacks " + name + " " + from, t.method.length,
      (i, put) => t.walk(column[i], from === "outermost", n => put(t.frame[n])));
  };

  // pivotTree is that of the values of some columns.
  C.pivotTree = function (s, names) {
    const columns = names.map(s.column);
    return C.tree(s, "pivot " + s.blame + " " + names.join(), Math.max(...columns.map(c => c.size)),
      (i, put) => { for (const c of columns) put(c.of[i]); });
  };
})(window.contend);
