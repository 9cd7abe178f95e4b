"use strict";
// Search: what is typed is looked for as it stands, in locks, groups and
// methods; nothing that can be typed is an error.
(function (C) {
  const most = 12;

  // names lists everything that can be found, with its waiting in a selection.
  function names(s) {
    const m = s.model, sums = new Map();
    const add = (kind, name, ns, whole) => {
      const k = kind + "\n" + name, sum = sums.get(k);
      if (sum) sum.ns += ns;
      else sums.set(k, { kind, name, ns, text: (name + "\n" + (whole || "")).toLowerCase() });
    };
    const stacked = (kind, of) => {
      for (const g of C.groupBy(s, s.some, { of, size: m.stacks.caller.length, text: () => "" })) {
        const seen = new Set();
        for (const n of m.stacks.frames(g.key)) {
          const name = m.stacks.name(n);
          if (!seen.has(name)) add(kind, name, g.ns);
          seen.add(name);
        }
      }
    };
    const groups = name => C.groupBy(s, s.some, s.column(name)),
      alone = new Set(m.locks.filter(l => !l.number).map(l => l.shown));
    for (const g of groups("class")) add("class", g.text, g.ns, m.classes[g.key].name);
    for (const g of groups("place")) if (!alone.has(g.text)) add("place", g.text, g.ns);
    for (const g of groups("lock")) add("lock", g.text, g.ns, m.locks[g.key].name);
    for (const g of groups("waiter-group")) add("waiter", g.text, g.ns);
    for (const g of groups("owner-group")) add("owner", g.text, g.ns);
    stacked("ownerFrame", s.owner);
    stacked("waiterFrame", m.waiterStack);
    return [...sums.values()];
  }

  let cached = {};
  C.find = function (s, text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    if (cached.of !== s) cached = { of: s, names: names(s) };
    return C.order(cached.names.filter(n => n.text.includes(wanted)), n => n.ns).slice(0, most);
  };
})(window.contend);
