"use strict";
// What the threads of thread dumps do, the stacks they share, and which did not move.
(function (C) {
  const { html } = window.htmPreact;

  const states = [["lock", "waiting for a lock"], ["resource", "waiting for a pool, queue or result"],
    ["running", "running"], ["io", "in I/O"], ["asleep", "asleep"], ["idle", "idle"]];

  const sum = d => states.filter(([key]) => d[key] > 0).map(([key, text]) => `${C.number(d[key])} ${text}`).join(", ");

  // doing says what the threads of a stack do.
  const doing = (m, s) => {
    if (s.state === "lock") return s.class ? html`waiting for ${C.short(C.visible(s.class))}` : "waiting for a lock";
    if (s.state === "resource") return html`waiting in ${C.short(C.visible(s.what || s.site))}`;
    return s.doing || states.find(([key]) => key === s.state)[1];
  };

  function Row({ m, s }) {
    return html`<tr><td>${C.number(s.threads)}</td><td>${s.stuck > 0 ? C.number(s.stuck) : ""}</td><td class="text wrap">
      <details><summary>${doing(m, s)} at <${C.Name} text=${C.visible(s.site)} /></summary><ol class="stack">
        ${s.stack.map(f => html`<li><${C.Name} text=${C.visible(f.class ? f.class + "." + f.method : f.method) +
          (f.line > 0 ? ":" + f.line : "")} /></li>`)}</ol></details></td>
      <td class="text wrap">${s.groups.map(C.visible).join(", ")}</td></tr>`;
  }

  C.Dumps = function ({ model: m }) {
    const d = m.analyze.dumps, last = d.taken[d.taken.length - 1];
    return html`<div class="view dumps"><p>${C.plural(d.taken.length, "dump")}; in the last ${C.plural(d.threads, C.thread)}:${" " + sum(d.states)}.
        ${d.stuckOver > 1 && (d.stuck > 0 ? ` ${C.plural(d.stuck, C.thread)} did not move in ${d.stuckOver} dumps.` :
          ` None kept its stack in ${d.stuckOver} dumps without being idle.`)}
        ${d.processes === 1 && d.taken.length > 1 && ` Since the dump before ${last.same} kept their stack, ${last.moved}
          moved, ${last.new} began, ${last.ended} ended.`}</p>
      <div class="wide"><table><thead><tr><th scope="col">${C.thread}s</th><th scope="col">stuck</th>
        <th class="text" scope="col">with one stack</th><th class="text" scope="col">groups</th></tr></thead><tbody>
        ${d.stacks.slice(0, 100).map(s => html`<${Row} m=${m} s=${s} />`)}</tbody></table></div>
      <div class="wide"><table><thead><tr><th class="text" scope="col">group</th><th scope="col">${C.thread}s</th>
        <th class="text" scope="col">in the last dump</th></tr></thead><tbody>
        ${d.groups.slice(0, 50).map(g => html`<tr><td class="text">${C.visible(g.group)}</td><td>${C.number(g.threads)}</td>
          <td class="text wrap">${sum(g.states)}</td></tr>`)}</tbody></table></div></div>`;
  };
})(window.contend);
