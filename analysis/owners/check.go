package owners

import (
	"cmp"
	"slices"

	"contend/format"
)

// prepare begins to fill gaps.
func (b *builder) prepare() {
	b.charging = &charging{}
	b.wanted = b.s.busyShare()
	b.typical = b.s.busyTime() / int64(max(len(b.s.acquired), 1))
	b.splitter = b.kin.model.Splitter()
	b.known = b.kin.known()
	b.waiterCounts = b.ev.waiterCounts(b.ev.byLock[b.s.lock])
}

// check asks who owned the lock at each dump of a gap, as if there were no
// dumps.
func (b *builder) check(g *gap) {
	shown := b.shown(g.lo, g.hi)
	if len(shown) == 0 {
		return
	}
	owed, dues := slices.Clone(b.owed), b.dues.clone()
	claims := b.blindly(g)
	b.owed, b.dues = owed, dues
	for i := range shown {
		b.compare(&shown[i], claims)
	}
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
			b.trust[c.Holder.Prov].Seen.add(waiters, b.agree(s, &c.Holder))
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
