package owners

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// builder turns the gaps of one lock into ownerships.
type builder struct {
	ev   *evidence
	s    *section
	kin  *kin
	free bool // its permits have no owner to chain
	out  []Ownership

	now      *gap        // being filled
	blind    bool        // dumps are held back, and what is charged is asked for only
	without  heldBack    // and so is this
	long     bool        // the gap that is weighed or filled stands out by its length
	weighed  bool        // what is claimed is divided as samples in stretches like it show
	cameLast int64       // when who came last in the gap did, as far as that was used
	wanted   float64     // share of all time in which somebody waits
	typical  int64       // mean time between acquisitions while somebody waits, in ns
	tallied  []int64     // by call site: what it was charged, where that is asked for
	owns     divided     // what was charged then
	owed     []int64     // by call site: what it is expected to have had, less what it was charged
	due      [][]float64 // by tally: the same by class, and of what stays as claimed
	turns    int         // stacks of samples charged

	splitter *renewal.Splitter
	list     []anchor    // scratch
	pieces   []Ownership // scratch
	pooled   []pooled    // claims made while something is held back
	places   *places     // one for all that a goroutine does one after the other; nil until it is asked for
	nearRun  int         // where running searched last

	runBefore, runAfter int64 // when the samples before and at that place are

	*charging
	known        float64 // how much the model answers for
	seen         float64 // share of all waits that was recorded, as far as their lengths tell
	pool         *pool   // of what is charged next; nil when it is none of a rest
	waiterCounts waiterCounts
	right        float64 // share of what is charged next that is expected to be right,
	least, most  float64 // and its bounds
	sure         float64 // share of the rest of a gap that is expected to be one,
	length       int64   // and its length in ns
}

// charging is what takes most room while a lock's owners are rebuilt: of a million
// locks, no more than some have it at a time.
type charging struct {
	trust Calibration
	pools [rests]pool   // of this lock
	dues  dues          // what each part of stretches is owed
	parts renewal.Parts // scratch
	met   renewal.Met   // scratch
	sites recent        // of acquisitions

	owedBefore []int64 // scratch, while a gap is filled tentatively
	duesBefore dues    // the same
}

// gap is the stretch between two successive acquisitions by waiters.
type gap struct {
	lo, hi int64
	at     int
	least  int64           // so long the acquirer had it, at least
	first  anchor          // the acquirer at lo
	stack  format.StackID  // with which it got the lock
	last   format.ThreadID // held the lock just before hi, NoThread when not told
}

// gaps calls f with each stretch between acquisitions in which somebody waited.
func (b *builder) gaps(f func(*gap)) {
	s, ev, free := b.s, b.ev, b.free
	g := new(gap)
	lo, stack := minTime, format.NoStack
	for i := 0; i <= len(s.acquired); i++ {
		hi, last, got := int64(maxTime), format.NoThread, stack
		if i < len(s.acquired) {
			next := &s.acquired[i]
			what := ev.doer(next)
			hi, last, stack = next.time, what.prev(), what.stack
		}
		if lo < hi && b.anyBusy(lo, hi) {
			g.lo, g.hi, g.at, g.least, g.stack, g.last = lo, hi, i, 0, got, last
			switch {
			case i > 0 && free:
				g.first = anchor{lo, lo, format.NoThread, format.NoStack, Unknown, none}
			case i > 0:
				g.first = anchor{lo, lo, s.acquired[i-1].thread, got, Inferred, none}
			default:
				g.first = anchor{}
			}
			f(g)
		}
		lo = hi
	}
}

// anyBusy reports whether anybody waited between lo and hi.
func (b *builder) anyBusy(lo, hi int64) bool {
	i := b.busyAfter(lo)
	return i < len(b.s.busy) && b.s.busy[i].start < hi
}

// busyAfter returns the index of the first busy stretch that ends after t.
func (b *builder) busyAfter(t int64) int { return b.s.busyUntil(t + 1) }

