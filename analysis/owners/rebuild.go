package owners

import (
	"contend/analysis/owners/renewal"
	"contend/format"
)

// The rules that say who owned a lock between its acquisitions where nothing
// tells of its releases, from the best evidence each stretch has:
//
//  1. a thread that got the lock after waiting owns it from then on, with the
//     stack it waited with;
//  2. anchors override: what a dump shows at an instant, and what a thread
//     was seen doing that only happens inside the section;
//  3. the next acquisition names the last owner. If that is the same thread,
//     and it was seen nowhere else between, the tenure is unbroken. If it is
//     another thread, that one took the lock without waiting, at some time
//     since;
//  4. a thread seen outside the section has released the lock before. What
//     then remains of a stretch, with nobody known to have taken it, is the
//     hand-off if the last owner is known to be gone, else unknown.
//
// The functions that apply a rule name it by its number.

// fill lays the anchors of a gap out in time and joins them.
func (b *builder) fill(g *gap) {
	b.now = g
	list := b.anchors(g)
	if b.kin.model != nil && b.unclear(g, list) && g.at < len(b.s.acquired) && (g.at == 0 || g.stack != format.NoStack) {
		b.estimate(g)
		return
	}
	for i := range list {
		cur := list[i]
		next := anchor{start: g.hi, end: g.hi, thread: g.last, prov: Unknown}
		final := i+1 == len(list)
		if !final {
			next = list[i+1]
		}
		b.emit(cur.start, cur.end, cur)
		cur.did, next.did = none, none // what it did before and after nobody knows
		b.join(cur, next, final && g.last == format.NoThread)
	}
}

// anchors returns the known points of a gap in time: the acquirer (rule 1),
// and what overrides it (rule 2). The last owner is implied by hi.
func (b *builder) anchors(g *gap) []anchor {
	list := append(b.list[:0], g.first)
	if g.lo == minTime {
		list[0] = anchor{g.lo, g.lo, format.NoThread, format.NoStack, Unknown, none}
	}
	add := func(a anchor) {
		whole := a
		a.start, a.end = max(a.start, g.lo), min(a.end, g.hi)
		if last := &list[len(list)-1]; a.start >= last.end && a.start <= a.end {
			list = append(list, a)
			whole.start = a.end
		}
		if b.s.shared && whole.start < whole.end { // together with others
			b.emit(whole.start, whole.end, whole)
		}
	}
	known := b.inside(g.lo, g.hi)
	shown := b.shown(g.lo, g.hi)
	for len(known) > 0 || len(shown) > 0 {
		if len(shown) == 0 || len(known) > 0 && known[0].start <= shown[0].time {
			k := known[0]
			if b.ev.sym.Bare(k.stack) {
				k.stack = b.homeOf(k, g)
			}
			add(k)
			known = known[1:]
			continue
		}
		s := shown[0]
		shown = shown[1:]
		if last := &list[len(list)-1]; s.time < last.end { // a dump in the middle of a known activity confirms it
			if last.thread == s.thread {
				last.prov = Sampled
			}
			continue
		}
		add(anchor{s.time, s.time, s.thread, s.stack, Sampled, none})
	}
	b.list = list
	return list
}

// unclear reports whether nothing is known of a gap but that its first owner
// still had the lock at times.
func (b *builder) unclear(g *gap, list []anchor) bool {
	for _, a := range list[1:] {
		if a.prov != Sampled || a.start != a.end || a.thread != g.first.thread || a.thread == format.NoThread {
			return false
		}
		g.least = a.end - g.lo
	}
	return true
}

// join charges the stretch between two anchors: to the first until it was seen
// elsewhere (rule 4), then to the second, which took the lock in between if it
// is another thread (rule 3).
func (b *builder) join(cur, next anchor, open bool) {
	lo, hi := cur.end, next.start
	if lo >= hi {
		return
	}
	if cur.thread == format.NoThread { // free or unknown before, taken by next at some time since
		b.approach(b.came(next, lo), hi, next)
		b.idle(lo, b.came(next, lo), cur)
		return
	}
	if next.thread == format.NoThread && !open && b.beforeFree(cur, hi) {
		return
	}
	gone := b.left(cur.thread, lo, hi)
	if cur.thread == next.thread || open {
		b.keep(cur, next, lo, hi, gone)
		return
	}
	// Another thread took the lock in between, after the first was seen
	// elsewhere at the latest, and not before it was free to come itself.
	came := b.came(next, lo)
	if next.stack != format.NoStack && next.start < next.end {
		if at := hi - b.took(next, hi-came); b.between(cur, at, gone) {
			b.emit(at, hi, next)
			return
		}
	}
	split := min(max(lo+b.remaining(cur, hi-lo), came), gone)
	b.suppose(lo, split, cur, 0)
	from := max(split, came)
	b.suspect(0, 0, halfway) // it has it no more, and the next one not yet
	b.idle(split, from, anchor{prov: Estimated})
	b.approach(from, hi, next)
}

