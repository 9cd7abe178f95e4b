"use strict";
// The longest single waits, each with the owners of the lock meanwhile.
(function (C) {
  const { html, useState } = window.htmPreact;
  const most = 25;

  // fits reports whether a wait is in the selection: the wait itself, and one of
  // its owners.
  function fits(m, w, f) {
    const asked = kind => f[kind] && f[kind].length,
      among = (kind, ...texts) => !asked(kind) || texts.some(t => C.wanted(f[kind], t));
    const onStack = (kind, nodes) =>
      !asked(kind) || nodes.some(n => m.stacks.frames(n).some(x => f[kind].includes(m.stacks.name(x))));
    const blamed = p => C.state.blame === "root" ? p.root : p.stack, name = n => n < 0 ? C.nothing : m.stacks.names[n];
    const time = !f.time || w.startNs < f.time[1] && w.startNs + w.ns > f.time[0];
    return time && among("lock", w.lock.shown) && among("place", m.places[w.lock.place]) &&
      among("class", m.classes[w.lock.class].shown) && among("waiter", w.group) && among("waiterSite", name(w.site)) &&
      onStack("waiterFrame", [w.stack]) &&
      w.parts.some(p =>
        among("known", p.known) && among("owner", p.group) && among("ownerSite", name(p.site)) &&
          among("doing", name(p.doing), p.blockedNs > 0 ? "blocked on " : "") && onStack("ownerFrame", [blamed(p)]) &&
          onStack("frame", [w.stack, p.stack, p.root]));
  }

  // coloured gives each owner of the waits shown a colour, the largest first.
  function coloured(m, list) {
    const sums = new Map(), colours = new Map();
    for (const w of list) for (const p of w.parts) sums.set(m.stacks.methodOf(p.stack),
      (sums.get(m.stacks.methodOf(p.stack)) || 0) + p.ns);
    for (const [name] of C.order([...sums], e => e[1])) {
      if (name.startsWith("[")) colours.set(name, name === "[unknown owner]" ? "var(--lock)" : "var(--nobody)");
      else if (colours.size < 9) colours.set(name,
        C.colours[[...colours.values()].filter(c => c[0] === "#").length] || C.grey);
    }
    return name => colours.get(name) || C.grey;
  }

  C.Longest = function ({ s }) {
    const m = s.model, [open, setOpen] = useState(null), list = m.longest.filter(w => fits(m, w, C.state.filter)),
      shown = list.slice(0, most), colour = coloured(m, shown);
    const longest = shown.length ? shown[0].ns : 1;
    const part =
      (w,
        p) => ({ left: 100 * (p.startNs - w.startNs) / Math.max(w.ns, 1) + "%",
          width: Math.max(0.4, 100 * (p.endNs - p.startNs) / Math.max(w.ns, 1)) + "%",
          background: colour(m.stacks.methodOf(p.stack)) });
    const name = p => m.stacks.methodOf(p.stack);
    if (!list.length) return html`<p class="none">
      None of the ${m.longest.length} longest waits of the recording is in this selection.</p>`;
    return html`<div class="view longest"><p class="total">
      ${list.length === m.longest.length ? "The longest single waits" :
        `${list.length} of the ${m.longest.length} longest waits of the recording are in this selection`}
      , with the owners meanwhile.</p>
      <div class="wide"><table><thead><tr><th scope="col">wait</th><th scope="col">at</th><th class="text" scope="col">
        thread</th><th class="text" scope="col">lock</th><th class="text" scope="col">owners, one after the other</th>
        </tr></thead><tbody>
      ${shown.map((w, i) =>
        html`<tr key=${i}><td>${C.amount(w.ns)}</td><td>${((w.startNs + m.shift) / 1e9).toFixed(3)} s</td>
          <td class="text"><bdi>${w.thread}</bdi></td><td class="text lockcell">
          <button type="button" class="link" onClick=${() => C.toggle("lock", w.lock.shown)}>
          <${C.Lock} m=${m} text=${w.lock.shown} /></button>${w.failed ? html` <span class="tag">given up</span>` : ""}
          </td>
        <td class="text stripcell">
          <button type="button" class="stripbutton" aria-expanded=${open === i}
            onClick=${() => setOpen(open === i ? null : i)} title="show its owners">
          <span class="strip" style=${{ width: Math.max(8, 100 * w.ns / longest) + "%" }}>
          ${w.parts.map(p => html`<span style=${part(w, p)} title=${name(p) + " " + C.duration(p.ns)}></span>`)}</span>
          </button></td></tr>
        ${open === i &&
          html`<tr key=${i + "d"}><td colspan="5" class="text"><div class="parts"><p>
            waited in <bdi title=${C.stackText(m, w.stack)}>${C.short(C.stackText(m, w.stack))}</bdi></p><ol>
            ${w.parts.map(p =>
              html`<li><span class="swatch" style=${{ background: colour(name(p)) }}></span><b>${C.amount(p.ns)}
                </b> <bdi>${p.thread}
                </bdi> <button type="button" class="link" onClick=${() => C.toggle("ownerFrame", name(p))}>
                <${C.Name} text=${name(p)} />
                </button> ${p.doing >= 0 && html`<span class="tag">${m.stacks.names[p.doing]}</span>`}
                ${p.blockedNs > 0 &&
                  html` <span class="tag blocked">
                    ${C.percent(p.blockedNs, p.ns)} itself blocked, mostly by ${C.short(m.stacks.methodOf(p.root))}
                    </span>`} <small>
                ${p.known}</small></li>`)}
            ${w.leftNs ? html`<li>and ${C.amount(w.leftNs)} of further owners</li>` : ""}</ol></div></td></tr>`}
          `)}
      </tbody></table></div>
      <p class="legend">
        ${[...new Set(shown.flatMap(w => w.parts.map(name)))].filter(n => colour(n) !== C.grey).slice(0, 9)
          .map(n =>
            html`<span class="entry"><span class="swatch" style=${{ background: colour(n) }}></span>
              <${C.Name} text=${n} /></span>`)}
        <span class="entry"><span class="swatch" style=${{ background: C.grey }}></span>others</span></p>
      ${list.length > most && html`<p><small>${list.length - most} more are shorter.</small></p>`}</div>`;
  };
})(window.contend);
