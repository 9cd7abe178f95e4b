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

  // overTime sums all time of the rows the filter lets through by bin, apart
  // for each key; key(row) is a number.
  C.overTime = function (s, key, keys) {
    const m = s.model, sums = Array.from({ length: keys }, () => null);
    for (let i = 0; i < m.rows; i++) {
      if (!s.ok[i]) continue;
      const k = key(i), sum = sums[k] || (sums[k] = new Float64Array(m.bins));
      for (let c = m.first[i]; c < m.first[i + 1]; c++) sum[m.cellBin[c]] += m.cellNs[c];
    }
    return sums;
  };

  // knownParts sums by how owners are known, in the order of C.known.
  C.knownParts = function (s, rows) {
    const parts = C.known.map(() => 0);
    for (const i of rows) parts[Math.max(0, C.known.indexOf(s.model.known[s.model.provenance[i]]))] += s.ns[i];
    return parts;
  };

  // pivotKeys are what rows can be summed by, under contend's own names.
  C.pivotKeys = {
    "class": { of: (s, i) => s.model.locks[s.model.lock[i]].class, filter: "class" },
    "lock": { of: (s, i) => s.model.locks[s.model.lock[i]].name, filter: "lock" },
    "owner-site": { direct: true, of: (s, i) => s.model.stacks.names[s.model.ownerSite[i]], filter: "ownerSite" },
    "owner-doing": { direct: true, of: (s, i) => s.model.doingOf(i) || C.nothing, filter: "doing" },
    "owner-method": { of: (s, i) => s.model.stacks.methodOf(s.owner[i]), filter: "ownerFrame" },
    "owner-stack": { of: (s, i) => s.owner[i], text: (s, node) => C.stackText(s.model, node) },
    "owner-group": { of: (s, i) => s.model.groups[s.model.ownerGroup[i]], filter: "owner" },
    "waiter-site": { of: (s, i) => s.model.stacks.names[s.model.waiterSite[i]], filter: "waiterSite" },
    "waiter-method": { of: (s, i) => s.model.stacks.methodOf(s.model.waiterStack[i]), filter: "waiterFrame" },
    "waiter-stack": { of: (s, i) => s.model.waiterStack[i], text: (s, node) => C.stackText(s.model, node) },
    "waiter-group": { of: (s, i) => s.model.groups[s.model.waiterGroup[i]], filter: "waiter" },
    "owner-known": { of: (s, i) => s.model.known[s.model.provenance[i]], filter: "known" },
  };

  // stackText writes a stack on one line, as contend's tables do.
  C.stackText = (m, node) => m.stacks.frames(node).map(n => m.stacks.text(n)).join(" < ");

  // mainDoing says what the owners of some rows were mostly at.
  C.mainDoing = function (s, rows) {
    const g = C.groupBy(s, rows, i => s.model.doing[i])[0], ns = rows.reduce((a, i) => a + s.ns[i], 0);
    return g && g.key >= 0 && g.ns > 0.5 * ns ? s.model.stacks.names[g.key] : "";
  };

  // tree groups rows step by step along a path of frames. path(row) lists keys;
  // children are made when they are asked for.
  C.tree = function (s, rows, path, name) {
    const memo = new Map();
    const along = i => {
      const id = path.id(i);
      let p = memo.get(id);
      if (!p) memo.set(id, p = path.of(i));
      return p;
    };
    const grow = (rows, depth) => C.groupBy(s, rows.filter(i => along(i).length > depth), i => along(i)[depth]).map(g => make(g, depth));
    const make = (g, depth) => {
      let kids;
      return { key: g.key, ns: g.ns, waits: g.waits, rows: g.rows, depth, get children() { return kids || (kids = grow(g.rows, depth + 1)); } };
    };
    return { key: name, ns: s.total, waits: s.begun, rows, depth: -1, children: grow(rows, 0) };
  };
})(window.contend);
