"use strict";
// The contend command that prints what is seen.
(function (C) {
  // quote writes a word for a shell.
  const quote = word => /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";

  // literal writes a regular expression that matches a text and no other.
  const literal = text => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const anyOf = texts => "^(" + texts.join("|") + ")$";

  // ofGroup matches the threads of a group: its numbers may be anywhere.
  const ofGroup = group => "[0-9]*" + [...group].map(c => literal(c) + "[0-9]*").join("");

  // named are the locks that some names are of, as flags select them. A command
  // line is no place for very many.
  const mostNames = 60;
  function named(m, is) {
    if (m.locks.some(l => l.resource && is(l))) return null; // flags select locks
    const names = [...new Set(m.locks.filter(is).map(l => l.name))];
    return names.length <= mostNames ? ["--lock", anyOf(names.map(literal))] : null;
  }

  // flags select what a kind of filter does; null where none does.
  const flags = {
    class: (m, v) =>
      m.locks.some(l => l.resource && v.includes(m.classes[l.class].shown)) ? null :
        ["--class", anyOf(m.classes.filter(c => v.includes(c.shown)).map(c => literal(c.name)))],
    lock: (m, v) => named(m, l => v.includes(l.shown)),
    place: (m, v) => named(m, l => v.includes(m.places[l.place])),
    // groups of goroutines are no names of theirs
    waiter: (m, v, given) => C.paths || given.includes("--thread") ? null : ["--thread", anyOf(v.map(ofGroup))],
  };

  // what each view is printed by.
  const views = {
    holders: s => ["blame", "--by", "owner-stack,waiter-stack"],
    flame: s => ["flame", "--view", { owners: "blame", waiters: "blocked", chain: "chain" }[s.flame], "-o",
      "flame.html"],
    pivot: s => ["blame", "--by", s.pivot.filter(k => k !== "owner-known").join() || "lock"],
    who: s => ["graph", "--by", s.nodes, "--matrix"],
    dumps: s => ["threads"],
    longest: s => ["hist", "--by", "lock"],
    why: (s, m) => ["why", ...C.whys(m, s.filter).slice(0, 1).map(w => "^" + literal(w.lock) + "$")],
    compare: s => ["diff"],
  };

  // command returns the words of a command line, and what of the filter it has
  // no flag for.
  C.command = function (m, s) {
    const words = ["contend", ...(views[s.view] || (() => ["analyze"]))(s, m)], missing = [];
    if (s.blame === "root" && /^(blame|graph)$/.test(words[1])) words.push("--root");
    const given = m.data.command, chosen = [];
    const one = words[1] === "why" || words[1] === "threads"; // wait, or the last dump, which no flag selects
    for (const kind in one ? {} : s.filter) {
      if (kind === "time" || !s.filter[kind].length) continue;
      const flag = flags[kind] && flags[kind](m, s.filter[kind], given);
      if (flag && !chosen.includes(flag[0])) chosen.push(...flag);
      else missing.push(C.kinds[kind].label);
    }
    if (s.filter.time && !one) {
      chosen.push("--from", s.filter.time[0] + m.shift + "ns", "--to", s.filter.time[1] + m.shift + "ns");
    }
    words.push(...chosen);
    const traces = s.view === "compare" && m.data.base ? m.data.base.command.concat(given) : given;
    for (let i = 0; i < traces.length; i++) { // what is chosen is part of what was given, and takes its place
      if (/^--/.test(traces[i]) && (chosen.includes(traces[i]) || one && traces[i] !== "--lock-rules")) i++;
      else words.push(traces[i]);
    }
    return { text: words.map(quote).join(" "), words, missing };
  };
})(window.contend);
