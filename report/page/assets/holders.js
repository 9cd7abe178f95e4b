"use strict";
// Holders beside waiters: the call trees of those who had the lock, and of
// those who waited for it meanwhile.
(function (C) {
  const { html, useMemo } = window.htmPreact;

  // blocked sums the rows whose owners were themselves blocked.
  function blocked(s, rows) {
    const m = s.model, ns = rows.reduce((a, i) => m.ownerStack[i] === m.rootStack[i] ? a : a + s.ns[i], 0);
    return ns;
  }

  const text = (m, frame) => m.stacks.names[m.stacks.method[frame]] + (m.stacks.line[frame] > 0 ? ":" + m.stacks.line[frame] : "");

  // tags are what is known of an owner at a frame.
  function ownerTags(s, node, line) {
    const m = s.model, tags = [];
    if (s.blame === "direct" && node.rows.some(i => m.took[i] >= 0 && m.stacks.frame[m.took[i]] === node.key)) tags.push(html`<span class="tag took" title="the frame that took the lock">took the lock</span>`);
    if (line.level > 0) return tags;
    const doing = s.blame === "direct" && C.mainDoing(s, node.rows), wait = blocked(s, node.rows);
    if (C.meanings[text(m, node.key)]) tags.push(html`<span class="tag">${C.meanings[text(m, node.key)]}</span>`);
    if (doing && doing !== "blocked") tags.push(html`<span class="tag">${doing}</span>`);
    if (s.blame === "direct" && wait > 0.05 * node.ns) tags.push(html`<span class="tag blocked" title="the owner itself waited for another lock: see 'end of each chain'">${C.percent(wait, node.ns)} itself blocked</span>`);
    return tags;
  }

  C.Holders = function ({ s }) {
    const m = s.model, from = C.state.tree;
    const made = useMemo(() => ({ owners: C.tree(s, C.stackPaths(s, s.owner, from)), waiters: C.tree(s, C.stackPaths(s, m.waiterStack, from)) }), [s, from]);
    const frame = (kind, tags) => (node, line) => html`<button type="button" class=${"link frame" + (m.stacks.sort[node.key] === 1 ? " runtime" : "")} onClick=${() => C.toggle(kind, m.stacks.names[m.stacks.method[node.key]])} title=${text(m, node.key) + " — " + C.amount(node.ns) + ", " + C.plural(node.waits, "wait")}><bdi>${C.short(text(m, node.key))}</bdi></button>${tags && tags(node, line)}`;
    return html`<div class="view holders"><div class="tools"><${C.Choice} label="blame" name="blame" values=${[["direct", "the lock's owner"], ["root", "end of each chain"]]} /><${C.Choice} label="trees from" name="tree" values=${[["innermost", "the innermost frame"], ["outermost", "the outermost"]]} /></div>
      <div class="beside">
        <section><h3>Who had the lock</h3><${Groups} s=${s} kind="owner" column=${m.ownerGroup} /><${C.TreeView} tree=${made.owners} whole=${s.total} kind="owner" label=${frame("ownerFrame", (n, l) => ownerTags(s, n, l))} /></section>
        <section><h3>Who waited for it</h3><${Groups} s=${s} kind="waiter" column=${m.waiterGroup} /><${C.TreeView} tree=${made.waiters} whole=${s.total} kind="waiter" label=${frame("waiterFrame")} /></section>
      </div></div>`;
  };

  // Groups lists the largest groups of threads.
  function Groups({ s, kind, column }) {
    const list = C.groupBy(s, s.some, i => column[i]).slice(0, 5), has = C.state.filter[kind] || [];
    return html`<p class="groups">${list.map(g => {
      const name = s.model.groups[g.key];
      return html`<button type="button" class="chip" aria-pressed=${has.includes(name)} onClick=${() => C.toggle(kind, name)} title=${name}><bdi>${name || "[no name]"}</bdi> ${C.percent(g.ns, s.total)}</button>`;
    })}</p>`;
  }
})(window.contend);
