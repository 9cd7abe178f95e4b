package analysis

import (
	"slices"

	"contend/analysis/internal/column"
	"contend/format"
	"contend/format/workers"
)

// Aside is time a thread waited that is no contention for a lock: for what
// others must give back, or with nothing to do.
type Aside struct {
	Thread    format.ThreadID
	Stack     format.StackID
	Activity  format.Activity // one of those that are idle time
	Resource  bool
	From, To  int64 // where it was recorded: the stretch, inside the filter's cut; 0 where it was only sampled
	Ns        int64 // of that, or of the samples
	Waits     int64
	LongestNs int64 // of the whole waits; 0 when they were only sampled
}

// AsideVisitor is a Visitor that also wants what is beside contention. An
// instant of a thread is given once at most, and never while it waits for a
// lock: with the waits for locks these are all waits the trace tells of. They
// come last. A filter of locks leaves none of them. What a points to changes
// after the call.
type AsideVisitor interface {
	Aside(a *Aside)
}

// asides passes what is beside contention on to the visitors that ask for it.
type asides struct {
	e   *emitter
	ask []AsideVisitor
}

func newAsides(e *emitter) asides {
	out := asides{e: e}
	for _, v := range e.out.visitors {
		if av, ok := v.(AsideVisitor); ok && e.filter.Class == nil && e.filter.Lock == nil {
			out.ask = append(out.ask, av)
		}
	}
	return out
}

func (a *asides) tell(one *Aside) {
	if one.Ns > 0 && (a.e.filter.Thread == nil || a.e.threads.match(a.e.filter.Thread, uint32(one.Thread), func() string { return a.e.defs.ThreadName(one.Thread) })) {
		for _, v := range a.ask {
			v.Aside(one)
		}
	}
}

// visitAsides gives the recorded ones. They are found on all cores, those of some
// threads at a time, and given in order.
func (r *record) visitAsides(out asides) {
	if len(out.ask) == 0 {
		return
	}
	used := make(column.Spares[[]Aside], asideBatches*asidesAhead)
	workers.InOrder((r.activities.Threads()+asideThreads-1)/asideThreads, &workers.Handover[[]Aside]{
		Ahead: asidesAhead,
		Room:  func(int) int { return asideBatches },
		Make: func(i int, give func([]Aside)) {
			batch := asideBatch{used: used, give: give}
			for t := max(i*asideThreads, int(format.NoThread)+1); t < min((i+1)*asideThreads, r.activities.Threads()); t++ {
				r.asidesOf(format.ThreadID(t), out, &batch)
			}
			batch.end()
		},
		Take: func(_ int, list []Aside) {
			for k := range list {
				out.tell(&list[k])
			}
			used.Put(list[:0])
		},
	})
}

// What is beside contention of so many threads is found together, in batches of which
// so many may wait to be given, and so far ahead.
const (
	asideThreads = 16
	asideLen     = 256
	asideBatches = 4
	asidesAhead  = 16
)

// asideBatch is the batch that is filled of some threads.
type asideBatch struct {
	list []Aside
	used column.Spares[[]Aside]
	give func([]Aside)
}

// next returns the place of one more.
func (b *asideBatch) next() *Aside {
	if len(b.list) == asideLen {
		b.end()
	}
	if b.list == nil {
		var ok bool
		if b.list, ok = b.used.Take(); !ok {
			b.list = make([]Aside, 0, asideLen)
		}
	}
	return next(&b.list)
}

// end hands over what is in it.
func (b *asideBatch) end() {
	if len(b.list) > 0 {
		b.give(b.list)
		b.list = nil
	}
}

