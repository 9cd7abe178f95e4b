"use strict";
// Threads waiting over time, one band for each lock. Brushing selects time.
(function (C) {
  const { html, useRef, useEffect, useState } = window.htmPreact;

  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // bands sums over time: the locks that have a colour, and all others.
  function bands(s, over) {
    const rest = Float64Array.from(over.all), out = [], column = s.column(C.state.by);
    for (const n of C.coloured) {
      const sums = over.of(n);
      if (!sums) continue;
      out.push({ name: column.text(n), colour: C.colourOf(n), sums });
      for (let b = 0; b < rest.length; b++) rest[b] -= sums[b];
    }
    if (
      rest.some(v => v > 0)) out.push({ name: out.length ? "others" : "all", colour: C.grey, sums: rest,
        others: true });
    return out;
  }

  // grouped makes at most so many points of the bins: a picture has no more.
  function grouped(m, width) {
    const by = Math.max(1, Math.ceil(m.bins / Math.max(60, width / 5)));
    return { by, points: Math.ceil(m.bins / by), ns: by * m.bin };
  }

  // stacked are the columns of a chart: times in seconds, then each band on top
  // of those below it, as threads waiting on average.
  function stacked(m, list, g) {
    const x = Array.from({ length: g.points + 1 }, (_, i) => i * g.ns / 1e9), below = new Float64Array(g.points),
      columns = [];
    x[g.points] = Math.max(x[g.points - 1], Math.min(m.duration, m.bins * m.bin) / 1e9);
    for (const band of list) {
      const y = new Array(g.points + 1);
      for (let p = 0; p < g.points; p++) {
        let ns = 0;
        const end = Math.min(m.bins, (p + 1) * g.by);
        for (let b = p * g.by; b < end; b++) ns += band.sums[b];
        below[p] += ns / Math.max(1, Math.min(g.ns, m.duration - p * g.ns));
        y[p] = below[p];
      }
      y[g.points] = y[g.points - 1];
      columns.push(y);
    }
    return [x, ...columns.reverse()];
  }

  // stops are what the whole program was stopped for, in the order in which they
  // are drawn: a strip each, at the foot of the chart.
  const stops = { "[gc pause]": ["garbage collection", "--pause"], "[safepoint]": ["safepoint", "--nobody"] },
    strip = 6;

  // phasesOf are those of locks, or of several of one class and site, that something selected waited
  // for, in the time that is selected.
  function phasesOf(s) {
    const m = s.model, { time } = C.state.filter, some = new Set(), places = new Set();
    if (!C.filtered(C.state.filter)) return m.analyze.phases;
    for (const i of s.some) { some.add(m.lock[i]); places.add(m.locks[m.lock[i]].place); }
    const selected = p => {
      const l = m.named.get(C.visible(p.lock));
      return l && (p.locks > 1 ? places.has(l.place) : some.has(m.locks.indexOf(l)));
    };
    return m.analyze.phases.filter(p => selected(p) &&
      (!time || p.startNs - m.start < time[1] && p.endNs - m.start > time[0]));
  }

  // shade draws the phases, as a bar above the bands, which no line cuts.
  function shade(u, m, phases) {
    const { ctx, bbox } = u, at = ns => u.valToPos(ns / 1e9, "x", true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.fillStyle = css("--phase");
    for (const p of phases) {
      const left = at(p.startNs - m.start);
      ctx.fillRect(left, bbox.top, Math.max(1, at(p.endNs - m.start) - left), 4 * devicePixelRatio);
    }
    ctx.restore();
  }

  // marks draws in front of the bands: pauses, and a veil over what is not selected.
  function marks(u, m, time) {
    const { ctx, bbox } = u, at = ns => u.valToPos(ns / 1e9, "x", true), unit = devicePixelRatio;
    ctx.save();
    m.pauses.forEach((p, k) => {
      ctx.fillStyle = css(stops[p.kind][1]);
      p.bin.forEach((bin, i) => {
        const left = Math.round(at(bin * m.bin)), wide = Math.max(2 * unit, Math.round(at((bin + 1) * m.bin)) - left);
        ctx.globalAlpha = 0.45 + 0.55 * Math.min(1, p.binNs[i] / m.bin);
        ctx.fillRect(left, bbox.top + bbox.height - (k + 1) * (strip + 1) * unit, wide, strip * unit);
      });
    });
    ctx.globalAlpha = 1;
    if (time) {
      const from = Math.max(bbox.left, at(time[0])), to = Math.min(bbox.left + bbox.width, at(time[1]));
      ctx.fillStyle = css("--veil");
      ctx.fillRect(bbox.left, bbox.top, from - bbox.left, bbox.height);
      ctx.fillRect(to, bbox.top, bbox.left + bbox.width - to, bbox.height);
    }
    ctx.restore();
  }

  function chart(box, s, over, show) {
    const m = s.model, list = bands(s, over), width = Math.max(320, box.clientWidth), g = grouped(m, width);
    const data = stacked(m, list, g), top = list.slice().reverse(), text = css("--text"), rule = css("--rule");
    const phases = phasesOf(s);
    const axis =
      { stroke: text, grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1 },
        font: "12px system-ui, sans-serif" };
    const seconds = v => +v.toFixed(6) + "";
    const u = new uPlot({
      width, height: Math.max(190, Math.min(300, Math.round(width / 4))), legend: { show: false },
        scales: { x: { time: false, range: [0, Math.max(data[0][data[0].length - 1], 1e-6)] },
          y: { range: (u, lo, hi) => [0, hi > 0 ? hi * 1.05 : 1] } },
      axes: [{ ...axis, size: 30, values: (u, ticks) => ticks.map(t => seconds(t + m.shift / 1e9) + " s") },
        { ...axis, size: 56, values: (u, ticks) => ticks.map(t => +t.toPrecision(3)) }],
      series: [{},
        ...top.map(b => ({ label: b.name, fill: b.colour, stroke: b.colour, width: 0.5, points: { show: false },
          paths: uPlot.paths.stepped({ align: 1 }) }))],
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      hooks: {
        draw: [u => { shade(u, m, phases); marks(u, m, C.state.filter.time); }],
        setSelect: [u => {
          if (u.select.width < 3) return;
          const edge = px => Math.max(0, Math.min(m.bins, Math.round(u.posToVal(px, "x") * 1e9 / m.bin)));
          const from = edge(u.select.left), to = Math.max(from + 1, edge(u.select.left + u.select.width));
          u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          C.narrow({ time: [from * m.bin, to * m.bin] });
        }],
        setCursor: [u => show(u.cursor.idx)],
      },
    }, data, box);
    const paused = i =>
      m.pauses.map(p => ({ kind: p.kind,
        ns: p.bin.reduce((a, bin, k) => Math.floor(bin / g.by) === i ? a + p.binNs[k] : a, 0) }))
        .filter(p => p.ns > 0);
    return { destroy: () => u.destroy(), list, phases,
      at: i =>
        i === null || i === undefined ? null :
          { seconds: data[0][i], paused: paused(i),
            values: top.map((b, k) => (data[k + 1][i] || 0) - (k + 1 < top.length ? data[k + 2][i] || 0 : 0))
              .reverse() } };
  }

  C.Time = function ({ s, over, width }) {
    const box = useRef(), drawn = useRef(), [at, setAt] = useState(null), [, drawnAgain] = useState(0);
    const m = s.model;
    useEffect(() => {
      if (!m.timed || !box.current) return;
      drawn.current = chart(box.current, s, over, i => setAt(drawn.current && drawn.current.at(i)));
      drawnAgain(n => n + 1);
      return () => { drawn.current.destroy(); drawn.current = null; };
    }, [s, over, width, C.dark]);
    if (!m.timed) return null; // the headline says so
    const time = C.state.filter.time, parts = drawn.current, by = C.state.by;
    const move = (shift, zoom) => {
      const [from, to] = time || [0, m.bins * m.bin], half = (to - from) / 2 * zoom,
        middle = (from + to) / 2 + shift * (to - from);
      const lo = Math.max(0, Math.round((middle - half) / m.bin)),
        hi = Math.min(m.bins, Math.max(lo + 1, Math.round((middle + half) / m.bin)));
      C.narrow({ time: lo === 0 && hi === m.bins ? undefined : [Math.min(lo, hi - 1) * m.bin, hi * m.bin] });
    };
    return html`<section class="card time"><header><h2>Threads waiting over time</h2>
      <span class="choice" role="group" aria-label="selected time">
        <button type="button" title="earlier" aria-label="earlier" onClick=${() => move(-0.5, 1)}>◀</button>
        <button type="button" title="later" aria-label="later" onClick=${() => move(0.5, 1)}>▶</button>
        <button type="button" title="half of it" aria-label="half of the time" onClick=${() => move(0, 0.5)}>+</button>
        <button type="button" title="twice of it" aria-label="twice the time" onClick=${() => move(0, 2)}>−</button>
        <button type="button" disabled=${!time} onClick=${() => C.narrow({ time: undefined })}>all time</button></span>
        </header>
      <div class="chart" ref=${box} role="img"
        aria-label="threads waiting on average, one band for each lock; drag to select time">
        </div>
      <div class="legend">
        ${parts &&
          parts.list.map((b, i) =>
            html`<span class="entry"><span class="swatch" style=${{ background: b.colour }}></span>
              ${b.others ? html`<span>${b.name}</span>` :
                html`<button type="button" class="link" onClick=${() => C.toggle(by, b.name)}>
                  <${C.Lock} m=${m} text=${b.name} kind=${by} /></button>`}
              ${at && html` <b>${C.average(at.values[i])}</b>`}</span>`)}
        ${parts && parts.phases.length > 0 &&
          html`<span class="entry"><span class="swatch phase"></span>phase of high pressure</span>`}
        ${m.pauses.map(p =>
          html`<span class="entry pauses"><span class="swatch" style=${{ background: `var(${stops[p.kind][1]})` }}>
            </span>${C.plural(p.count, stops[p.kind][0])} stopped all threads: ${C.duration(p.ns)}
            , longest ${C.duration(p.maxNs)}</span>`)}
        <span class="entry hint">
          ${at ?
            "at " + +(at.seconds + m.shift / 1e9).toFixed(3) + " s" +
              at.paused.map(p => `, ${C.duration(p.ns)} ${p.kind}`).join("") :
            "drag to select time"}
          </span></div></section>`;
  };
})(window.contend);