// inside returns what threads did inside the section that began in [lo, hi).
func (b *builder) inside(lo, hi int64) []anchor {
	if len(b.s.seen) == 0 { // mostly
		return nil
	}
	from := b.s.seenBefore(lo)
	return b.s.seen[from:b.s.seenBefore(hi)]
}

// shown returns the owners dumps show in [lo, hi).
func (b *builder) shown(lo, hi int64) []sample {
	if b.blind {
		return nil
	}
	shown := b.ev.shown[b.s.lock]
	if len(shown) == 0 { // mostly
		return nil
	}
	from, _ := slices.BinarySearchFunc(shown, lo, func(s sample, t int64) int { return cmp.Compare(s.time, t) })
	to, _ := slices.BinarySearchFunc(shown, hi, func(s sample, t int64) int { return cmp.Compare(s.time, t) })
	return shown[from:to]
}

// before is that of evidence, for the list of a thread, from where it found last.
func (b *builder) before(t format.ThreadID, list Refs, at int64) int {
	if b.places == nil {
		b.places = new(places)
	}
	return b.places.before(b.ev.Activities, t, list, at)
}

// left returns when a thread that owned the lock at lo was first seen
// elsewhere (rule 4): the beginning of its next activity that is not inside the
// section; hi if there is none before.
func (b *builder) left(t format.ThreadID, lo, hi int64) int64 {
	list := b.ev.Of(t)
	for i := list.at(b.before(t, list, lo)); i < list.To; i++ {
		if b.ev.Begins(i) >= hi { // mostly, and what it was is told elsewhere
			break
		}
		d := b.ev.at(i)
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
	for i := b.before(a.thread, list, a.start) - 1; i >= 0; i-- {
		if b.ev.Begins(list.at(i)) < lo {
			break
		}
		d := b.ev.at(list.at(i))
		if d.end <= a.start && (d.lock == b.s.lock || d.end > d.start && !b.ev.within(b.s, a.thread, &d)) {
			return max(d.end, lo)
		}
	}
	return lo
}

// running calls f with the thread and the stack of each sample between lo and
// hi: of one thread, or of all.
func (b *builder) running(t format.ThreadID, lo, hi int64, f func(t format.ThreadID, stack format.StackID)) {
	ev := b.ev
	if t == format.NoThread {
		for o := range b.runs(lo, hi) {
			f(o.Thread(), o.Stack)
		}
		return
	}
	list := ev.Of(t)
	for i := list.at(b.before(t, list, lo)); i < list.To && ev.Begins(i) < hi; i++ {
		if ev.IsWait(i) {
			continue
		}
		if o := ev.Other(i); o.ran() && o.Stack != format.NoStack && !o.told() && !b.heldBack(o) {
			f(t, o.Stack)
		}
	}
}

// heldBack reports whether a sample is held back with the dump it is of.
func (b *builder) heldBack(o Other) bool { return b.blind && o.dumped() }

// unsampled reports whether it is known from the last look that no running thread was sampled
// between lo and hi: mostly, since samples are few.
func (b *builder) unsampled(lo, hi int64) bool { return lo > b.runBefore && hi <= b.runAfter }

// runs visits the samples of running threads between lo and hi.
func (b *builder) runs(lo, hi int64) iter.Seq[Other] {
	return func(yield func(Other) bool) {
		if b.unsampled(lo, hi) {
			return
		}
		for _, i := range b.ev.runs[b.runsFrom(lo):] {
			o := b.ev.Other(i)
			if o.Start >= hi || !b.heldBack(o) && !yield(o) {
				return
			}
		}
	}
}

// runsFrom returns the index of the first sample of a running thread at lo or later,
// and notes between which two it is.
func (b *builder) runsFrom(lo int64) int {
	at := func(i int) int64 { return b.ev.Begins(b.ev.runs[i]) }
	n := len(b.ev.runs)
	b.nearRun = nearby(b.nearRun, n, func(i int) bool { return at(i) < lo })
	b.runBefore, b.runAfter = minTime, maxTime
	if b.nearRun > 0 {
		b.runBefore = at(b.nearRun - 1)
	}
	if b.nearRun < n {
		b.runAfter = at(b.nearRun)
	}
	return b.nearRun
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
	b.add(lo, hi, Holder{Kind: Thread, Prov: a.prov, Did: a.did, Thread: a.thread, Stack: a.stack})
}

func (b *builder) emitOp(lo, hi int64, a anchor) {
	if lo < hi {
		b.add(lo, hi, Holder{Kind: Thread, Prov: a.prov, Thread: a.thread, Stack: a.stack})
	}
}

// add appends the busy parts of an ownership, or counts them where a tally is asked for.
func (b *builder) add(lo, hi int64, h Holder) {
	for i := b.busyAfter(lo); i < len(b.s.busy) && b.s.busy[i].start < hi; i++ {
		from, to := max(lo, b.s.busy[i].start), min(hi, b.s.busy[i].end)
		if b.tallied != nil {
			b.owns.add(max(to-from, 0), h.Kind)
		} else if from < to {
			b.out = append(b.out, Ownership{}) // filled in place, as there are millions
			o := &b.out[len(b.out)-1]
			o.Start, o.End, o.Lock, o.Holder = from, to, b.s.lock, h
			if b.without != nothing && b.pool != nil {
				b.pooled = append(b.pooled, pooled{*o, b.pool})
			}
			if !b.blind {
				b.believe(from, to, h)
			}
		}
	}
}

// expect says how sure what is charged next is: of what the model does not answer
// for nothing tells.
func (b *builder) expect(right float64) { b.suspect(b.known, right, asLikely) }

// suspect says it of what is known in part, and how much of the rest is right.
func (b *builder) suspect(known, right, rest float64) {
	b.least = known * right
	b.right, b.most = b.least+(1-known)*rest, b.least+1-known
}

// believe counts what has been charged.
func (b *builder) believe(lo, hi int64, h Holder) {
	ns := b.waiterCounts.during(lo, hi)
	t := &b.trust[h.Prov]
	t.Ns += ns
	switch h.Prov {
	case Inferred, Sampled:
		t.expect(1-tolerance, ns)
	case Estimated:
		if b.pool != nil {
			b.pool.add(h.Stack, ns, b.right, b.sure, b.seen*b.known)
			break
		}
		t.expect(b.right, ns)
		t.Low -= (b.right - b.least) * float64(ns)
		t.High += (b.most - b.right) * float64(ns)
	default:
		t.Right = math.NaN()
	}
}

// spread charges sections of several sites one after another.
func (b *builder) spread(at int64, by []int64, thread format.ThreadID) int64 {
	if b.tallied != nil {
		for s, ns := range by {
			b.tallied[s] += ns
		}
		b.owns.add(sum(by), Thread)
		return at + sum(by)
	}
	at = b.hide(at, b.kin.shares.apply(by), thread)
	for len(b.owed) < len(by) {
		b.owed = append(b.owed, 0)
	}
	var total, small, most int64
	for _, ns := range by {
		total += ns
	}
	best := -1
	for s, ns := range by {
		if ns == 0 {
			continue
		}
		b.expect(b.sure * share(ns, b.length))
		if ns >= max(total, b.typical)/8 {
			b.emitOp(at, at+ns, anchor{thread: thread, stack: b.kin.stacks[s], prov: Estimated})
			at += ns
			continue
		}
		small += ns
		b.owed[s] += ns
		if best < 0 || b.owed[s] > most {
			best, most = s, b.owed[s]
		}
	}
	if best >= 0 {
		b.expect(b.sure * share(by[best], b.length))
		b.emitOp(at, at+small, anchor{thread: thread, stack: b.kin.stacks[best], prov: Estimated})
		b.owed[best] -= small
		at += small
	}
	return at
}

// hide charges sections where nobody was recorded to wait.
func (b *builder) hide(at, left int64, thread format.ThreadID) int64 {
	if left == 0 {
		return at
	}
	for _, h := range b.kin.shares.hidden {
		ns := int64(float64(left) * h.part)
		b.expect(b.sure * share(ns, b.length))
		b.emitOp(at, at+ns, anchor{thread: thread, stack: h.stack, prov: Estimated})
		at += ns
	}
	return at
}
