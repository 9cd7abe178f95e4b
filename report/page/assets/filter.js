"use strict";
// The one filter, and what else is chosen. It lives in the URL's hash, so that
// back, reload and a link that is passed on show the same.
(function (C) {
  // kinds are what a filter selects by. flag is contend's, if it has one.
  C.kinds = {
    lock: { label: "lock" },
    class: { label: "class" },
    waiter: { label: "waiting group" },
    owner: { label: "owning group" },
    frame: { label: "frame" },
    ownerSite: { label: "taken at" },
    waiterSite: { label: "waits at" },
    doing: { label: "owner was" },
    ownerFrame: { label: "frame of the owner" },
    waiterFrame: { label: "frame of the waiter" },
    known: { label: "owner known" },
  };

  // choices are what can be chosen besides; the first value is the default.
  const choices = {
    view: ["holders", "flame", "pivot", "who", "longest", "deadlocks", "compare", "about"],
    blame: ["direct", "root"],
    by: ["lock", "class"],
    flame: ["owners", "waiters", "chain"],
    from: ["outermost", "innermost"],
    up: ["down", "up"],
    tree: ["innermost", "outermost"],
    nodes: ["group", "method"],
  };

  // nothing is what owners are at of whom nothing is told.
  C.nothing = "running or unknown";

  C.defaultPivot = ["class", "owner-site", "waiter-site"];

  // read makes a state of a hash; what it does not know it leaves out.
  C.read = function (hash) {
    const q = new URLSearchParams(hash.replace(/^#/, "")), s = { filter: {} };
    for (const kind in C.kinds) if (q.has(kind)) s.filter[kind] = q.getAll(kind);
    const time = /^(\d+)-(\d+)$/.exec(q.get("time") || "");
    if (time && +time[1] < +time[2]) s.filter.time = [+time[1], +time[2]];
    for (const name in choices) s[name] = choices[name].includes(q.get(name)) ? q.get(name) : choices[name][0];
    const keys = (q.get("pivot") || "").split(",").filter((k, i, all) => C.pivotKeys[k] && all.indexOf(k) === i);
    s.pivot = keys.length ? keys : C.defaultPivot;
    if (s.blame === "root") s.pivot = [...new Set(s.pivot.map(k => C.pivotKeys[k].direct ? "owner-method" : k))]; // sites are told of direct owners alone
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

  C.only = function (change) {
    const filter = { ...C.state.filter };
    for (const kind in change) filter[kind] = [change[kind]];
    C.set({ filter });
  };

  C.filtered = f => Object.keys(f).some(k => f[k] && f[k].length);

  // passes marks the rows of a model that a filter lets through, whenever they
  // waited.
  C.passes = function (m, f) {
    const ok = new Uint8Array(m.rows).fill(1), tests = [];
    const among = (kind, names) => {
      const wanted = new Set(f[kind]);
      return Uint8Array.from(names, n => wanted.has(n) ? 1 : 0);
    };
    const has = kind => f[kind] && f[kind].length;
    if (has("lock")) tests.push([m.lock, among("lock", m.locks.map(l => l.name))]);
    if (has("class")) tests.push([m.lock, among("class", m.locks.map(l => l.class))]);
    if (has("waiter")) tests.push([m.waiterGroup, among("waiter", m.groups)]);
    if (has("owner")) tests.push([m.ownerGroup, among("owner", m.groups)]);
    if (has("known")) tests.push([m.provenance, among("known", m.known)]);
    if (has("ownerSite")) tests.push([m.ownerSite, among("ownerSite", m.stacks.names)]);
    if (has("doing")) tests.push([m.doing.map(d => d < 0 ? m.stacks.names.length : d), among("doing", m.stacks.names.concat(C.nothing))]);
    if (has("waiterSite")) tests.push([m.waiterSite, among("waiterSite", m.stacks.names)]);
    if (has("ownerFrame")) tests.push([C.state.blame === "root" ? m.rootStack : m.ownerStack, m.stacks.holding(new Set(f.ownerFrame))]);
    if (has("waiterFrame")) tests.push([m.waiterStack, m.stacks.holding(new Set(f.waiterFrame))]);
    for (const [column, mask] of tests) for (let i = 0; i < ok.length; i++) ok[i] &= mask[column[i]];
    if (has("frame")) {
      const mask = m.stacks.holding(new Set(f.frame));
      for (let i = 0; i < ok.length; i++) ok[i] &= mask[m.waiterStack[i]] | mask[m.ownerStack[i]] | mask[m.rootStack[i]];
    }
    return ok;
  };

  // window returns the bins a filter selects, [from, to).
  C.window = function (m, f) {
    if (!f.time) return [0, m.bins];
    return [Math.max(0, Math.floor(f.time[0] / m.bin)), Math.min(m.bins, Math.ceil(f.time[1] / m.bin))];
  };

  // stretch is how long the selected time is.
  C.stretch = (m, f) => f.time ? Math.max(0, Math.min(f.time[1], m.duration) - f.time[0]) : m.duration;
})(window.contend);
