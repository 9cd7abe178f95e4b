"use strict";
// Threads over time, their data: spans and sums of spans by thread, what of them a filter lets
// through, and which spans a wait waited for.
(function (C) {
  const holding = 0, waiting = 1;
  C.laneStates = { holding, waiting, idle: 2, acting: 3 };

  // LaneModel has the spans of all threads in columns, those of a thread one behind the other.
  C.LaneModel = function (m, d) {
    const t = d.threads, s = d.spans, sums = d.sums, l = this;
    l.m = m;
    l.count = s.ns.length;
    l.start = new Float64Array(l.count);
    l.end = new Float64Array(l.count);
    l.thread = new Int32Array(l.count);
    for (const name of ["state", "lock", "stack", "site", "doing", "known", "right"]) {
      l[name] = Int32Array.from(s[name]);
    }
    l.merged = t.merged;
    let at = 0;
    l.threads = t.name.map((name, i) => {
      const from = at;
      for (let start = 0; at < from + s.count[i]; at++) {
        l.start[at] = start += s.startNs[at];
        l.end[at] = start + s.ns[at];
        l.thread[at] = i;
      }
      return { i, name: C.visible(name), group: C.visible(t.group[i]), first: t.firstNs[i], last: t.lastNs[i],
        wait: t.waitNs[i], held: t.heldNs[i], spans: t.spans[i], from, to: at, sums: [] };
    });
    l.total = l.threads.reduce((sum, t) => sum + t.wait, 0);
    l.bin = sums.binNs;
    l.summed = 0;
    at = 0;
    sums.thread.forEach((thread, r) => {
      const cells = [];
      for (let bin = 0, n = sums.count[r]; n > 0; n--, at++) {
        bin += sums.bin[at];
        cells.push({ start: sums.fromNs + bin * l.bin, part: sums.part[at] / 1000 });
      }
      l.summed += cells.length;
      l.threads[thread].sums.push({ lock: sums.lock[r], state: sums.state[r], doing: sums.doing[r], cells });
    });
    l.byLock = new Map(); // spans by lock and state, in order of time
    for (let i = 0; i < l.count; i++) {
      if (l.lock[i] < 0 || l.state[i] > waiting) continue;
      const key = 2 * l.lock[i] + l.state[i];
      if (!l.byLock.has(key)) l.byLock.set(key, []);
      l.byLock.get(key).push(i);
    }
    for (const list of l.byLock.values()) list.sort((a, b) => l.start[a] - l.start[b]);
  };

  // The kinds of a filter that are about a lock, its waiter and its owner.
  const ofLock = ["lock", "place", "class"], ofWaiter = ["waiter", "waiterSite", "waiterFrame"],
    ofOwner = ["owner", "ownerSite", "ownerFrame", "doing", "known"];

  C.LaneModel.prototype = {
    // other lists the spans of the lock's other side at the same time: the holds that a wait
    // waited for, or the waits for a hold, the longest overlap first.
    other(i) {
      const list = this.byLock.get(2 * this.lock[i] + (1 - this.state[i])) || [], out = [];
      for (const k of list) {
        if (this.start[k] >= this.end[i]) break;
        const ns = Math.min(this.end[k], this.end[i]) - Math.max(this.start[k], this.start[i]);
        if (ns > 0 && this.thread[k] !== this.thread[i]) out.push({ span: k, ns });
      }
      return C.order(out, o => o.ns);
    },

    // fits reports whether a lock, and what else is known of a wait or a hold, is in a filter.
    fits(f, kinds, thread, lock, i) {
      const m = this.m, of = m.locks[lock], name = n => n < 0 ? "" : m.stacks.names[n];
      const onStack = n => n >= 0 && m.stacks.frames(n).map(x => m.stacks.name(x));
      const texts = {
        lock: () => of && of.shown, place: () => of && m.places[of.place], class: () => of && m.classes[of.class].shown,
        waiter: () => thread.group, owner: () => thread.group, waiterSite: () => name(this.site[i]),
        ownerSite: () => name(this.site[i]), doing: () => name(this.doing[i]), known: () => C.known[this.known[i]],
      };
      return kinds.every(kind => {
        if (texts[kind]) return C.wanted(f[kind], texts[kind]() || "");
        const frames = onStack(this.stack[i]);
        return frames && frames.some(x => f[kind].includes(x));
      });
    },

    // select marks the waits and holds that a filter lets through, and the sums; other states
    // of threads are never left out. unknown are the filters that say nothing of spans.
    select(f) {
      const asked = kinds => kinds.filter(k => f[k] && f[k].length), side = [ofOwner, ofWaiter].map(asked);
      const ok = new Uint8Array(this.count).fill(1), frame = asked(["frame"]), locks = asked(ofLock);
      const own = side.map(kinds => [...locks, ...kinds, ...frame]);
      for (let i = 0; i < this.count; i++) {
        const kinds = own[this.state[i]];
        if (kinds && kinds.length) ok[i] = this.fits(f, kinds, this.threads[this.thread[i]], this.lock[i], i) ? 1 : 0;
      }
      const both = Uint8Array.from(ok); // the other side of a wait or a hold has to fit, too
      for (let i = 0; i < this.count; i++) if (ok[i] && this.state[i] <= waiting && side[1 - this.state[i]].length) {
        both[i] = this.other(i).some(o => ok[o.span]) ? 1 : 0;
      }
      const blind = side[0].concat(side[1], frame).filter(k => k !== "waiter" && k !== "owner");
      const row = (t, r) => r.state > waiting || !blind.length && !side[1 - r.state].length &&
        this.fits(f, own[r.state], t, r.lock);
      return { ok: both, row, unknown: asked(["blockedOn", "rootLock"]), sumsLeftOut: blind.length > 0 };
    },

    // rows are the lanes that have something of a selection, by group: what waits most comes first.
    rows(f, chosen, closed) {
      const [from, to] = f.time || [-Infinity, Infinity], groups = new Map(),
        only = Object.keys(f).some(k => k !== "time" && f[k] && f[k].length);
      const within = (a, b) => Math.max(0, Math.min(b, to) - Math.max(a, from));
      for (const t of this.threads) {
        const sum = [0, 0];
        for (let i = t.from; i < t.to; i++) {
          if (chosen.ok[i] && this.state[i] <= waiting) sum[this.state[i]] += within(this.start[i], this.end[i]);
        }
        for (const r of t.sums) if (r.state <= waiting && chosen.row(t, r)) {
          for (const c of r.cells) sum[r.state] += c.part * within(c.start, c.start + this.bin);
        }
        if (only && !sum[0] && !sum[1]) continue;
        if (!groups.has(t.group)) groups.set(t.group, { group: t.group, lanes: [], wait: 0, held: 0 });
        const g = groups.get(t.group);
        g.lanes.push({ t, wait: sum[waiting], held: sum[holding] });
        g.wait += sum[waiting];
        g.held += sum[holding];
      }
      const weight = x => x.wait + 1e-6 * x.held, out = [];
      for (const g of C.order([...groups.values()], weight)) {
        C.order(g.lanes, weight);
        const alone = g.lanes.length === 1;
        if (!alone) out.push({ ...g, closed: closed.has(g.group) });
        if (alone || !closed.has(g.group)) out.push(...g.lanes.map(l => ({ ...l, alone })));
      }
      return out;
    },
  };
})(window.contend);