// remaining estimates how much longer an owner keeps the lock within a
// stretch at whose end another has it: not at all when an activity inside the
// section has just ended, else as long as its section usually takes, else,
// when nothing is known or that does not fit, half of it.
func (b *builder) remaining(cur anchor, length int64) int64 {
	if cur.start < cur.end {
		return 0
	}
	if hold := b.s.hold(cur.stack); hold > 0 && hold < length {
		return hold
	}
	return int64(halfway * float64(length))
}

// keep charges a stretch at both ends of which the same thread owned the
// lock, unbroken unless it was seen elsewhere (rule 3), or whose later end
// nothing tells (rule 4).
func (b *builder) keep(cur, next anchor, lo, hi, gone int64) {
	if gone >= hi {
		b.kept(cur, next, lo, hi)
		return
	}
	b.lasts(cur, lo, gone, hi)
	back := b.came(anchor{start: hi, thread: cur.thread}, gone)
	if cur.thread != next.thread { // nobody is known to have it now
		b.unseen(gone, hi)
		return
	}
	b.idle(gone, back, anchor{prov: Inferred})
	b.approach(back, hi, next)
}

// unseen charges what is left of a gap after all that is known of it by the model: who
// came when nobody waited met somebody.
func (b *builder) unseen(lo, hi int64) {
	if !b.modelled() || b.now.at == len(b.s.acquired) || !b.anyBusy(lo, hi) {
		return // unknown
	}
	if b.s.busy[b.busyAfter(lo)].start <= lo {
		b.vacant(lo, hi)
		return
	}
	g := *b.now
	g.lo, g.hi, g.least = lo, hi, 0
	b.arrival(&g, &renewal.Gap{Site: -1}, anchor{})
}

// kept charges such a stretch where the thread was seen nowhere else: as much of it
// as such sections take.
func (b *builder) kept(cur, next anchor, lo, hi int64) {
	again := cur.thread == next.thread
	if again && next.start < next.end {
		if b.apart(cur, next) {
			at := hi - b.took(next, hi-lo)
			b.suppose(lo, at, cur, 0)
			lo, cur = at, next
		}
		b.emit(lo, hi, cur)
		return
	}
	others := 0
	if cur.start < cur.end { // until when is not told: as likely as not
		others = renewal.Trust - 1
	}
	if at := b.lastsUntil(cur, lo, hi, hi); at < hi {
		b.emit(lo, at, cur)
		cur.prov, lo = Inferred, at
	}
	b.suppose(lo, hi, cur, others)
}

// apart reports whether an acquisition and an activity are of different sections.
func (b *builder) apart(cur, next anchor) bool {
	family := b.kin.witnesses.family
	x, y := family.of(cur.stack), family.of(next.stack)
	return x.site >= 0 && y.site >= 0 && x.site != y.site
}

// lastsUntil returns until when the section lasts in which a sample shows an owner at lo,
// which was gone at some time: it tells no more than an instant, and what is longer than such
// sections still take is doubted.
func (b *builder) lastsUntil(cur anchor, lo, gone, hi int64) int64 {
	if cur.start < cur.end || cur.prov != Sampled || !b.modelled() {
		return gone
	}
	b.splitter.Meet(&renewal.Arrival{Site: -1, Length: hi - lo, Busy: 1}, &b.met)
	return min(lo+mostly(sum(b.met.First), gone-lo), gone)
}

// lasts charges the stretch after an owner was seen until it was seen elsewhere.
func (b *builder) lasts(cur anchor, lo, gone, hi int64) {
	at := b.lastsUntil(cur, lo, gone, hi)
	b.suppose(lo, at, cur, 0)
	cur.prov = Inferred
	b.suppose(at, gone, cur, 0)
}
