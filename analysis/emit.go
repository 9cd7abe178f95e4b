package analysis

import (
	"math"
	"math/bits"
	"regexp"

	"contend/analysis/owners"
	"contend/format"
)

// emitter applies the filter and books what passes it for the visitors.
type emitter struct {
	defs     *Symbols
	filter   Filter
	out      *dispatcher
	from, to int64 // the filter's cut, absolute; NoTime and math.MaxInt64 when open
	start    int64 // of the trace
	begun    bool

	classes, locks, threads verdicts
	all                     bool // the filter passes every wait

	byProv    Known
	far       int64 // waiting time behind more than MaxPath locks whose root is unknown
	running   int64
	overflown bool // running does not fit
	slice     Slice
	one       [1]Share // scratch for slices with one path
}

func newEmitter(defs *Symbols, f Filter, out *dispatcher) *emitter {
	e := &emitter{defs: defs, filter: f, out: out}
	e.all = f.Class == nil && f.Lock == nil && f.Thread == nil && f.MinWait <= 0
	return e
}

// begin fixes the start of the trace, and with it the cut.
func (e *emitter) begin(start int64) {
	if e.begun {
		return
	}
	e.begun, e.start = true, start
	e.from, e.to = start, math.MaxInt64
	if e.filter.From != format.NoTime {
		e.from = Instant(e.filter.From, e.filter.FromRel, start)
	}
	if e.filter.To != format.NoTime {
		e.to = Instant(e.filter.To, e.filter.ToRel, start)
	}
	e.out.begin(max(e.from, start))
}

// Instant returns the time that a bound of a filter means in a trace that begins at start.
// Out of range it returns the first or last possible time.
func Instant(t int64, relative bool, start int64) int64 {
	at := start + t
	switch {
	case !relative:
		return t
	case t > 0 && at < start:
		return math.MaxInt64
	case t < 0 && at > start:
		return -math.MaxInt64
	}
	return at
}

// cut returns the part of [lo, hi) that is charged; ok is false if there is none. An empty
// interval is charged if it lies in the cut.
func (e *emitter) cut(lo, hi int64) (int64, int64, bool) {
	if hi < e.from || lo >= e.to {
		return 0, 0, false
	}
	a, b := max(lo, e.from), min(hi, e.to)
	return a, b, a < b || lo == hi
}

// wanted reports whether the filter passes a wait of a thread for a lock.
func (e *emitter) wanted(t format.ThreadID, l format.ObjectID, length int64) bool {
	f := &e.filter
	if e.all {
		return true
	}
	return length >= f.MinWait &&
		e.classes.match(f.Class, uint32(l), func() string { return e.defs.ClassName(l) }) &&
		e.locks.match(f.Lock, uint32(l), func() string { return e.defs.LockName(l) }) &&
		e.threads.match(f.Thread, uint32(t), func() string { return e.defs.ThreadName(t) })
}

// anyLength satisfies every minimum wait. A sample does not show how long the wait was, and
// a hold is no wait.
const anyLength = math.MaxInt64

// bookWait gives a whole wait that ended with the lock to the visitors that ask for them.
func (e *emitter) bookWait(w *owners.Wait) {
	if !e.out.waits || w.Failed() || w.Start < e.from || w.End > e.to || !e.wanted(w.Thread, w.Lock, w.End-w.Start) {
		return
	}
	e.out.wholeWait(Waited{w.Thread, w.Lock, w.Stack, w.Start, w.End})
}

// book charges e.slice with n waiters of one lock, which are nodes of the graph. They share
// the path from the lock on, unless it leads back to one of them. Of a queue the slice lists
// the first waiter only, if all have one share and it does not end in a deadlock, whose
// queue is listed; else nodes lists all, and adds them to the slice.
func (e *emitter) book(g *graph, first format.ThreadID, n int, nodes func() []format.ThreadID) {
	s := &e.slice
	if o, ok := g.direct(s.Lock); ok {
		e.bookOwner(g, o, n)
		return
	}
	common := false
	s.Shares, common = g.shares(first, s.Start, s.End)
	if n == len(s.Waiters) && (common || n == 1) || n > len(s.Waiters) && common && len(s.Shares) == 1 && s.Shares[0].Root.Kind != OwnerDeadlock {
		e.emit(g, n)
		return
	}
	all := nodes()
	if waiters := s.Waiters; common {
		e.emit(g, n)
	} else {
		for i, node := range all {
			s.Waiters = waiters[i : i+1]
			s.Shares, _ = g.shares(node, s.Start, s.End)
			e.emit(g, 1)
		}
	}
}

