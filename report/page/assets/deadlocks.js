"use strict";
// Deadlocks, drawn as the cycles they are.
(function (C) {
  const { html } = window.htmPreact;

  const cut = (text, n) => text.length > n ? text.slice(0, 12) + "…" + text.slice(13 - n) : text;

  // Cycle draws threads and the locks they wait for, in turn, around a circle.
  function Cycle({ members }) {
    const n = members.length * 2, w = Math.max(640, 150 * members.length), h = Math.max(300, 90 * members.length),
      rx = w / 2 - 145, ry = h / 2 - 34;
    const at = i => ({ x: w / 2 + rx * Math.sin(2 * Math.PI * i / n), y: h / 2 - ry * Math.cos(2 * Math.PI * i / n) });
    const between = i => {
      const a = at(i), b = at(i + 1), k = 0.3;
      return `M${a.x + k * (b.x - a.x)},${a.y + k * (b.y - a.y)}L${a.x + (1 - k) * (b.x - a.x)},${a.y +
        (1 - k) * (b.y - a.y)}`;
    };
    return html`<svg class="cycle" viewBox=${`0 0 ${w} ${h}`} role="img" aria-label="a cycle of threads and locks">
      <defs><marker id="cycletip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path class="arrow" d="M0,0L8,4L0,8z" /></marker></defs>
      ${members.map((m, i) =>
        html`<path d=${between(2 * i)} marker-end="url(#cycletip)" />
          <path d=${between(2 * i + 1)} marker-end="url(#cycletip)" />`)}
      ${members.map((m, i) => { const t = at(2 * i), l = at(2 * i + 1); return html`
        <g class="thread"><title>${m.thread}</title><rect x=${t.x - 138} y=${t.y - 16} width="276" height="32" rx="6" />
          <text x=${t.x} y=${t.y + 4} text-anchor="middle">${cut(m.thread, 38)}</text></g>
        <g class="lockbox"><title>${m.name}</title><rect x=${l.x - 138} y=${l.y - 16} width="276" height="32" rx="16" />
          <text x=${l.x} y=${l.y + 4} text-anchor="middle">${cut(m.lock, 38)}</text></g>`;
          })}
          </svg>`;
  }

  C.Deadlocks = function ({ model: m }) {
    return html`<div class="view deadlocks">${m.analyze.deadlocks.map((d, i) => {
      if (d.found) {
        return html`<section><h2>Deadlock ${d.number}</h2><p>${C.visible(d.found)}</p></section>`;
      }
      const members = C.members(m, i);
      return html`<section><h2>Deadlock ${d.number}</h2><p><span class="ring">
        Each thread waits for the lock the arrow leads to, which the next thread holds. </span>
        ${d.queued.length > 0 &&
          html`Behind them wait ${d.queued.slice(0, 12).map(C.visible).join(", ")}
            ${d.queued.length > 12 ? " and " + (d.queued.length - 12) + " more" : ""}.`}
        </p>
        <div class="wide"><${Cycle} members=${members} /></div>
        <div class="beside">
          ${members.map(c =>
            html`<section><p><${C.Stuck} m=${m} t=${c} /></p><ol class="stack">
              ${c.at.map(f => html`<li><${C.Name} text=${f.name + (f.line > 0 ? ":" + f.line : "")} /></li>`)}</ol>
              </section>`)}
          </div></section>`;
    })}</div>`;
  };
})(window.contend);
