"use strict";
// Sums of rows: everything the page shows is one of them, of the whole data,
// never of what is drawn.
(function (C) {
  // select sums the rows that a filter lets through, inside its time.
  C.select = function (m, f, blame) {
    blame = blame || C.state.blame;
    const ok = C.passes(m, f, blame), [from, to] = C.window(m, f), side = m.sides[blame], some = new Int32Array(m.rows);
    const s =
      { model: m, blame, side, owner: side.stack, ok, from, to, ns: new Float64Array(m.rows),
        waits: new Int32Array(m.rows), seen: new Uint8Array(m.rows), total: 0, begun: 0, locks: 0, locksBegun: 0,
        span: C.selectedNs(m, f) };
    const { first, cellBin, cellNs, cellWaits } = m;
    let count = 0;
    for (let i = 0; i < m.rows; i++) {
      if (!ok[i]) continue;
      let ns = 0, waits = 0, seen = 0;
      for (let c = first[i], end = first[i + 1]; c < end; c++) {
        if (cellBin[c] < from || cellBin[c] >= to) continue;
        ns += cellNs[c];
        waits += cellWaits[c];
        seen = 1;
      }
      if (!seen) continue;
      s.ns[i] = ns;
      s.waits[i] = waits;
      s.seen[i] = 1;
      s.total += ns;
      s.begun += waits;
      if (!m.locks[m.lock[i]].resource) { s.locks += ns; s.locksBegun += waits; }
      some[count++] = i;
    }
    s.some = some.subarray(0, count);
    s.running = m.running.slice(from, to).reduce((a, b) => a + b, 0);
    s.column = name => C.column(m, blame, name);
    return s;
  };

  // slots is room for a number by key, -1 in all of it between two uses.
  C.slots = function (m, size) {
    if (!m.slots || m.slots.length < size) m.slots = new Int32Array(size).fill(-1);
    return m.slots;
  };

  // Group is what some rows have in common: the number of a column.
  class Group {
    constructor(column, key) {
      this.column = column;
      this.key = key;
      this.ns = this.waits = this.count = this.to = 0;
      this.sorted = null;
    }
    get text() { return this.column.text(this.key); }
    get rows() { return this.sorted.subarray(this.to - this.count, this.to); }
  }

  // groupBy sums rows by a column, the largest group first.
  C.groupBy = function (s, rows, column) {
    const slots = C.slots(s.model, column.size), groups = [], { of } = column;
    for (let r = 0; r < rows.length; r++) {
      const i = rows[r], key = of[i];
      let g = slots[key];
      if (g < 0) { g = slots[key] = groups.length; groups.push(new Group(column, key)); }
      const group = groups[g];
      group.ns += s.ns[i];
      group.waits += s.waits[i];
      group.count++;
    }
    const sorted = new Int32Array(rows.length); // rows of a group stand together
    let at = 0;
    for (const g of groups) { g.sorted = sorted; g.to = at; at += g.count; }
    for (let r = 0; r < rows.length; r++) sorted[groups[slots[of[rows[r]]]].to++] = rows[r];
    for (const g of groups) slots[g.key] = -1;
    return C.order(groups, g => g.ns);
  };

  // overTime sums all time of the rows the filter lets through by bin: for the
  // numbers of a column that are asked for, and all of them.
  C.overTime = function (s, by) {
    const m = s.model, { of, size } = s.column(by), made = new Map(), { first, cellBin, cellNs } = m;
    const sum = wanted => {
      const sums = new Float64Array(m.bins);
      for (let i = 0; i < m.rows; i++) if (s.ok[i] && wanted(of[i])) for (let c = first[i]; c < first[i + 1];
        c++) sums[cellBin[c]] += cellNs[c];
      return sums;
    };
    const some = new Uint8Array(size);
    for (let i = 0; i < m.rows; i++) if (s.ok[i]) some[of[i]] = 1;
    return {
      all: sum(() => true),
      of: n => {
        if (!made.has(n) && some[n]) made.set(n, sum(k => k === n));
        return made.get(n);
      },
    };
  };

  // knownParts sums by how owners are known, in the order of C.known; what is no lock has none.
  C.knownParts = function (s, rows) {
    const parts = C.known.map(() => 0), m = s.model;
    for (const i of rows) if (!m.locks[m.lock[i]].resource) parts[s.model.knownAt[s.model.provenance[i]]] += s.ns[i];
    return parts;
  };

  // rightOf is the part of what is inferred of a lock's owners that is expected to be right.
  C.rightOf = function (m, lock) {
    const part = p => p.inferredNs > 0 ? (p.expectedRightNs - p.exactNs - p.sampledNs) / p.inferredNs : 1;
    m.right = m.right || { all: part(m.analyze.coverage.provenance),
      of: new Map(m.analyze.locks.map(l => [C.visible(l.lock), part(l.provenance)])) };
    const right = m.right.of.get(m.locks[lock].name);
    return Math.max(0, Math.min(1, right === undefined ? m.right.all : right));
  };

  // sureness sums how owners are known, and how much of what is inferred is expected to be right.
  C.sureness = function (s, rows) {
    const m = s.model, inferred = C.known.indexOf("inferred"), parts = C.knownParts(s, rows);
    let right = 0;
    for (const i of rows) if (!m.locks[m.lock[i]].resource && m.knownAt[m.provenance[i]] === inferred) {
      right += s.ns[i] * C.rightOf(m, m.lock[i]);
    }
    return { parts, right, whole: parts.reduce((a, ns) => a + ns, 0), sure: parts[0] + right };
  };

  // mainly returns the group that has most of some rows, if one has more than
  // half of them.
  C.mainly = function (s, rows, name) {
    const groups = C.groupBy(s, rows, s.column(name)), ns = groups.reduce((a, g) => a + g.ns, 0);
    return groups.length && groups[0].ns > 0.5 * ns ? groups[0] : null;
  };

  // mainDoing says what the owners of some rows were mostly at.
  C.mainDoing = function (s, rows) {
    const g = C.mainly(s, rows, "owner-doing");
    return g && g.text !== C.nothing && g.text[0] !== "[" ? g.text : "";
  };
})(window.contend);
