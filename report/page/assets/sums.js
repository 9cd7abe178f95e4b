"use strict";
// Sums of rows: everything the page shows is one of them, of the whole data,
// never of what is drawn.
(function (C) {
  // select sums the rows that a filter lets through, inside its time.
  C.select = function (m, f) {
    const ok = C.passes(m, f), [from, to] = C.window(m, f);
    const s = { model: m, ok, from, to, ns: new Float64Array(m.rows), waits: new Int32Array(m.rows), total: 0, begun: 0, some: [], span: C.stretch(m, f), blame: C.state.blame };
    for (let i = 0; i < m.rows; i++) {
      if (!ok[i]) continue;
      let ns = 0, waits = 0, met = false;
      for (let c = m.first[i], end = m.first[i + 1]; c < end; c++) {
        if (m.cellBin[c] < from || m.cellBin[c] >= to) continue;
        ns += m.cellNs[c];
        waits += m.cellWaits[c];
        met = true;
      }
      if (!met) continue;
      s.ns[i] = ns;
      s.waits[i] = waits;
      s.total += ns;
      s.begun += waits;
      s.some.push(i);
    }
    s.owner = s.blame === "root" ? m.rootStack : m.ownerStack;
    s.running = m.running.slice(from, to).reduce((a, b) => a + b, 0);
    return s;
  };

  // groupBy sums selected rows by a key; key(row) is a number or a text.
  C.groupBy = function (s, rows, key) {
    const sums = new Map();
    for (const i of rows) {
      const k = key(i);
      let sum = sums.get(k);
      if (!sum) sums.set(k, sum = { key: k, ns: 0, waits: 0, rows: [] });
      sum.ns += s.ns[i];
      sum.waits += s.waits[i];
      sum.rows.push(i);
    }
    return C.order([...sums.values()], g => g.ns);
  };

  // overTime sums all time of the rows the filter lets through by bin, for
  // the locks or classes that are asked for: of(name), and all of them.
  C.overTime = function (s, by) {
    const m = s.model, [names, number] = by === "class" ? [m.classes, m.classOf] : [m.names, m.nameOf], rows = names.map(() => null), made = new Map();
    const add = (sums, i) => { for (let c = m.first[i]; c < m.first[i + 1]; c++) sums[m.cellBin[c]] += m.cellNs[c]; };
    const all = new Float64Array(m.bins), place = new Map(names.map((name, n) => [name, n]));
    for (let i = 0; i < m.rows; i++) {
      if (!s.ok[i]) continue;
      const n = number[m.lock[i]];
      (rows[n] || (rows[n] = [])).push(i);
      add(all, i);
    }
    const of = name => {
      let sums = made.get(name);
      if (!sums && rows[place.get(name)]) {
        made.set(name, sums = new Float64Array(m.bins));
        for (const i of rows[place.get(name)]) add(sums, i);
      }
      return sums;
    };
    return { of, all };
  };

  // knownParts sums by how owners are known, in the order of C.known.
  C.knownParts = function (s, rows) {
    const parts = C.known.map(() => 0);
    for (const i of rows) parts[s.model.knownAt[s.model.provenance[i]]] += s.ns[i];
    return parts;
  };

  // pivotKeys are what rows can be summed by, under contend's own names: of
  // gives the number of a row's value, text says what a number means. What is
  // told of direct owners alone is marked.
  const ofNames = { text: (m, n) => m.stacks.names[n], size: m => m.stacks.names.length };
  const ofStacks = { text: (m, node) => C.stackText(m, node), size: m => m.stacks.caller.length };
  const ofGroups = { text: (m, n) => m.groups[n], size: m => m.groups.length };
  C.pivotKeys = {
    "class": { of: (s, i) => s.model.classOf[s.model.lock[i]], text: (m, n) => m.classes[n], size: m => m.classes.length, filter: "class" },
    "lock": { of: (s, i) => s.model.lock[i], text: (m, n) => m.locks[n].name, size: m => m.locks.length, filter: "lock" },
    "owner-site": { ...ofNames, direct: true, of: (s, i) => s.model.ownerSite[i], filter: "ownerSite" },
    "owner-doing": { direct: true, of: (s, i) => s.model.doing[i] + 1, text: (m, n) => n ? m.stacks.names[n - 1] : C.nothing, size: m => m.stacks.names.length + 1, filter: "doing" },
    "owner-method": { ...ofNames, of: (s, i) => s.model.stacks.methodAt(s.owner[i]), filter: "ownerFrame" },
    "owner-stack": { ...ofStacks, of: (s, i) => s.owner[i] },
    "owner-group": { ...ofGroups, of: (s, i) => s.model.ownerGroup[i], filter: "owner" },
    "waiter-site": { ...ofNames, of: (s, i) => s.model.waiterSite[i], filter: "waiterSite" },
    "waiter-method": { ...ofNames, of: (s, i) => s.model.stacks.methodAt(s.model.waiterStack[i]), filter: "waiterFrame" },
    "waiter-stack": { ...ofStacks, of: (s, i) => s.model.waiterStack[i] },
    "waiter-group": { ...ofGroups, of: (s, i) => s.model.waiterGroup[i], filter: "waiter" },
    "owner-known": { of: (s, i) => s.model.provenance[i], text: (m, n) => m.known[n], size: m => m.known.length, filter: "known" },
  };

  // stackText writes a stack on one line, as contend's tables do.
  C.stackText = (m, node) => m.stacks.frames(node).map(n => m.stacks.text(n)).join(" < ");

  // mainDoing says what the owners of some rows were mostly at.
  C.mainDoing = function (s, rows) {
    const g = C.groupBy(s, rows, i => s.model.doing[i])[0], ns = rows.reduce((a, i) => a + s.ns[i], 0);
    return g && g.key >= 0 && g.ns > 0.5 * ns ? s.model.stacks.names[g.key] : "";
  };

  // Paths hold a list of keys for each selected row, one after the other in one
  // column: key numbers are small. add(row, put) puts the keys of a row.
  C.paths = function (s, keys, add) {
    const m = s.model, start = new Int32Array(m.rows), length = new Int32Array(m.rows);
    let column = new Int32Array(Math.max(64, 16 * s.some.length)), n = 0;
    const put = key => {
      if (n === column.length) { const more = new Int32Array(2 * n); more.set(column); column = more; }
      column[n++] = key;
    };
    for (const i of s.some) {
      start[i] = n;
      add(i, put);
      length[i] = n - start[i];
    }
    return { start, length, column, slots: new Int32Array(keys).fill(-1) };
  };

  // grow groups rows by the keys their paths have at a depth.
  function grow(s, p, rows, depth) {
    const nodes = [], slots = p.slots;
    let count = 0;
    for (let r = 0; r < rows.length; r++) {
      const i = rows[r];
      if (p.length[i] <= depth) continue;
      const key = p.column[p.start[i] + depth];
      let g = slots[key];
      if (g < 0) { g = slots[key] = nodes.length; nodes.push(new Node(s, p, key, depth)); }
      const node = nodes[g];
      node.ns += s.ns[i];
      node.waits += s.waits[i];
      node.count++;
      count++;
    }
    const sorted = new Int32Array(count); // rows of a node stand together
    let at = 0;
    for (const node of nodes) { node.list = sorted; node.from = node.to = at; at += node.count; }
    for (let r = 0; r < rows.length; r++) {
      const i = rows[r];
      if (p.length[i] > depth) sorted[nodes[slots[p.column[p.start[i] + depth]]].to++] = i;
    }
    for (const node of nodes) slots[node.key] = -1;
    return nodes.sort((a, b) => b.ns - a.ns);
  }

  // Node is one step of paths: its children are made when they are asked for.
  class Node {
    constructor(s, p, key, depth) {
      this.s = s;
      this.p = p;
      this.key = key;
      this.depth = depth;
      this.ns = this.waits = this.count = this.from = this.to = 0;
      this.list = this.kids = null;
    }
    get rows() { return this.list.subarray(this.from, this.to); }
    get children() { return this.kids || (this.kids = grow(this.s, this.p, this.rows, this.depth + 1)); }
    get leaf() {
      if (this.kids) return this.kids.length === 0;
      for (let r = this.from; r < this.to; r++) if (this.p.length[this.list[r]] > this.depth + 1) return false;
      return true;
    }
  }

  // tree groups the selected rows step by step along their paths.
  C.tree = function (s, paths) {
    const root = new Node(s, paths, -1, -1);
    root.ns = s.total;
    root.waits = s.begun;
    root.list = Int32Array.from(s.some);
    root.to = root.list.length;
    return root;
  };

  // stackPaths are the frames of a stack of each row, from the end that is
  // chosen.
  C.stackPaths = function (s, column, from) {
    const t = s.model.stacks;
    return C.paths(s, t.method.length, (i, put) => t.walk(column[i], from === "outermost", n => put(t.frame[n])));
  };

  // pivotPaths are the values of keys of each row.
  C.pivotPaths = function (s, names) {
    const keys = names.map(k => C.pivotKeys[k]);
    return C.paths(s, Math.max(...keys.map(k => k.size(s.model))), (i, put) => { for (const k of keys) put(k.of(s, i)); });
  };
})(window.contend);