// bookOwner charges e.slice with n waiters to an owner that is not blocked.
func (e *emitter) bookOwner(g *graph, o Owner, n int) {
	s := &e.slice
	e.one = [1]Share{{Ns: s.Length(), Direct: o, Root: o.Cause(), Hops: 1, Last: s.Lock}}
	s.Shares = e.one[:]
	e.emit(g, n)
}

// emit books e.slice with n waiters, whose shares are paths through g.
func (e *emitter) emit(g *graph, n int) {
	s := &e.slice
	for i := range s.Shares {
		share := &s.Shares[i]
		ns := share.Ns * int64(n)
		e.byProv.Add(share.Direct.Prov, ns)
		if share.Root.Kind == OwnerDeadlock {
			g.cycles.wait(share.Root.Cycle, s)
		}
		if share.Far() && share.Root == unknownRoot {
			e.far += ns
		}
	}
	e.out.slice(s, n)
}

// run books that some threads ran during [lo, hi). Zero threads mean that the interval was
// observed.
func (e *emitter) run(lo, hi, threads int64) {
	lo, hi = max(lo, e.from), min(hi, e.to)
	if lo < hi && threads >= 0 {
		e.ran(hi-lo, threads)
		e.out.running(lo, hi, (hi-lo)*threads)
	}
}

// ran adds up running time. A negative number takes threads away.
func (e *emitter) ran(length, threads int64) {
	e.overflown = e.overflown || threads > 0 && overflows(e.running, length, threads)
	e.running += length * threads
}

// bookRunning books running time within [lo, hi), which lies in the cut. No thread need
// have run for all of it.
func (e *emitter) bookRunning(lo, hi, ns int64) {
	e.overflown = e.overflown || ns > math.MaxInt64-e.running
	e.running += ns
	e.out.running(lo, hi, ns)
}

// tick gives the visitors that ask for ticks the time that a sampling instant stands for.
func (e *emitter) tick(lo, hi int64) {
	lo, hi = max(lo, e.from), min(hi, e.to)
	if lo < hi {
		e.out.tick(hi - lo)
	}
}

// verdicts caches, by id, whether a pattern matches.
type verdicts []uint8

func (v *verdicts) match(re *regexp.Regexp, id uint32, text func() string) bool {
	if re == nil {
		return true
	}
	for len(*v) <= int(id) {
		*v = append(*v, 0)
	}
	if (*v)[id] == 0 {
		(*v)[id] = 1
		if re.MatchString(text()) {
			(*v)[id] = 2
		}
	}
	return (*v)[id] == 2
}

// asking returns the visitors that implement an optional interface.
func asking[V any](e *emitter) (ask []V) {
	for _, v := range e.out.visitors {
		if one, ok := v.(V); ok {
			ask = append(ask, one)
		}
	}
	return ask
}

// overflows reports whether sum + length × count overflows int64; length and count are
// positive.
func overflows(sum, length, count int64) bool {
	high, low := bits.Mul64(uint64(length), uint64(count))
	return high != 0 || low > uint64(math.MaxInt64-max(sum, 0))
}

// nonLockWaits gives non-lock waits to the visitors that ask for them.
type nonLockWaits struct {
	e   *emitter
	ask []NonLockVisitor
}

func newNonLockWaits(e *emitter) nonLockWaits {
	if e.filter.Class != nil || e.filter.Lock != nil {
		return nonLockWaits{e: e}
	}
	return nonLockWaits{e, asking[NonLockVisitor](e)}
}

func (a *nonLockWaits) deliver(one *NonLockWait) {
	if one.Ns > 0 && (a.e.filter.Thread == nil || a.e.threads.match(a.e.filter.Thread, uint32(one.Thread), func() string { return a.e.defs.ThreadName(one.Thread) })) {
		for _, v := range a.ask {
			v.NonLockWait(one)
		}
	}
}
