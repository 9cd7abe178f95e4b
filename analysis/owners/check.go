package owners

import (
	"cmp"
	"slices"

	"contend/format"
)

// prepare begins to fill gaps.
func (b *builder) prepare() {
	b.charging = &charging{}
	b.places = nil // locks that were studied one after the other are rebuilt several at a time
	b.wanted = b.s.busyShare()
	b.typical = b.s.busyTime() / int64(max(len(b.s.acquired), 1))
	if b.splitter == nil { // else it remembers what a tally asked for
		b.splitter = b.kin.model.Splitter()
	}
	if b.kin.scarce {
		b.splitter.Spare(b.kin.spare)
	}
	b.known = b.kin.known()
	b.waiterCounts = b.s.waiterCounts()
}

// check asks who owned the lock at each dump of a gap, as if there were no
// dumps.
func (b *builder) check(g *gap) {
	shown := b.shown(g.lo, g.hi)
	if len(shown) == 0 {
		return
	}
	claims := b.tentatively(g)
	for i := range shown {
		b.compare(&shown[i], claims)
	}
}

// ask holds back from what is claimed of a gap who came meanwhile, and samples of
// running threads. Who is known to have come last was there because somebody had the
// lock until then: it is held back alone, and the others beside it. Where there are no
// samples to be held back, what is claimed without them is what is claimed: it is
// charged then, which filled reports.
func (b *builder) ask(g *gap) (filled bool) {
	if b.s.shared || b.free || b.kin.fair || b.kin.model == nil { // who comes need not meet an owner
		return false
	}
	if (g.at/tallyRun+int(b.s.lock))%b.ev.oneAsked != 0 {
		return false
	}
	if b.comes(g) {
		b.askWithout(theLast, func() { b.tentatively(g) })
	}
	if b.sampled(g) {
		b.askWithout(theSamples, func() { b.tentatively(g) })
		return false
	}
	b.askWithout(theSamples, func() { b.fill(g) })
	return true
}

// comes reports whether anybody came to wait in a gap while somebody else did: who comes
// where a claim begins tells nothing of it, and so in most gaps there is nobody to hold back.
func (b *builder) comes(g *gap) bool {
	at, ok := b.waiterCounts.lastBegan(g.hi)
	return ok && at > b.waitedFrom(g)
}

// askWithout asks about what is claimed without what is held back.
func (b *builder) askWithout(what heldBack, claim func()) {
	b.without, b.pooled, b.cameLast = what, b.pooled[:0], minTime
	claim()
	for i := range b.pooled {
		b.answer(&b.pooled[i])
	}
	b.without = nothing
}

// sampled reports whether what is claimed of a gap may draw on samples: those of
// running threads tell nothing of locks of a kind where nobody is named.
func (b *builder) sampled(g *gap) bool {
	running := b.kin.witnesses.total > 0 && (b.kin.locks == 1 || g.last != format.NoThread)
	return running || len(b.shown(g.lo, g.hi)) > 0
}

// answer counts what was held back from a claim.
func (b *builder) answer(p *pooled) {
	a, owned := &p.pool.said, p.Holder.Kind == Thread
	if b.without == theSamples {
		a.claim(b.waiterCounts.during(p.Start, p.End), owned)
		b.shownIn(a, p)
	}
	waits := &b.waiterCounts
	first, last := waits.starts.upTo(waits.began, p.Start), waits.starts.upTo(waits.began, p.End-1)
	for i := first; i < last; i++ {
		if at := waits.starts.instant(i); (at == b.cameLast) == (b.without == theLast) {
			a.meet(waits.waiting(at-1), owned)
		}
	}
}

// shownIn counts samples of running threads in a claim: of one lock, since those of
// several of a kind look alike.
func (b *builder) shownIn(a *answers, p *pooled) {
	if b.kin.locks > 1 {
		return
	}
	w := b.kin.witnesses
	b.running(format.NoThread, p.Start, p.End, func(t format.ThreadID, st format.StackID) {
		if b.ev.inputOfThread(t) != b.kin.input {
			return
		}
		if at := w.at(st); at != nil && at.site >= 0 {
			a.show(p.Holder.Kind == Thread && w.family.of(p.Holder.Stack).key == at.key)
		}
	})
}

// tentatively is blindly, and nothing is owed or settled by it.
func (b *builder) tentatively(g *gap) []Ownership {
	b.owedBefore = append(b.owedBefore[:0], b.owed...)
	b.duesBefore.copy(&b.dues)
	charged := b.blindly(g)
	b.owed = append(b.owed[:0], b.owedBefore...)
	b.dues.copy(&b.duesBefore)
	return charged
}

// blindly fills a gap as if there were no dumps, and charges nothing. What it would
// charge comes in order of time, and is good until something is.
func (b *builder) blindly(g *gap) []Ownership {
	out := len(b.out)
	b.blind = true
	b.fill(g)
	b.blind = false
	charged := b.out[out:]
	b.out = b.out[:out]
	slices.SortStableFunc(charged, func(a, b Ownership) int { return cmp.Compare(a.Start, b.Start) })
	return charged
}

// compare holds the claims about a gap against a dump.
func (b *builder) compare(s *sample, claims []Ownership) {
	waiters := b.waiterCounts.waiting(s.time)
	for i := range claims {
		c := &claims[i]
		if c.Start <= s.time && s.time < c.End && waiters > 0 && c.Holder.Kind != Nobody {
			t, agrees := &b.trust[c.Holder.Prov], b.agree(s, &c.Holder)
			t.Seen.add(waiters, agrees)
			if b.weighed && c.Holder.Prov == Estimated {
				t.drawn.seen.add(waiters, agrees)
			}
			return
		}
	}
}

// agree reports whether a claim names what a dump shows: the free lock, or the
// section of the program its owner is in.
func (b *builder) agree(s *sample, h *Holder) bool {
	if s.thread == format.NoThread || h.Kind != Thread {
		return s.thread == format.NoThread && h.Kind == Handoff
	}
	family := b.kin.witnesses.family
	saw, said := family.of(s.stack), family.of(h.Stack)
	if saw.key == 0 || said.key == 0 {
		return s.thread == h.Thread
	}
	return saw.key == said.key
}
