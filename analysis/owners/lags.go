package owners

import (
	"contend/analysis/owners/renewal"
	"contend/format"
)

// within returns how long what takes so long at other times, of which there are
// some, is expected to have taken of a stretch.
func within(list sums, length int64) int64 {
	n, shorter := len(list)-1, list.upTo(0, length)
	return (list[shorter] + int64(n-shorter)*length) / int64(n)
}

// modelled reports whether the model tells of parts of such gaps, too.
func (b *builder) modelled() bool { return b.kin.model != nil && b.bounded() }

// took returns how much of a stretch before an activity inside is the section's.
func (b *builder) took(a anchor, length int64) int64 {
	lags := &b.kin.lags
	if a.start >= a.end || lags.count(a.stack) < renewal.Trust || !b.bounded() {
		return length
	}
	return mostly(within(lags.before[a.stack], length), length)
}

// approach charges the stretch before an anchor to its thread: as much of it as its
// section takes until then.
func (b *builder) approach(lo, hi int64, a anchor) {
	switch {
	case a.thread == format.NoThread:
		b.idle(lo, hi, a)
	case a.stack == format.NoStack:
		b.owned(lo, hi, a.thread)
	default:
		at := hi - b.took(a, hi-lo)
		b.vacant(lo, at)
		b.suppose(at, hi, a, b.kin.lags.count(a.stack))
	}
}

// suppose charges a stretch next to what is known of its owner, which so many
// others like it tell to be its own, too.
func (b *builder) suppose(lo, hi int64, a anchor, others int) {
	if a.prov != Inferred || others >= renewal.Trust {
		b.emit(lo, hi, a)
		return
	}
	a.prov = Estimated
	sure, at := float64(others)/float64(others+renewal.Trust), hi
	b.suspect(sure, 1-tolerance, halfway)
	if of, known := b.leaving(lo, hi, a); known > 0 {
		at = lo + mostly(int64(of.Part*float64(hi-lo)), hi-lo)
		b.taught(of.SureOwn, known)
	}
	b.emit(lo, at, a)
	b.vacant(at, hi)
}

// leaving returns how much of a stretch after an activity inside such sections last
// longer, and how far that is known.
func (b *builder) leaving(lo, hi int64, a anchor) (s renewal.Share, known float64) {
	if a.start >= a.end || a.end > lo || !b.modelled() {
		return s, 0
	}
	return b.kin.lags.leaving[a.stack].Share(hi - lo)
}

// taught corrects what is expected of what is charged next by what has been learnt of it,
// as far as that is known.
func (b *builder) taught(sure, known float64) {
	for _, right := range [...]*float64{&b.right, &b.least, &b.most} {
		*right = known*sure + (1-known)**right
	}
}

// mostly leaves out a rest that is as short as the tolerance.
func mostly(part, length int64) int64 {
	if float64(length-part) <= tolerance*float64(length) {
		return length
	}
	return part
}

// between charges the stretch from an acquisition to another thread's, which
// nothing but an activity inside tells of; false where the model does not know the
// first one.
func (b *builder) between(cur anchor, hi, gone int64) bool {
	site, ok := b.kin.sites[cur.stack]
	if cur.start < cur.end || !b.modelled() || !ok || cur.start >= hi || !b.s.isBusy(cur.start, hi) {
		return false
	}
	known := renewal.Gap{Site: site, Length: hi - cur.start}
	if gone < hi {
		known.Gone = max(gone-cur.start, 1)
	}
	g := *b.now
	g.lo, g.hi, g.least, g.last = cur.start, hi, 0, format.NoThread
	cur.prov = Estimated
	b.whole(&g, &known, cur)
	return true
}

// beforeFree charges the stretch from an acquisition to where the lock was seen free, of
// which that tells no more than its end; false where the model does not know it.
func (b *builder) beforeFree(cur anchor, hi int64) bool {
	g := *b.now
	if !b.modelled() || cur.start != g.lo || cur.end != g.lo || g.at == 0 || g.at == len(b.s.acquired) || g.stack == format.NoStack || !b.anyBusy(g.lo, hi) {
		return false
	}
	g.hi, g.least, g.last = hi, 0, format.NoThread
	b.estimate(&g)
	return true
}

// vacant charges a stretch between sections that are known.
func (b *builder) vacant(lo, hi int64) {
	if lo >= hi {
		return
	}
	if b.modelled() {
		g := *b.now
		g.lo, g.hi, g.least, g.last = lo, hi, 0, format.NoThread
		b.whole(&g, &renewal.Gap{Site: -1, Length: hi - lo}, anchor{})
		return
	}
	b.pool, b.sure, b.length = &b.pools[restNamed], 1, hi-lo
	b.expect(1 - 2*tolerance)
	b.add(lo, hi, Holder{Kind: Handoff, Prov: Estimated})
	b.pool = nil
}
