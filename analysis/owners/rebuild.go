package owners

import (
	"cmp"
	"contend/analysis/owners/renewal"
	"slices"

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

// rebuild says who owned a lock while somebody waited for it. It cuts time at
// the acquisitions: each begins a gap with its new owner (rule 1) and ends the
// one before with the owner it names (rule 3).
func (b *builder) rebuild() []Ownership {
	s := b.s
	b.wanted = s.busyShare()
	b.crowd = b.ev.crowd(b.ev.byLock[s.lock])
	if b.free && s.several() {
		b.together()
		return b.out
	}
	b.gaps(func(g *gap) {
		b.check(g)
		b.fill(g)
	})
	return b.out
}

// gaps calls f with each stretch between acquisitions in which somebody waited.
func (b *builder) gaps(f func(*gap)) {
	s, ev, free := b.s, b.ev, b.free
	for i := 0; i <= len(s.acquired); i++ {
		g := gap{lo: minTime, hi: maxTime, at: i}
		if i > 0 {
			a := &s.acquired[i-1]
			g.lo, g.first = a.time, anchor{a.time, a.time, a.thread, ev.wait(a).Stack, Inferred}
			if free {
				g.first = anchor{a.time, a.time, format.NoThread, format.NoStack, Unknown}
			}
		}
		if i < len(s.acquired) {
			g.hi, g.last = s.acquired[i].time, ev.wait(&s.acquired[i]).prev()
		}
		if g.lo < g.hi && b.anyBusy(g.lo, g.hi) {
			f(&g)
		}
	}
}

// gap is the stretch between two successive acquisitions by waiters.
type gap struct {
	lo, hi int64
	at     int
	least  int64           // so long the acquirer had it, at least
	first  anchor          // the acquirer at lo
	last   format.ThreadID // held the lock just before hi, NoThread when not told
}

// builder turns gaps into ownerships.
type builder struct {
	ev     *evidence
	s      *section
	out    []Ownership
	kin    *kin
	now    *gap // being filled
	crowd  crowd
	parts  renewal.Parts // scratch
	met    renewal.Met   // scratch
	right  float64       // share of what is charged that is expected to be right
	trust  Calibration
	sure   float64 // of the rest of a gap, and how long that is
	length int64
	blind  bool // dumps are held back
	free   bool
	owed   []int64
	wanted float64
}

// anyBusy reports whether anybody waited between lo and hi.
func (b *builder) anyBusy(lo, hi int64) bool {
	i := b.busyAfter(lo)
	return i < len(b.s.busy) && b.s.busy[i].start < hi
}

// busyAfter returns the index of the first busy stretch that ends after t.
func (b *builder) busyAfter(t int64) int {
	i, _ := slices.BinarySearchFunc(b.s.busy, t, func(s span, t int64) int { return cmp.Compare(s.end, t+1) })
	return i
}

// fill lays the anchors of a gap out in time and joins them.
func (b *builder) fill(g *gap) {
	b.now = g
	list := b.anchors(g)
	if b.kin.model != nil && b.unclear(g, list) && g.at < len(b.s.acquired) && (g.at == 0 || b.ev.wait(&b.s.acquired[g.at-1]).Stack != format.NoStack) {
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
		b.join(cur, next, final && g.last == format.NoThread)
	}
}

// anchors returns the known points of a gap in time: the acquirer (rule 1),
// and what overrides it (rule 2). The last owner is implied by hi.
func (b *builder) anchors(g *gap) []anchor {
	list := []anchor{g.first}
	if g.lo == minTime {
		list[0] = anchor{g.lo, g.lo, format.NoThread, format.NoStack, Unknown}
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
		add(anchor{s.time, s.time, s.thread, s.stack, Sampled})
	}
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

// homeOf returns the stack to show for an activity whose own shows the runtime
// only: that of its thread's acquisition, or of the site it is known to
// belong to, else its own.
func (b *builder) homeOf(a anchor, g *gap) format.StackID {
	known, ok := b.s.homes[a.stack]
	near := !ok || a.start-g.lo <= known.within
	if near && a.thread == g.first.thread && g.first.stack != format.NoStack && b.left(a.thread, g.lo, a.start) >= a.start {
		return g.first.stack
	}
	if ok {
		return known.stack
	}
	return a.stack
}

// inside returns what threads did inside the section that began in [lo, hi).
func (b *builder) inside(lo, hi int64) []anchor {
	seen := b.s.seen
	from, _ := slices.BinarySearchFunc(seen, lo, func(a anchor, t int64) int { return cmp.Compare(a.start, t) })
	to, _ := slices.BinarySearchFunc(seen, hi, func(a anchor, t int64) int { return cmp.Compare(a.start, t) })
	return seen[from:to]
}

// shown returns the owners dumps show in [lo, hi).
func (b *builder) shown(lo, hi int64) []sample {
	if b.blind {
		return nil
	}
	shown := b.ev.shown[b.s.lock]
	from, _ := slices.BinarySearchFunc(shown, lo, func(s sample, t int64) int { return cmp.Compare(s.time, t) })
	to, _ := slices.BinarySearchFunc(shown, hi, func(s sample, t int64) int { return cmp.Compare(s.time, t) })
	return shown[from:to]
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
	gone := b.left(cur.thread, lo, hi)
	if cur.thread == next.thread || open {
		b.keep(cur, next, lo, hi, gone)
		return
	}
	// Another thread took the lock in between, after the first was seen
	// elsewhere at the latest, and not before it was free to come itself.
	came := b.came(next, lo)
	split := min(max(lo+b.remaining(cur, hi-lo), came), gone)
	b.emit(lo, split, cur)
	from := max(split, came)
	b.idle(split, from, anchor{prov: Inferred})
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
	return length / 2
}

// keep charges a stretch at both ends of which the same thread owned the
// lock, unbroken unless it was seen elsewhere (rule 3), or whose later end
// nothing tells (rule 4).
func (b *builder) keep(cur, next anchor, lo, hi, gone int64) {
	if gone >= hi {
		b.emit(lo, hi, cur)
		return
	}
	b.emit(lo, gone, cur)
	back := b.came(anchor{start: hi, thread: cur.thread}, gone)
	if cur.thread != next.thread { // nobody is known to have it now
		b.idle(gone, hi, anchor{prov: Unknown})
		return
	}
	b.idle(gone, back, anchor{prov: Inferred})
	b.approach(back, hi, next)
}

// approach charges the stretch before an anchor to its thread.
func (b *builder) approach(lo, hi int64, a anchor) {
	if a.thread == format.NoThread {
		b.idle(lo, hi, a)
		return
	}
	if a.stack == format.NoStack && !b.guess(lo, hi, a.thread) {
		a.prov = ThreadOnly
		b.emit(lo, hi, a)
	} else if a.stack != format.NoStack {
		b.emit(lo, hi, a)
	}
}

// left returns when a thread that owned the lock at lo was first seen
// elsewhere (rule 4): the beginning of its next activity that is not inside the
// section; hi if there is none before.
func (b *builder) left(t format.ThreadID, lo, hi int64) int64 {
	list := b.ev.Of(t)
	for _, i := range list[b.ev.before(list, lo):] {
		d := b.ev.at(i)
		if d.start >= hi {
			break
		}
		if d.lock == b.s.lock || d.end > d.start && !b.ev.within(b.s, t, &d) {
			return d.start
		}
	}
	return hi
}

// came returns since when a thread that owns the lock at a.start may have
// owned it (rule 4, backwards): the end of its last activity that is not inside
// the section; lo if there is none after.
func (b *builder) came(a anchor, lo int64) int64 {
	if a.thread == format.NoThread {
		return lo
	}
	list := b.ev.Of(a.thread)
	for i := b.ev.before(list, a.start) - 1; i >= 0; i-- {
		d := b.ev.at(list[i])
		if d.start < lo {
			break
		}
		if d.end <= a.start && (d.lock == b.s.lock || d.end > d.start && !b.ev.within(b.s, a.thread, &d)) {
			return max(d.end, lo)
		}
	}
	return lo
}

// idle charges a stretch nobody is known to have owned the lock in: to the
// hand-off where the anchor shows it free, else to nobody (rule 4).
func (b *builder) idle(lo, hi int64, a anchor) {
	if a.prov == Unknown {
		return // a gap between ownerships is unknown by itself
	}
	b.add(lo, hi, Holder{Kind: Handoff, Prov: a.prov})
}

// emit charges a stretch to an anchor's thread.
func (b *builder) emit(lo, hi int64, a anchor) {
	if a.thread == format.NoThread {
		b.idle(lo, hi, a)
		return
	}
	b.add(lo, hi, Holder{Kind: Thread, Prov: a.prov, Thread: a.thread, Stack: a.stack})
}

// add appends the busy parts of an ownership.
func (b *builder) add(lo, hi int64, h Holder) {
	for i := b.busyAfter(lo); i < len(b.s.busy) && b.s.busy[i].start < hi; i++ {
		from, to := max(lo, b.s.busy[i].start), min(hi, b.s.busy[i].end)
		if from < to {
			b.out = append(b.out, Ownership{from, to, b.s.lock, h})
			b.believe(from, to, h)
		}
	}
}
