"use strict";
// Threads over time: a lane for each thread, drawn on a canvas as far as it is in sight. The upper
// part of a lane is what the thread does, the line below are locks that it holds while others wait.
(function (C) {
  const { html, useRef, useEffect, useLayoutEffect, useMemo, useState } = window.htmPreact;
  const row = 20, axis = 22, bar = 12, line = 4, { holding, waiting, idle, acting } = C.laneStates;
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // palette are the colours of a picture: those of locks, and then those of what else threads do.
  function palette(l, by) {
    const m = l.m, key = { lock: n => n, place: n => m.locks[n].place, class: n => m.locks[n].class }[by],
      locks = [...C.colours, C.grey], colours = [...locks, css("--idle"), css("--io")];
    const of = (state, lock, doing) => {
      if (state === idle) return locks.length;
      if (state === acting) return locks.length + 1;
      const at = lock < 0 ? -1 : locks.indexOf(C.colourOf(key(lock)));
      return at < 0 ? locks.length - 1 : at;
    };
    return { colours, of };
  }

  // Density sums what is narrower than a pixel, by pixel and colour.
  class Density {
    constructor(width, colours) {
      this.width = width;
      this.colours = colours;
      this.parts = new Float32Array(width * colours.length);
      this.used = false;
    }
    add(x0, x1, colour, part) {
      const from = Math.max(0, x0), to = Math.min(this.width, x1), k = this.colours.length;
      for (let x = Math.floor(from); x < to; x++) {
        this.parts[x * k + colour] += part * (Math.min(x + 1, to) - Math.max(x, from));
        this.used = true;
      }
    }
    // draw stacks the colours of each pixel, as high as their part of the whole.
    draw(g, left, top, height, whole) {
      if (!this.used) return;
      const k = this.colours.length;
      for (let x = 0; x < this.width; x++) for (let c = 0, y = top + height; c < k; c++) {
        const h = Math.min(y - top, height * this.parts[x * k + c] / whole);
        if (h < 0.02) continue;
        g.fillStyle = this.colours[c];
        g.fillRect(left + x, y - h, 1, h);
        y -= h;
      }
    }
  }

  // paint draws the rows that are in sight.
  function paint(canvas, l, view) {
    const { rows, top, height, width, from, to, chosen, selected, time } = view, unit = devicePixelRatio || 1,
      g = canvas.getContext("2d"), scale = width / (to - from), x = ns => (ns - from) * scale;
    const { colours, of } = palette(l, C.state.by);
    canvas.width = width * unit;
    canvas.height = height * unit;
    g.scale(unit, unit);
    g.clearRect(0, 0, width, height);
    ticks(g, l.m, view, x);
    const first = Math.floor(top / row), last = Math.min(rows.length, Math.ceil((top + height) / row)), at = new Map();
    rows.forEach((r, i) => { if (r.t) at.set(r.t.i, axis + i * row - top); });
    g.save();
    g.beginPath();
    g.rect(0, axis, width, height - axis);
    g.clip();
    const lane = (t, upper, lower, draw) => {
      for (const r of t.sums) if (chosen.row(t, r)) for (const c of r.cells) {
        if (c.start < to && c.start + l.bin > from) {
          (r.state === holding ? lower : upper).add(x(c.start), x(c.start + l.bin), of(r.state, r.lock), c.part);
        }
      }
      for (let i = t.from; i < t.to; i++) {
        if (l.end[i] <= from || l.start[i] >= to) continue;
        const a = x(l.start[i]), b = x(l.end[i]), colour = of(l.state[i], l.lock[i]);
        if (draw && b - a >= 1.5) draw(i, Math.max(a, 0), Math.min(b, width), colour);
        else if (chosen.ok[i]) (l.state[i] === holding ? lower : upper).add(a, Math.max(b, a + 0.02), colour, 1);
      }
    };
    for (let n = first; n < last; n++) {
      const r = rows[n], y = axis + n * row - top, upper = new Density(width, colours), lower = new Density(width,
        colours);
      if (!r.t) { // a group: how many of its threads wait, and hold
        g.fillStyle = css("--page");
        g.fillRect(0, y, width, row);
        for (const one of r.lanes) lane(one.t, upper, lower);
        upper.draw(g, 0, y + 1, bar + 2, r.lanes.length);
        lower.draw(g, 0, y + bar + 4, line, 1);
        continue;
      }
      g.fillStyle = css("--alive");
      g.fillRect(x(r.t.first), y + 2, Math.max(1, x(r.t.last) - x(r.t.first)), bar);
      const wide = [];
      lane(r.t, upper, lower, (i, a, b, colour) => wide.push([i, a, b, colour]));
      upper.draw(g, 0, y + 2, bar, 1);
      lower.draw(g, 0, y + bar + 3, line, 1);
      wide.sort((p, q) => l.state[q[0]] - l.state[p[0]]); // what else it does lies behind its waits
      for (const [i, a, b, colour] of wide) {
        const held = l.state[i] === holding;
        g.globalAlpha = chosen.ok[i] ? 1 : 0.15;
        g.fillStyle = colours[colour];
        g.fillRect(a, y + (held ? bar + 3 : 2), Math.max(1, b - a - 0.5), held ? line : bar);
        g.globalAlpha = 1;
      }
    }
    if (time) {
      g.fillStyle = css("--veil");
      g.fillRect(0, axis, x(time[0]), height);
      g.fillRect(x(time[1]), axis, width, height);
    }
    if (selected >= 0 && at.has(l.thread[selected])) arrows(g, l, selected, at, x, width);
    g.restore();
  }

  // ticks are the times above the lanes, and lines through them.
  function ticks(g, m, { from, to, width, height }, x) {
    const raw = (to - from) / Math.max(2, width / 110), power = 10 ** Math.floor(Math.log10(raw)),
      step = power * [1, 2, 5, 10].find(n => n * power >= raw), digits = Math.max(0, 9 - Math.floor(Math.log10(step)));
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    for (let t = Math.ceil((from + m.shift) / step) * step; t <= to + m.shift; t += step) {
      const at = x(t - m.shift), text = (t / 1e9).toFixed(digits) + " s", room = g.measureText(text).width;
      g.fillStyle = css("--rule");
      g.fillRect(Math.round(at), axis - 6, 1, height);
      g.fillStyle = css("--dim");
      g.fillText(text, Math.max(0, Math.min(width - room, at - room / 2)), axis / 2 - 3);
    }
  }

  // arrows frame the selected span, and lead from a wait to the holds it waited for, or from the
  // waits for a hold to it.
  function arrows(g, l, i, at, x, width) {
    const end = k => ({ x: Math.max(2, Math.min(width - 2, (x(Math.max(l.start[k], l.start[i])) +
      x(Math.min(l.end[k], l.end[i]))) / 2)), y: at.get(l.thread[k]) + (l.state[k] === holding ? bar + 5 : 8) });
    g.strokeStyle = g.fillStyle = css("--text");
    g.lineWidth = 1.5;
    const top = at.get(l.thread[i]) + (l.state[i] === holding ? bar + 2 : 1);
    g.strokeRect(x(l.start[i]) - 1, top, Math.max(3, x(l.end[i]) - x(l.start[i]) + 1),
      l.state[i] === holding ? line + 2 : bar + 2);
    if (l.state[i] > waiting || l.lock[i] < 0) return;
    for (const { span } of l.other(i).slice(0, 12)) {
      if (!at.has(l.thread[span])) continue;
      const [wait, hold] = l.state[i] === waiting ? [i, span] : [span, i], p = end(span),
        own = at.get(l.thread[i]) + (l.state[i] === holding ? bar + 5 : 8),
        [a, b] = wait === i ? [own, p.y] : [p.y, own], tip = b > a ? -6 : 6;
      g.beginPath();
      g.moveTo(p.x, a);
      g.quadraticCurveTo(p.x + 14, (a + b) / 2, p.x, b + tip / 2);
      g.stroke();
      g.beginPath();
      g.moveTo(p.x, b);
      g.lineTo(p.x - 4 + (tip < 0 ? 2 : 2), b + tip);
      g.lineTo(p.x + 6, b + tip);
      g.fill();
    }
  }

  // Span says what a span is; a wait has its owners, a hold its waiters.
  function Span({ l, i, go }) {
    const m = l.m, t = l.threads[l.thread[i]], ns = l.end[i] - l.start[i], others = l.state[i] <= waiting &&
      l.lock[i] >= 0 ? l.other(i) : [], name = n => m.stacks.names[n],
      of = l.lock[i] < 0 ? "a lock" : html`<${C.Lock} m=${m} text=${m.locks[l.lock[i]].shown} />`;
    const site = l.site[i] >= 0 && !(l.lock[i] >= 0 && m.locks[l.lock[i]].shown.includes(C.short(name(l.site[i])))) ?
      html` at <${C.Name} text=${name(l.site[i])} />` : "";
    const when = html`, from ${((l.start[i] + m.shift) / 1e9).toFixed(4)} s`;
    const known = C.known[l.known[i]] + (l.known[i] === 1 ? `, ${l.right[i]} % expected right` : "");
    const what = { [waiting]: () => html`waits <b>${C.duration(ns)}</b> for ${of}${site}${when}`,
      [holding]: () => html`holds ${of}${site}${l.doing[i] >= 0 ? `, ${name(l.doing[i])},` : ""} for <b>
        ${C.duration(ns)}</b>${when} <small>owner ${known}</small>`,
      [idle]: () => html`is ${name(l.doing[i])} for ${C.duration(ns)}${when}`,
      [acting]: () => html`is ${name(l.doing[i])} for ${C.duration(ns)}${when}` }[l.state[i]]();
    const rest = l.state[i] === waiting && ns - others.reduce((a, o) => a + o.ns, 0);
    return html`<bdi>${t.name}</bdi> ${what}${others.length > 0 && html`<br />
      ${l.state[i] === waiting ? "held by " : "waited for by "}${others.slice(0, 5).map((o, k) => html`${k ? ", " : ""}
        <button type="button" class="link" onClick=${() => go(o.span)}><bdi>${l.threads[l.thread[o.span]].name}</bdi>
        </button> ${C.duration(o.ns)}`)}${others.length > 5 && ` and ${others.length - 5} more`}`}
      ${rest > 0.02 * ns && html`<br /><small>${C.duration(rest)} of it: the lock was free, or its holds are unknown or
        too short to be kept one by one</small>`}`;
  }

  // nearest finds the span of a lane at a time, waits before what lies behind them.
  function nearest(l, t, ns, reach, lower) {
    let best = -1, least = Infinity;
    for (let i = t.from; i < t.to; i++) {
      const off = Math.max(l.start[i] - ns, ns - l.end[i], 0), held = l.state[i] === holding,
        rank = off + (lower !== undefined && held !== lower ? reach * 2 : 0) + (l.state[i] > waiting ? reach / 2 : 0);
      if (off <= reach && rank < least) { best = i; least = rank; }
    }
    return best;
  }

  C.Threads = function ({ s, width }) {
    const m = s.model, l = m.lanes, f = C.state.filter, filter = JSON.stringify(f), box = useRef(), canvas = useRef();
    const whole = [0, Math.max(m.bins * m.bin, m.duration)], phone = width < 600;
    const [zoomed, zoom] = useState(null), [top, scroll] = useState(0), [selected, select] = useState(-1);
    const [hovered, hover] = useState(-1), [closed, close] = useState(() => new Set()), [drag, brush] = useState(null);
    const chosen = useMemo(() => l.select(f), [l, filter]);
    const rows = useMemo(() => l.rows(f, chosen, closed), [l, filter, closed]);
    useEffect(() => { zoom(null); select(-1); }, [filter]);
    const [from, to] = zoomed || f.time || whole, names = phone ? 96 : 190, wide = Math.max(160, width - names - 64);
    const height = Math.min(axis + rows.length * row + 2, Math.max(240, innerHeight - 220));
    useLayoutEffect(() => {
      if (canvas.current) paint(canvas.current, l, { rows, top, height, width: wide, from, to, chosen, time: f.time,
        selected: selected >= 0 ? selected : hovered });
    });
    const put = (a, b) => {
      const least = 1000, length = Math.max(least, Math.min(b - a, whole[1])), lo = Math.max(whole[0],
        Math.min(a, whole[1] - length));
      zoom(lo <= whole[0] && lo + length >= whole[1] && !f.time ? null : [lo, lo + length]);
    };
    const scaled = (k, around) => put(around - (around - from) * k, around + (to - around) * k);
    const show = i => { // brings a span into sight
      select(i);
      const n = rows.findIndex(r => r.t && r.t.i === l.thread[i]), y = n * row;
      if (n >= 0 && box.current) {
        if (y < box.current.scrollTop) box.current.scrollTop = y;
        if (y + row > box.current.scrollTop + height - axis) box.current.scrollTop = y + row + axis - height;
      }
      if (l.start[i] >= to || l.end[i] <= from) {
        put(l.start[i] - (to - from) / 2, l.start[i] + (to - from) / 2);
      }
    };
    const spot = e => {
      const r = canvas.current.getBoundingClientRect(), y = e.clientY - r.top + top - axis, n = Math.floor(y / row);
      return { ns: from + (e.clientX - r.left) / wide * (to - from), row: e.clientY - r.top >= axis ? rows[n] : null,
        lower: y - n * row > bar + 2, x: e.clientX - r.left };
    };
    const at = p => p.row && p.row.t ? nearest(l, p.row.t, p.ns, 3 * (to - from) / wide, p.lower) : -1;
    const move = e => { const p = spot(e); if (drag) brush({ ...drag, to: p.ns }); else hover(at(p)); };
    const up = e => {
      const p = spot(e), a = drag && Math.min(drag.from, p.ns), b = drag && Math.max(drag.from, p.ns);
      brush(null);
      if (drag && (b - a) / (to - from) * wide > 4) put(a, b);
      else select(at(p));
    };
    const wheel = e => { // alone it moves the page, unless the lanes have the focus
      if (!e.ctrlKey && !e.metaKey && !box.current.contains(document.activeElement)) return;
      e.preventDefault();
      if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
        const by = (e.deltaX || e.deltaY) / wide * (to - from);
        put(from + by, to + by);
      } else scaled(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 200))), spot(e).ns);
    };
    useEffect(() => {
      const c = canvas.current;
      if (!c) return;
      c.addEventListener("wheel", wheel, { passive: false });
      return () => c.removeEventListener("wheel", wheel);
    });
    const key = e => {
      const lanes = rows.filter(r => r.t), middle = selected >= 0 ? (l.start[selected] + l.end[selected]) / 2 :
        (from + to) / 2, n = lanes.findIndex(r => selected >= 0 && r.t.i === l.thread[selected]);
      const lane = k => {
        for (; k >= 0 && k < lanes.length; k += k > n ? 1 : -1) {
          const i = nearest(l, lanes[k].t, middle, Infinity);
          if (i >= 0) return show(i);
        }
      };
      const beside = by => {
        if (selected < 0) return lane(0);
        const t = l.threads[l.thread[selected]];
        for (let i = selected + by; i >= t.from && i < t.to; i += by) {
          if (l.state[i] <= waiting && chosen.ok[i]) return show(i);
        }
      };
      const act = { ArrowDown: () => lane(n + 1), ArrowUp: () => lane(n < 0 ? 0 : n - 1), ArrowRight: () => beside(1),
        ArrowLeft: () => beside(-1), "+": () => scaled(0.5, middle), "=": () => scaled(0.5, middle),
        "-": () => scaled(2, middle), 0: () => zoom(null), Escape: () => { select(-1); zoom(null); },
        Enter: () => { const o = selected >= 0 && l.state[selected] <= waiting && l.other(selected)[0];
          if (o) show(o.span); } }[e.key];
      if (!act || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("button")) return;
      act();
      e.preventDefault();
      e.stopPropagation();
    };
    const turn = g => { const next = new Set(closed); if (!next.delete(g)) next.add(g); close(next); };
    const first = Math.floor(top / row), seen = rows.slice(first, first + Math.ceil(height / row) + 1),
      shownAt = selected >= 0 ? selected : hovered, lanes = rows.filter(r => r.t).length;
    const grouped = rows.length - lanes, bin = m.bin;
    const chooseTime = () => C.narrow({ time: [Math.floor(Math.max(from, 0) / bin) * bin,
      Math.max(Math.ceil(to / bin), Math.floor(from / bin) + 1) * bin] });
    return html`<div class="view threads"><div class="tools">
      <span class="choice" role="group" aria-label="zoom">
        <button type="button" aria-label="zoom in" onClick=${() => scaled(0.5, (from + to) / 2)}>+</button>
        <button type="button" aria-label="zoom out" onClick=${() => scaled(2, (from + to) / 2)}>−</button>
        <button type="button" disabled=${!zoomed} onClick=${() => zoom(null)}>whole</button></span>
      <button type="button" disabled=${!zoomed} onClick=${chooseTime}>select this time</button>
      ${grouped > 0 && html`<button type="button" onClick=${() => close(closed.size ? new Set() :
        new Set(rows.filter(r => !r.t).map(r => r.group)))}>${closed.size ? "open groups" : "close groups"}</button>`}
      <span class="hint">drag, or Ctrl and wheel, zooms; click a wait to see its owner</span></div>
      <p class="details" role="status" id="span">${shownAt >= 0 ? html`<${Span} l=${l} i=${shownAt} go=${show} />` :
        html`<span class="hint">${C.plural(lanes, C.thread)} from ${C.duration(from + m.shift)} to
          ${" "}${C.duration(to + m.shift)}, those that wait most first; the longest ${C.number(l.count)} spans are
          exact${l.summed > 0 ? ", shorter ones are summed over " + C.duration(l.bin) : ""}.
          ${chosen.sumsLeftOut && l.summed > 0 && " Summed ones are left out: what is selected is not known of them."}
          ${chosen.unknown.length > 0 && ` Not selected by ${chosen.unknown.map(k => C.kinds[k].label).join(", ")}.`}
          </span>`}</p>
      <div class="lanebox" ref=${box} tabindex="0" role="group" style=${{ height: height + "px" }} onKeyDown=${key}
        aria-label="threads over time; up and down change the thread, left and right the wait, Enter goes to the owner,
          plus and minus zoom, 0 shows all" aria-describedby="span"
        onScroll=${e => scroll(e.currentTarget.scrollTop)}>
      <div class="lanerows" style=${{ height: Math.max(height - 2, axis + rows.length * row) + "px" }}>
      <div class="lanesight" style=${{ height: height - 2 + "px" }}>
        <div class="lanenames" style=${{ width: names + "px" }} role="list">
          ${seen.map((r, k) => { const y = axis + (first + k) * row - top; return y > axis - row &&
            html`<div role="listitem" class=${"lanename" + (r.t ? r.alone ? "" : " in" : " group")} key=${first + k}
              style=${{ top: y + "px" }} title=${(r.t ? r.t.name : r.group) + ": waits for locks " +
                C.duration(r.wait) + ", holds locks that others wait for " + C.duration(r.held)}>
              ${r.t ? html`<bdi>${r.t.name === "[other]" ? C.plural(l.merged, "other " + C.thread) : r.t.name}</bdi>` :
                html`<button type="button" class="turn" aria-expanded=${!r.closed} aria-label=${"group " + r.group}
                  onClick=${() => turn(r.group)}>${r.closed ? "▸" : "▾"}</button><bdi>${r.group || "[no name]"}</bdi>
                  <small>${r.lanes.length}</small>`}
              <span class="lanewait">${C.percent(r.wait, l.total)}</span></div>`; })}
          <div class="lanehead" style=${{ height: axis + "px" }}><small>${C.thread}<span class="lanewait">, share of
            waiting</span></small></div>
        </div>
        <canvas ref=${canvas} style=${{ width: wide + "px", height: height - 2 + "px" }} aria-hidden="true"
          onPointerDown=${e => { if (e.button) return; box.current.focus({ preventScroll: true });
            e.currentTarget.setPointerCapture(e.pointerId); const p = spot(e); brush({ from: p.ns, to: p.ns }); }}
          onPointerMove=${move} onPointerUp=${up} onPointerCancel=${() => brush(null)} onPointerLeave=${() => hover(-1)}
          onDblClick=${() => zoom(null)}></canvas>
        ${drag && html`<div class="lanebrush" style=${{
          left: names + wide * (Math.max(from, Math.min(drag.from, drag.to)) - from) / (to - from) + "px",
          width: wide * Math.abs(drag.to - drag.from) / (to - from) + "px" }}></div>`}
      </div></div></div>
      <p class="legend">
        ${C.coloured.slice(0, 7).map(n => html`<span class="entry"><span class="swatch"
          style=${{ background: C.colourOf(n) }}></span><${C.Lock} m=${m} kind=${C.state.by}
          text=${s.column(C.state.by).text(n)} /></span>`)}
        <span class="entry"><span class="swatch" style=${{ background: C.grey }}></span>other locks</span>
        <span class="entry"><span class="swatch lane-idle"></span>idle, asleep, or waiting for no lock</span>
        <span class="entry"><span class="swatch lane-io"></span>in I/O</span>
        <span class="entry"><span class="swatch lane-alive"></span>running, or not recorded</span>
        <span class="entry"><span class="lanekey"></span>bar: waits for the lock; line below: holds it while others
          ${" "}wait</span></p></div>`;
  };
})(window.contend);
