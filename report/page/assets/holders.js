"use strict";
// Holders beside waiters: the call trees of the owners of the lock, and of
// the threads that waited meanwhile.
(function (C) {
  const { html, useMemo } = window.htmPreact;

  const text = (m, frame) =>
    m.stacks.names[m.stacks.method[frame]] + (m.stacks.line[frame] > 0 ? ":" + m.stacks.line[frame] : "");

  // Blocked says on which locks the owners of a node were themselves blocked.
  function Blocked({ s, node }) {
    const groups =
      C.groupBy(s, node.rows.filter(i => s.side.blocked[i] >= 0), s.column("owner-blocked-on"))
        .filter(g => g.ns > 0.02 * node.ns);
    return groups.slice(0, 3)
      .map(g =>
        html`<button type="button" class="tag blocked" onClick=${() => C.toggle("blockedOn", g.text)} >
          ${C.percent(g.ns, node.ns)} blocked on <${C.Lock} m=${s.model} text=${g.text} /></button>`);
  }

  // stackless names the owners in a node whose stacks are not known, as the analysis of the node's locks does.
  function stackless(m, node) {
    if (text(m, node.key) !== "[unknown stack]") return "";
    const named = new Map(), locks = new Set(Array.from(node.rows, i => m.locks[m.lock[i]].name));
    for (const l of m.analyze.locks) if (locks.has(C.visible(l.lock)))
      for (const o of l.owners) for (const t of o.threads || []) named.set(t.thread,
        (named.get(t.thread) || 0) + t.waitNs);
    const names = C.order([...named], ([, ns]) => ns).map(([name]) => name);
    return names.slice(0, 3).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");
  }

  // ownerTags are what is known of an owner at a frame.
  function ownerTags(s, node, line) {
    const m = s.model, tags = [], { took, site } = s.side,
      here = node.rows.filter(i => took[i] >= 0 && m.stacks.frame[took[i]] === node.key);
    if (here.some(i => !m.stacks.names[site[i]].startsWith("in "))) tags.push(
      html`<span class="tag took" title="the frame that took the lock">took the lock</span>`);
    else if (here.length) tags.push(
      html`<span class="tag took" title="the owner was in this frame; it is unknown where it took the lock">
        held the lock</span>`);
    if (line.level > 0) return tags;
    const doing = C.mainDoing(s, node.rows), meaning = C.meanings[text(m, node.key)];
    if (stackless(m, node)) tags.push(html`<span class="tag">${C.visible(stackless(m, node))}</span>`);
    if (text(m, node.key) === "[no owner]") for (const l of new Set(node.rows.map(i => m.lock[i])))
      for (const h of (m.locks[l].holders || []).slice(0, 1)) tags.push(
        html`<span class="tag"><${C.Lock} m=${m} text=${m.locks[l].shown} />: ${C.holder(h)}</span>`);
    if (meaning) tags.push(html`<span class="tag">${meaning}</span>`);
    if (doing && !doing.startsWith("blocked")) tags.push(html`<span class="tag">${doing}</span>`);
    tags.push(html`<${Blocked} s=${s} node=${node} />`);
    return tags;
  }

  C.Holders = function ({ s }) {
    const m = s.model, from = C.state.tree;
    const made = useMemo(() => {
      // where the lock is taken, as far as that is known
      const begin = (stack, at) =>
        from !== "site" ? stack : stack.map((n, i) => { const to = at(n, i); return to >= 0 ? to : m.stacks.app[n]; });
      const waits = new Map(), waitsAt = (n, i) => {
        if (!waits.has(n)) waits.set(n,
          m.stacks.frames(n).find(f => m.stacks.text(f) === m.stacks.names[m.waiterSite[i]]) ?? -1);
        return waits.get(n);
      };
      return { owners: C.stackTree(s, s.blame, begin(s.owner, (n, i) => s.side.took[i]), from),
        waiters: C.stackTree(s, "waiter", begin(m.waiterStack, waitsAt), from) };
    }, [s, from]);
    const frame = (kind, tags) => (node, line) =>
      html`
        <button type="button" class=${"link frame" + (m.stacks.sort[node.key] === 1 ? " runtime" : "")}
          onClick=${() => C.toggle(kind, m.stacks.names[m.stacks.method[node.key]])}>
        <${C.Name} text=${text(m, node.key)}
          title=${text(m, node.key) + " — " + C.amount(node.ns) + C.inWaits(node.waits)} />
        </button>${tags && tags(node, line)}`;
    return html`<div class="view holders"><div class="tools">
      <${C.Choice} label="blame" name="blame" values=${[["direct", "the lock's owner"], ["root", "end of each chain"]]}
        />
      <${C.Choice} label="trees from" name="tree"
        values=${[["site", "where the lock is taken"], ["innermost", "the innermost frame"],
          ["outermost", "the outermost"]]}
        />
      </div>
      <div class="beside">
        <section><h3>${s.blame === "root" ? "Owners at the end of the chain" : "Owners"}</h3>
          <${Groups} s=${s} kind="owner" column="owner-group" />
          <${C.TreeView} tree=${made.owners} whole=${s.total} kind="owner"
            label=${frame("ownerFrame", (n, l) => ownerTags(s, n, l))} />
          </section>
        <section><h3>Waiters</h3><${Groups} s=${s} kind="waiter" column="waiter-group" />
          <${C.TreeView} tree=${made.waiters} whole=${s.total} kind="waiter" label=${frame("waiterFrame")} /></section>
      </div></div>`;
  };

  // Groups lists the largest groups of threads.
  function Groups({ s, kind, column }) {
    const list = C.groupBy(s, s.some, s.column(column)).slice(0, 5), has = C.state.filter[kind] || [];
    return html`<p class="groups">
      ${list.map(g =>
        html`
          <button type="button" class="chip" aria-pressed=${has.includes(g.text)}
            onClick=${() => C.toggle(kind, g.text)} title=${g.text}>
          <bdi>${g.text || "[no name]"}</bdi> ${C.percent(g.ns, s.total)}</button>`)}
      </p>`;
  }
})(window.contend);
