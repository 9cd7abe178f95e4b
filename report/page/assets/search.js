"use strict";
// Search: what is typed is looked for as it stands, in locks, groups and
// methods; nothing that can be typed is an error.
(function (C) {
  const most = 12;

  // names lists everything that can be found, with its waiting in a selection.
  function names(s) {
    const m = s.model, sums = new Map();
    const add = (kind, name, ns) => {
      const k = kind + "\n" + name, sum = sums.get(k);
      if (sum) sum.ns += ns;
      else sums.set(k, { kind, name, ns });
    };
    const stacked = (kind, column) => {
      for (const g of C.groupBy(s, s.some, i => column[i])) {
        const seen = new Set();
        for (const n of m.stacks.frames(g.key)) {
          const name = m.stacks.name(n);
          if (!seen.has(name)) add(kind, name, g.ns);
          seen.add(name);
        }
      }
    };
    for (const i of s.some) {
      add("class", m.locks[m.lock[i]].class, s.ns[i]);
      add("lock", m.locks[m.lock[i]].name, s.ns[i]);
      add("waiter", m.groups[m.waiterGroup[i]], s.ns[i]);
      add("owner", m.groups[m.ownerGroup[i]], s.ns[i]);
    }
    stacked("ownerFrame", s.owner);
    stacked("waiterFrame", m.waiterStack);
    return [...sums.values()];
  }

  let cached = {};
  C.find = function (s, text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    if (cached.of !== s) cached = { of: s, names: names(s) };
    return C.order(cached.names.filter(n => n.name.toLowerCase().includes(wanted)), n => n.ns).slice(0, most);
  };
})(window.contend);