// asidesOf finds those of one thread.
func (r *record) asidesOf(t format.ThreadID, out asides, into *asideBatch) {
	own := r.activities.Of(t)
	waits, rest := joiner{scan: r.activities.Scan(own)}, r.activities.Scan(own)
	wait, told := waits.next(), int64(earliest)
	for rest.NextOther() {
		o := rest.Other()
		if !idle(o) || o.End-o.Start < out.e.filter.MinWait {
			continue
		}
		for wait.end <= max(o.Start, told) {
			wait = waits.next()
		}
		if ns := out.left(span{max(o.Start, told), o.End}, wait, &waits); ns > 0 {
			lo, hi, _ := out.e.cut(max(o.Start, told), o.End)
			one := into.next() // filled in place
			one.Thread, one.Stack, one.Activity, one.Resource = t, o.Stack, o.What(), o.Resource()
			one.From, one.To, one.Ns, one.Waits, one.LongestNs = lo, hi, ns, 1, o.End-o.Start
		}
		told = max(told, o.End)
	}
}

// left returns how much of a stretch lies in the cut and outside of waits, of
// which the first and those behind it are given.
func (a *asides) left(s, wait span, behind *joiner) (ns int64) {
	if wait.start >= s.end { // as mostly
		lo, hi, _ := a.e.cut(s.start, max(s.end, s.start))
		return hi - lo
	}
	waits := *behind
	for s.start < s.end {
		lo, hi, _ := a.e.cut(s.start, min(s.end, max(wait.start, s.start)))
		ns += max(hi-lo, 0)
		if s.start = max(wait.end, s.start); s.start < s.end {
			wait = waits.next() // which may be far
		}
	}
	return ns
}

// idle takes an idle thread of the instant at hand; false for an activity that
// belongs to none.
func (s *sampler) idle(ev *format.Event) bool {
	if !s.next.valid || ev.Time != s.next.time || ev.End != ev.Time || int(ev.Activity) >= len(idleWork) || !idleWork[ev.Activity] {
		return false
	}
	s.next.idlers = append(s.next.idlers, asideOf(ev))
	return true
}

// asides charges the idle threads of cur, which stands for [lo, hi).
func (s *sampler) asides(lo, hi int64) {
	from, to, ok := s.e.cut(lo, hi)
	charge := func(sum *sampledAside) {
		if ok {
			sum.ns += to - from
			if sum.last != lo {
				sum.waits++
			}
		}
		sum.last = hi
	}
	for _, one := range s.cur.idlers {
		charge(s.besideOf(one))
	}
}

// besideOf returns what the instants at which an idle thread is seen sum up to.
func (s *sampler) besideOf(one seenAside) *sampledAside {
	sum := s.beside[one]
	if sum == nil {
		if s.beside == nil {
			s.beside = map[seenAside]*sampledAside{}
		}
		sum = &sampledAside{last: format.NoTime}
		s.beside[one] = sum
	}
	return sum
}

// unclear returns how long sampled threads slept that may have held a lock whose owner no
// sample tells, and awaited conditions: nothing tells whether they were signalled and
// waited for the lock.
func (s *sampler) unclear(sleeps *sleepSites, defs *definitions) (asleep, awaiting int64) {
	in := sleeps.acquiredAt(defs)
	for one, sum := range s.beside {
		switch frames := defs.Frames(one.stack); {
		case ownAwait(frames):
			awaiting += sum.ns
		case one.activity == format.ActivitySleep:
			_, near, far := sleeps.passes(frames, &in)
			if slices.ContainsFunc(near, func(l format.ObjectID) bool { return defs.Kind(l) != format.KindMonitor }) ||
				slices.ContainsFunc(far, func(l format.ObjectID) bool { return defs.Kind(l) == format.KindMutex }) {
				asleep += sum.ns
			}
		}
	}
	return asleep, awaiting
}

// visitAsides gives the sampled ones.
func (s *sampler) visitAsides(out asides) {
	for one, sum := range s.beside {
		out.tell(&Aside{Thread: one.thread, Stack: one.stack, Activity: one.activity, Resource: one.resource, Ns: sum.ns, Waits: sum.waits})
	}
}
