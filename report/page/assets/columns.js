"use strict";
// Columns: what rows are summed and selected by, under contend's own names. A
// column has a number for each row, and says what its numbers mean.
(function (C) {
  // nothing is the activity of an owner that is not known.
  C.nothing = "running or unknown";

  const column = (of, size, text) => ({ of, size, text });
  const named = (of, names) => column(of, names.length, n => names[n]);
  const shown = (of, list) => column(of, list.length, n => list[n].shown);
  const part = (m, list, key) => m.lock.map(l => list[l][key]);

  // blockedOn is the lock that an owner was blocked on, and of a pseudo owner its
  // name.
  function blockedOn(m, side) {
    const { stacks, locks } = m, behind = 1 + locks.length;
    const of =
      side.blocked.map((lock, i) =>
        lock >= 0 ? 1 + lock : stacks.pseudo(side.stack[i]) && stacks.name(side.stack[i]) !== "[unknown stack]" ?
          behind + stacks.methodAt(side.stack[i]) : 0);
    return column(of, behind + stacks.names.length,
      n => n >= behind ? stacks.names[n - behind] : n ? locks[n - 1].shown : "[not blocked]");
  }

  const stacks = (m, of) => column(of, m.stacks.caller.length, n => C.stackText(m, n));
  const methods = (m, of) => named(of.map(n => m.stacks.methodAt(n)), m.stacks.names);

  // columns are all there are. filter is the kind of filter that selects by one.
  // Those of owners are of the side that is blamed. place is not contend's.
  C.columns = {
    "class": { filter: "class", make: m => shown(part(m, m.locks, "class"), m.classes) },
    "place": { filter: "place", make: m => named(part(m, m.locks, "place"), m.places) },
    "lock": { filter: "lock", make: m => shown(m.lock, m.locks) },
    "owner-site": { filter: "ownerSite", make: (m, side) => named(side.site, m.stacks.names) },
    "owner-doing": { filter: "doing", make: (m, side) => named(side.doing, m.stacks.names) },
    "owner-blocked-on": { filter: "blockedOn", make: blockedOn },
    "owner-method": { filter: "ownerFrame", make: (m, side) => methods(m, side.stack) },
    "owner-stack": { make: (m, side) => stacks(m, side.stack) },
    "owner-group": { filter: "owner", make: (m, side) => named(side.group, m.groups) },
    "owner-known": { filter: "known", make: m => named(m.provenance, m.known) },
    "root-lock": { filter: "rootLock", make: m => shown(m.rootLock, m.locks) },
    "waiter-site": { filter: "waiterSite", make: m => named(m.waiterSite, m.stacks.names) },
    "waiter-method": { filter: "waiterFrame", make: m => methods(m, m.waiterStack) },
    "waiter-stack": { make: m => stacks(m, m.waiterStack) },
    "waiter-group": { filter: "waiter", make: m => named(m.waiterGroup, m.groups) },
  };

  // column returns a column of a model, made once.
  C.column = function (m, blame, name) {
    const at = (C.columns[name].make.length > 1 ? blame : "") + " " + name;
    if (!m.made.has(at)) m.made.set(at, C.columns[name].make(m, m.sides[blame]));
    return m.made.get(at);
  };

  // pivotKeys are the columns that contend knows by these names, too.
  C.pivotKeys = Object.keys(C.columns).filter(k => k !== "place");

  // stackText writes a stack on one line, as contend's tables do.
  C.stackText = (m, node) => m.stacks.frames(node).map(n => m.stacks.text(n)).join(" < ");
})(window.contend);
