package owners

import (
	"contend/analysis/owners/renewal"
	"contend/format"
)

// estimate charges a gap that shows nobody by the model: from its beginning,
// where somebody waited all along, else from when the first one came.
func (b *builder) estimate(g *gap) {
	if g.at == 0 {
		b.arrival(g, &renewal.Gap{Site: -1}, anchor{})
		return
	}
	x, y := &b.s.acquired[g.at-1], &b.s.acquired[g.at]
	site := b.sites.numbered(uint32(g.stack), func() int { return b.kin.site(b.ev.sym, g.stack) })
	known := b.gapOf(b.kin, site, x, y)
	if g.hi < y.time { // then it was seen free
		known.Length, known.Last, known.Group = g.hi-g.lo, renewal.LastUnknown, 0
	}
	if known.Group >= b.kin.groupsLearnt {
		known.Group = 0
	}
	first := anchor{thread: x.thread, stack: g.stack, prov: Estimated}
	if b.free {
		first.thread = format.NoThread
	}
	if b.s.isBusy(g.lo, g.hi) {
		if known.Gone = b.gone(x, y); known.Gone >= known.Length {
			known.Gone = 0
		}
		b.whole(g, &known, first)
		return
	}
	b.arrival(g, &known, first)
}

// whole charges a gap with a waiter all along.
func (b *builder) whole(g *gap, known *renewal.Gap, first anchor) {
	shown := b.held(g, known, first)
	if known.Least > known.Gone {
		known.Gone = 0
	}
	p := &b.parts
	b.splitter.Split(known, p)
	dumped := first
	dumped.prov = Sampled
	b.emitOp(g.lo, g.lo+shown, dumped)
	own, _ := b.dues.thin(max(p.First-shown, 0), nil, p.Others, b.mergeable(g, p.Free), func() int64 { return roomFor(known.Gone, known.Length) - shown })
	at := g.lo + shown + own
	b.expect(p.SureFirst)
	b.emitOp(g.lo+shown, at, first)
	b.rest(g, at, p.Others, g.last, p.SureRest, &b.pools[restWhole])
}

// held notes until when somebody had the lock in a gap, and until when its first owner did.
// It returns until when a dump shows that: who is seen to have it long after such sections
// end has it again.
func (b *builder) held(g *gap, known *renewal.Gap, first anchor) (shown int64) {
	known.Held, known.Least = b.lastCame(g.lo, g.hi), min(g.least, known.Length)
	if known.Least > 0 && !b.splitter.Lasts(known) {
		known.Held, known.Least = max(known.Held, known.Least), 0
	}
	shown = known.Least
	last, own := b.ran(g.lo, g.hi, first)
	known.Held, known.Least = max(known.Held, last), max(known.Least, own)
	return shown
}

// roomFor returns how long the first owner of a gap may have had the lock, given
// when it was gone.
func roomFor(gone, length int64) int64 {
	if gone > 0 {
		return gone
	}
	return length
}

// mergeable returns the free time at the end of a gap that may be charged together
// with what was before it: none where the last owner waits for the lock again by
// then, and so has left it.
func (b *builder) mergeable(g *gap, free int64) int64 {
	if g.last == format.NoThread {
		return free
	}
	list := b.ev.Of(g.last)
	if lock, ok := b.ev.awaits(list, b.before(g.last, list, g.hi), g.hi); ok && lock == b.s.lock {
		return 0
	}
	return free
}

// arrival charges the part of a gap after the first thread came to wait: it
// met somebody, if not the first owner then a thread that had not waited.
func (b *builder) arrival(g *gap, known *renewal.Gap, first anchor) {
	if known.Site < 0 && g.last != format.NoThread {
		known.Last, known.Group = renewal.LastOther, b.kin.groupKnown(b.ev.sym, g.last)
		if known.Group >= b.kin.groupsLearnt {
			known.Group = 0
		}
	}
	at := max(b.s.busy[b.busyAfter(max(g.lo, b.s.busy[0].start))].start, g.lo)
	a := renewal.Arrival{Site: known.Site, Length: g.hi - at, Last: known.Last, Group: known.Group, Busy: b.wanted}
	if known.Site >= 0 {
		a.Elapsed = at - g.lo
	}
	m := &b.met
	last, _ := b.ran(at, g.hi, first)
	a.Held = max(b.lastCame(at, g.hi), last)
	b.splitter.Meet(&a, m)
	m.Own, _ = b.dues.thin(m.Own, m.First, m.Others, b.mergeable(g, m.Free), func() int64 {
		if known.Site < 0 {
			return 0
		}
		return roomFor(b.gone(&b.s.acquired[g.at-1], &b.s.acquired[g.at]), g.hi-g.lo) - a.Elapsed
	})
	met := m.Own
	for _, ns := range m.First {
		met += ns
	}
	b.expect(m.SureFirst * share(m.Own, met))
	b.emitOp(at, at+m.Own, first)
	b.stranger(g, at+m.Own, at+met, m.First, m.SureFirst*share(met-m.Own, met))
	b.rest(g, at+met, m.Others, g.last, m.SureRest, &b.pools[restArrival])
}

// stranger charges the stretch in which the first thread that came met one that
// had not waited; sure is how much of it does.
func (b *builder) stranger(g *gap, lo, hi int64, by []int64, sure float64) {
	b.pool, b.sure, b.length = &b.pools[restMet], sure, hi-lo
	b.others(g, lo, by, g.last)
	b.pool = nil
}

// rest charges what follows the first section of a gap; sure is how much of it
// does.
func (b *builder) rest(g *gap, at int64, by []int64, thread format.ThreadID, sure float64, p *pool) {
	b.sure, b.length = sure, g.hi-at
	b.pool = p
	defer func() { b.pool = nil }()
	at = b.others(g, at, by, thread)
	b.expect(sure * share(g.hi-at, b.length))
	b.add(at, g.hi, Holder{Kind: Handoff, Prov: Estimated})
}

// others charges the sections of threads that took the free lock: to what
// samples show in the gap, else to those the model expects.
func (b *builder) others(g *gap, at int64, by []int64, thread format.ThreadID) int64 {
	total := int64(0)
	for _, ns := range by {
		total += ns
	}
	if total == 0 { // often, since few parts are charged; see thin
		return at
	}
	seen, right := b.witnessed(g, b.kin.witnesses.is)
	if len(seen) == 0 {
		if g.last != format.NoThread && g.last != g.first.thread && !b.kin.waited(b.kin.groupKnown(b.ev.sym, g.last)) {
			b.now = g
			b.owned(at, at+total, g.last)
			return at + total
		}
		return b.spread(at, by, thread)
	}
	p := b.pool
	b.pool = nil
	defer func() { b.pool = p }()
	b.expect(right * share(total, b.length)) // they have it so much of the time, and when is not told
	for i, a := range seen {
		lo, hi := total*int64(i)/int64(len(seen)), total*int64(i+1)/int64(len(seen))
		b.emitOp(at+lo, at+hi, a)
	}
	return at + total
}

// lastCame returns how long after lo the last thread came before hi that had to
// wait: somebody had the lock then. Where the lock is fair, who comes while others wait
// waits, held or not.
func (b *builder) lastCame(lo, hi int64) int64 {
	at, ok := b.waiterCounts.lastBegan(hi)
	if b.cameLast = at; b.without == theLast && ok {
		at, ok = b.waiterCounts.lastBegan(at)
	}
	if !ok || at <= lo || b.kin.fair {
		return 0
	}
	return at - lo
}
