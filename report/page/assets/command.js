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

  const flags = {
    class: v => ["--class", anyOf(v.map(literal))],
    lock: v => ["--lock", anyOf(v.map(literal))],
    waiter: v => ["--thread", anyOf(v.map(ofGroup))],
  };

  // what each view is printed by.
  const views = {
    holders: s => ["blame", "--by", "owner-stack,waiter-stack"],
    flame: s => ["flame", "--view", { owners: "blame", waiters: "blocked", chain: "chain" }[s.flame], "-o", "flame.html"],
    pivot: s => ["blame", "--by", s.pivot.filter(k => k !== "owner-known").join() || "lock"],
    who: s => ["graph", "--by", s.nodes, "--matrix"],
    longest: s => ["hist", "--by", "lock"],
    compare: s => ["diff"],
  };

  // command returns the words of a command line, and what of the filter it has
  // no flag for.
  C.command = function (m, s) {
    const words = ["contend", ...(views[s.view] || (() => ["analyze"]))(s)], missing = [];
    if (s.blame === "root" && /^(blame|graph)$/.test(words[1])) words.push("--root");
    const named = /^go/.test(m.analyze.trace.format); // groups of goroutines are no names of theirs
    for (const kind in s.filter) {
      if (kind === "time" || !s.filter[kind].length) continue;
      if (flags[kind] && !(named && kind === "waiter")) words.push(...flags[kind](s.filter[kind]));
      else missing.push(C.kinds[kind].label);
    }
    if (s.filter.time) {
      const shift = m.start - m.analyze.trace.startNs;
      words.push("--from", s.filter.time[0] + shift + "ns", "--to", s.filter.time[1] + shift + "ns");
    }
    const given = s.view === "compare" && m.data.base ? m.data.base.command.concat(m.data.command) : m.data.command;
    return { text: words.concat(given).map(quote).join(" "), words: words.concat(given), missing };
  };
})(window.contend);
