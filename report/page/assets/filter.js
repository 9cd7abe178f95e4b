"use strict";
// The one filter, and what else is chosen. It lives in the URL's hash, so that
// back, reload and a link that is passed on show the same.
(function (C) {
  // kinds are what a filter selects by.
  C.kinds = {
    lock: { label: "lock", column: "lock" },
    place: { label: "lock", column: "place" },
    class: { label: "class", column: "class" },
    waiter: { label: "waiting group", column: "waiter-group" },
    owner: { label: "owning group", column: "owner-group" },
    frame: { label: "frame" },
    ownerSite: { label: "taken at", column: "owner-site" },
    waiterSite: { label: "waits at", column: "waiter-site" },
    doing: { label: "owner was", column: "owner-doing" },
    blockedOn: { label: "owner blocked on", column: "owner-blocked-on" },
    rootLock: { label: "chain ends at", column: "root-lock" },
    ownerFrame: { label: "frame of the owner" },
    waiterFrame: { label: "frame of the waiter" },
    known: { label: "owner known", column: "owner-known" },
  };

  // choices are what can be chosen besides; the first value is the default.
  const choices = {
    // the first there is
    view: ["", "deadlocks", "holders", "threads", "flame", "pivot", "who", "dumps", "longest", "why", "compare", "about"],
    blame: ["direct", "root"],
    by: ["place", "lock", "class"],
    flame: ["owners", "waiters", "chain"],
    from: ["outermost", "innermost"],
    up: ["down", "up"],
    tree: ["site", "innermost", "outermost"],
    nodes: ["group", "method"],
  };

  C.defaultPivot = ["class", "owner-site", "waiter-site"];

  // read makes a state of a hash; what it does not know it leaves out.
  C.read = function (hash) {
    const q = new URLSearchParams(hash.replace(/^#/, "")), s = { filter: {} };
    for (const kind in C.kinds) if (q.has(kind)) s.filter[kind] = q.getAll(kind);
    const time = /^(\d+)-(\d+)$/.exec(q.get("time") || "");
    if (time && +time[1] < +time[2]) s.filter.time = [+time[1], +time[2]];
    for (const name in choices) s[name] = choices[name].includes(q.get(name)) ? q.get(name) : choices[name][0];
    const keys =
      (q.get("pivot") || "").split(",").filter((k, i, all) => C.pivotKeys.includes(k) && all.indexOf(k) === i);
    s.pivot = keys.length ? keys : C.defaultPivot;
    return s;
  };

  C.write = function (s) {
    const q = new URLSearchParams();
    for (const kind in C.kinds) for (const v of s.filter[kind] || []) q.append(kind, v);
    if (s.filter.time) q.set("time", s.filter.time.join("-"));
    for (const name in choices) if (s[name] !== choices[name][0]) q.set(name, s[name]);
    if (s.pivot.join() !== C.defaultPivot.join()) q.set("pivot", s.pivot.join());
    return "#" + q;
  };

  // set changes a part of the state: it is a step that back undoes.
  C.set = function (change) {
    const hash = C.write({ ...C.state, ...change });
    if (hash !== (location.hash || "#")) location.hash = hash;
  };

  C.narrow = function (change) { C.set({ filter: { ...C.state.filter, ...change } }); };

  // toggle adds a value to the filter, or takes it out.
  C.toggle = function (kind, value) {
    const has = C.state.filter[kind] || [];
    C.narrow({ [kind]: has.includes(value) ? has.filter(v => v !== value) : [...has, value] });
  };

  C.only = function (change, more) {
    const filter = { ...C.state.filter };
    for (const kind in change) filter[kind] = [change[kind]];
    C.set({ filter, ...more });
  };

  C.filtered = f => Object.keys(f).some(k => f[k] && f[k].length);

  // wanted reports whether a text is among those asked for: all that owners were
  // blocked on are asked for by one word.
  C.wanted = (list, text) => list.includes(text) || text.startsWith("blocked on ") && list.includes("blocked");

  // passes marks the rows of a model that a filter lets through, whenever they
  // waited.
  C.passes = function (m, f, blame) {
    const ok = new Uint8Array(m.rows).fill(1), side = m.sides[blame];
    const keep = (of, mask) => { for (let i = 0; i < ok.length; i++) ok[i] &= mask[of[i]]; };
    for (const kind in C.kinds) {
      if (!f[kind] || !f[kind].length || !C.kinds[kind].column) continue;
      const column = C.column(m, blame, C.kinds[kind].column), mask = new Uint8Array(column.size);
      for (let n = 0; n < mask.length; n++) mask[n] = C.wanted(f[kind], column.text(n)) ? 1 : 0;
      keep(column.of, mask);
    }
    const holding = names => m.stacks.holding(new Set(names));
    if (f.ownerFrame && f.ownerFrame.length) keep(side.stack, holding(f.ownerFrame));
    if (f.waiterFrame && f.waiterFrame.length) keep(m.waiterStack, holding(f.waiterFrame));
    if (f.frame && f.frame.length) {
      const mask = holding(f.frame);
      for (let i = 0; i < ok.length;
        i++) ok[i] &= mask[m.waiterStack[i]] | mask[m.ownerStack[i]] | mask[m.rootStack[i]];
    }
    return ok;
  };

  // window returns the bins a filter selects, [from, to).
  C.window = function (m, f) {
    if (!f.time) return [0, m.bins];
    return [Math.max(0, Math.floor(f.time[0] / m.bin)), Math.min(m.bins, Math.ceil(f.time[1] / m.bin))];
  };

  // selectedNs is how much of the selected bins was recorded; averages are over it.
  C.selectedNs = function (m, f) {
    if (!f.time) return m.elapsed;
    const [first, last] = C.window(m, f).map(bin => bin * m.bin);
    return m.recorded.reduce((ns, [from, to, known]) =>
      ns + Math.max(0, Math.min(to, last) - Math.max(from, first)) * known, 0);
  };
})(window.contend);
