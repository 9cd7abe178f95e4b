package deliver

import (
	"math"
	"math/bits"
	"regexp"

	"contend/analysis"
	"contend/analysis/internal/graph"
	"contend/analysis/owners"
	"contend/format"
)

// Emitter applies the filter, and books the slices that pass it for the visitors.
type Emitter struct {
	Defs     *analysis.Symbols
	Filter   analysis.Filter
	Out      *Dispatcher
	Cycles   graph.Cycles
	From, To int64 // the filter's cut, absolute; the start and math.MaxInt64 when open
	Start    int64 // of the trace
	Begun    bool

	classes, locks, threads verdicts
	all                     bool // the filter passes every wait

	ByProvenance analysis.Known
	Far          int64             // waiting time behind more than MaxPath locks whose root is unknown
	Running      int64             // running time of all threads, ns
	Overflown    bool              // Running does not fit
	one          [1]analysis.Share // scratch for slices with one path
}

// NewEmitter returns an emitter that books for the visitors of out.
func NewEmitter(defs *analysis.Symbols, f analysis.Filter, out *Dispatcher) *Emitter {
	e := &Emitter{Defs: defs, Filter: f, Out: out}
	e.all = f.Class == nil && f.Lock == nil && f.Thread == nil && f.MinWait <= 0
	return e
}

// Begin fixes the start of the trace, and with it the cut.
func (e *Emitter) Begin(start int64) {
	if e.Begun {
		return
	}
	e.Begun, e.Start = true, start
	e.From, e.To = start, math.MaxInt64
	if e.Filter.From != format.NoTime {
		e.From = analysis.Instant(e.Filter.From, e.Filter.FromRel, start)
	}
	if e.Filter.To != format.NoTime {
		e.To = analysis.Instant(e.Filter.To, e.Filter.ToRel, start)
	}
	e.Out.begin(max(e.From, start))
}

// Cut returns the part of [lo, hi) that is charged; ok is false if there is none. An empty
// interval is charged if it lies in the cut.
func (e *Emitter) Cut(lo, hi int64) (int64, int64, bool) {
	if hi < e.From || lo >= e.To {
		return 0, 0, false
	}
	a, b := max(lo, e.From), min(hi, e.To)
	return a, b, a < b || lo == hi
}

// Wanted reports whether the filter passes a wait of a thread for a lock.
func (e *Emitter) Wanted(t format.ThreadID, l format.ObjectID, length int64) bool {
	f := &e.Filter
	if e.all {
		return true
	}
	return length >= f.MinWait &&
		e.classes.match(f.Class, uint32(l), func() string { return e.Defs.ClassName(l) }) &&
		e.locks.match(f.Lock, uint32(l), func() string { return e.Defs.LockName(l) }) &&
		e.threads.match(f.Thread, uint32(t), func() string { return e.Defs.ThreadName(t) })
}

// AnyLength satisfies every minimum wait, for samples, which do not show the duration of the
// wait, and for holds.
const AnyLength = math.MaxInt64

// BookWait gives a whole wait that ended with the lock to the visitors that ask for waits.
func (e *Emitter) BookWait(w *owners.Activity) {
	if !e.Out.waits || w.Failed() || w.Start < e.From || w.End > e.To || !e.Wanted(w.Thread, w.Lock, w.End-w.Start) {
		return
	}
	e.Out.wholeWait(analysis.Waited{Thread: w.Thread, Lock: w.Lock, Stack: w.Stack, Start: w.Start, End: w.End})
}

