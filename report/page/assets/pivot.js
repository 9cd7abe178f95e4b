"use strict";
// Sums by any order of keys, as a tree with subtotals.
(function (C) {
  const { html, useMemo, useState } = window.htmPreact;

  C.Pivot = function ({ s }) {
    const keys = C.state.pivot, m = s.model, [dragged, drag] = useState(null);
    const tree = useMemo(() => C.pivotTree(s, keys), [s, keys.join()]);
    const text = node => s.column(keys[node.depth]).text(node.key);
    const put = list => C.set({ pivot: list });
    const move = (key, to) => {
      const rest = keys.filter(k => k !== key);
      rest.splice(to, 0, key);
      put(rest);
    };
    const label = node => {
      const kind = C.columns[keys[node.depth]].filter, name = text(node),
        whole = /^(lock|class)$/.test(kind) ? C.whole(m, kind, name) : /^(blockedOn|rootLock)$/.test(kind) ?
          C.whole(m, "lock", name) : name;
      return html`
        ${kind ?
          html`<button type="button" class="link" onClick=${() => C.only({ [kind]: name })} >
            <${C.Name} text=${name} title=${whole} /></button>` :
          html`<${C.Name} text=${name} />`} <small
          class="key">
        ${keys[node.depth]}</small>`;
    };
    const columns = node =>
      html`<span class="share">${C.percent(node.ns, s.total)}</span><span class="amount">${C.amount(node.ns)}</span>
        <span class="waits">${C.waits(node.waits)}</span>`;
    const spare = C.pivotKeys.filter(k => !keys.includes(k));
    return html`<div class="view pivot"><div class="tools"><span class="label">sum by</span>
      <span class="keys" role="list">
        ${keys.map((k, i) =>
          html`<span key=${k} role="listitem" class=${"chip key" + (dragged === k ? " dragged" : "")} draggable="true"
          onDragStart=${e => { drag(k); e.dataTransfer.setData("text/plain", k); }} onDragEnd=${() => drag(null)}
            onDragOver=${e => e.preventDefault()}
            onDrop=${e => { e.preventDefault(); if (dragged) move(dragged, i); drag(null); }}>
          <button type="button" aria-label=${"move " + k + " forward"} disabled=${i === 0}
            onClick=${() => move(k, i - 1)}>
            ‹</button>${k}
            <button type="button" aria-label=${"move " + k + " back"} disabled=${i === keys.length - 1}
              onClick=${() => move(k, i + 1)}>
            ›</button>
          <button type="button" aria-label=${"remove " + k} disabled=${keys.length === 1}
            onClick=${() => put(keys.filter(x => x !== k))}>
            ×</button></span>`)}
            </span>
      ${spare.length > 0 &&
        html`
          <select aria-label="add a key"
            onChange=${e => { if (e.target.value) put([...keys, e.target.value]); e.target.value = ""; }}>
          <option value="">add a key …</option>${spare.map(k => html`<option value=${k}>${k}</option>`)}</select>`}
      <${C.Choice} label="blame" name="blame" values=${[["direct", "the lock's owner"], ["root", "end of each chain"]]}
        />
        </div>
      <p class="total"><b>${C.amount(s.total)}</b>${C.inWaits(s.begun)}
        ${m.timed ? ", " + C.average(s.total / Math.max(s.span, 1)) + " threads on average" : ""}
        . Share, waiting and waits begun; drag the keys into another order.</p>
      <${C.TreeView} tree=${tree} whole=${s.total} kind="sum" columns=${columns} label=${label} /></div>`;
  };
})(window.contend);