// Book charges a slice with n waiters of one lock, which are nodes of the graph. They share
// the path from the lock on, unless it leads back to one of them. If all waiters of a queue
// have one common share that does not end in a deadlock, the slice lists only the first of
// them. Otherwise nodes returns all and lists them in the slice.
func (e *Emitter) Book(
	s *analysis.Slice,
	g *graph.Graph,
	first format.ThreadID,
	n int,
	nodes func() []format.ThreadID,
) {
	if o, ok := g.Direct(s.Lock); ok {
		e.BookOwner(s, o, n)
		return
	}
	common := false
	s.Shares, common = g.Shares(first, s.Start, s.End)
	if n == len(s.Waiters) && (common || n == 1) ||
		n > len(s.Waiters) && common && len(s.Shares) == 1 && s.Shares[0].Root.Kind != analysis.OwnerDeadlock {
		e.Emit(s, n)
		return
	}
	all := nodes()
	if waiters := s.Waiters; common {
		e.Emit(s, n)
	} else {
		for i, node := range all {
			s.Waiters = waiters[i : i+1]
			s.Shares, _ = g.Shares(node, s.Start, s.End)
			e.Emit(s, 1)
		}
	}
}

// BookOwner charges a slice with n waiters to an owner that is not blocked.
func (e *Emitter) BookOwner(s *analysis.Slice, o analysis.Owner, n int) {
	e.one = [1]analysis.Share{{Ns: s.Length(), Direct: o, Root: o.Cause(), Hops: 1, Last: s.Lock}}
	s.Shares = e.one[:]
	e.Emit(s, n)
}

// Emit books a slice with n waiters.
func (e *Emitter) Emit(s *analysis.Slice, n int) {
	for i := range s.Shares {
		share := &s.Shares[i]
		ns := share.Ns * int64(n)
		e.ByProvenance.AddWaiting(share.Direct.Prov, ns)
		if share.Root.Kind == analysis.OwnerDeadlock {
			e.Cycles.Wait(share.Root.Cycle, s)
		}
		if share.Far() && share.Root == graph.UnknownRoot {
			e.Far += ns
		}
	}
	e.Out.slice(s, n)
}

// Run books that some threads ran during [lo, hi). Zero threads mean that the interval was
// observed.
func (e *Emitter) Run(lo, hi, threads int64) {
	lo, hi = max(lo, e.From), min(hi, e.To)
	if lo < hi && threads >= 0 {
		e.Ran(hi-lo, threads)
		e.Out.running(lo, hi, (hi-lo)*threads)
	}
}

// Ran adds running time. A negative number of threads subtracts it.
func (e *Emitter) Ran(length, threads int64) {
	e.Overflown = e.Overflown || threads > 0 && overflows(e.Running, length, threads)
	e.Running += length * threads
}

// BookRunning books ns of running time within [lo, hi), which lies in the cut.
func (e *Emitter) BookRunning(lo, hi, ns int64) {
	e.Overflown = e.Overflown || ns > math.MaxInt64-e.Running
	e.Running += ns
	e.Out.running(lo, hi, ns)
}

// Tick gives the visitors that ask for ticks the time that a sampling instant stands for.
func (e *Emitter) Tick(lo, hi int64) {
	lo, hi = max(lo, e.From), min(hi, e.To)
	if lo < hi {
		e.Out.tick(hi - lo)
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

// Asking returns the visitors that implement an optional interface.
func Asking[V any](e *Emitter) (ask []V) {
	for _, v := range e.Out.visitors {
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

// NonLockWaits gives non-lock waits to the visitors that ask for them.
type NonLockWaits struct {
	e        *Emitter
	Visitors []analysis.NonLockVisitor
}

// NonLock returns the non-lock waits of an emitter; a filter of locks passes none.
func NonLock(e *Emitter) *NonLockWaits {
	if e.Filter.Class != nil || e.Filter.Lock != nil {
		return &NonLockWaits{e: e}
	}
	return &NonLockWaits{e, Asking[analysis.NonLockVisitor](e)}
}

// Deliver gives a non-lock wait to the visitors, if the filter passes its thread.
func (a *NonLockWaits) Deliver(one *analysis.NonLockWait) {
	if one.Ns > 0 &&
		(a.e.Filter.Thread == nil || a.e.threads.match(a.e.Filter.Thread, uint32(one.Thread),
			func() string { return a.e.Defs.ThreadName(one.Thread) })) {
		for _, v := range a.Visitors {
			v.NonLockWait(one)
		}
	}
}
