package analysis

import (
	"slices"

	"contend/analysis/internal/column"
	"contend/format"
	"contend/format/workers"
)

// NonLockWait is time in which a thread waited, but not for a lock: for a resource or a signal
// from another thread, or because it had nothing to do.
type NonLockWait struct {
	Thread    format.ThreadID
	Stack     format.StackID
	Activity  format.Activity // one of those that count as idle time
	Resource  bool            // it waited for a pool, a permit or a queue
	From, To  int64           // of a recorded wait: its part in the filter's cut; 0 for a sampled one
	Ns        int64           // thread-time in the cut, by the recording or the samples
	Waits     int64
	LongestNs int64 // of the whole waits; 0 for sampled ones
}

// NonLockVisitor is a Visitor that also receives non-lock waits, after everything else. They
// overlap neither each other nor the thread's waits for locks, so both together are all
// waiting that the trace shows. A filter of locks leaves none. What a points to is valid
// during the call only.
type NonLockVisitor interface {
	NonLockWait(a *NonLockWait)
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

// visitNonLockWaits gives the recorded non-lock waits. They are found on all cores, for
// some threads at a time, and given in order of threads.
func (r *record) visitNonLockWaits(out nonLockWaits) {
	if len(out.ask) == 0 {
		return
	}
	used := make(column.Spares[[]NonLockWait], nonLockBatches*nonLockAhead)
	workers.InOrder((r.activities.Threads()+nonLockThreads-1)/nonLockThreads, &workers.Handover[[]NonLockWait]{
		Ahead: nonLockAhead,
		Room:  func(int) int { return nonLockBatches },
		Make: func(i int, give func([]NonLockWait)) {
			batch := nonLockBatch{used: used, give: give}
			for t := max(i*nonLockThreads, int(format.NoThread)+1); t < min((i+1)*nonLockThreads, r.activities.Threads()); t++ {
				r.nonLockWaitsOf(format.ThreadID(t), out, &batch)
			}
			batch.end()
		},
		Take: func(_ int, list []NonLockWait) {
			for k := range list {
				out.deliver(&list[k])
			}
			used.Put(list[:0])
		},
	})
}

// The non-lock waits of nonLockThreads threads are found together, in batches of
// nonLockLen. Up to nonLockBatches of them may wait to be delivered, and the search runs up
// to nonLockAhead groups of threads ahead.
const (
	nonLockThreads = 16
	nonLockLen     = 256
	nonLockBatches = 4
	nonLockAhead   = 16
)

// nonLockBatch is the batch being filled.
type nonLockBatch struct {
	list []NonLockWait
	used column.Spares[[]NonLockWait]
	give func([]NonLockWait)
}

// next returns a place for one more.
func (b *nonLockBatch) next() *NonLockWait {
	if len(b.list) == nonLockLen {
		b.end()
	}
	if b.list == nil {
		var ok bool
		if b.list, ok = b.used.Take(); !ok {
			b.list = make([]NonLockWait, 0, nonLockLen)
		}
	}
	return next(&b.list)
}

// end hands over the batch.
func (b *nonLockBatch) end() {
	if len(b.list) > 0 {
		b.give(b.list)
		b.list = nil
	}
}

// nonLockWaitsOf finds the non-lock waits of one thread.
func (r *record) nonLockWaitsOf(t format.ThreadID, out nonLockWaits, into *nonLockBatch) {
	own := r.activities.Of(t)
	waits, rest := joiner{scan: r.activities.Scan(own)}, r.activities.Scan(own)
	wait, seenUntil := waits.next(), int64(earliest)
	for rest.NextOther() {
		o := rest.Other()
		if !idle(o) || o.End-o.Start < out.e.filter.MinWait {
			continue
		}
		for wait.end <= max(o.Start, seenUntil) {
			wait = waits.next()
		}
		if ns := out.left(span{max(o.Start, seenUntil), o.End}, wait, &waits); ns > 0 {
			lo, hi, _ := out.e.cut(max(o.Start, seenUntil), o.End)
			one := into.next() // filled in place
			one.Thread, one.Stack, one.Activity, one.Resource = t, o.Stack, o.What(), o.Resource()
			one.From, one.To, one.Ns, one.Waits, one.LongestNs = lo, hi, ns, 1, o.End-o.Start
		}
		seenUntil = max(seenUntil, o.End)
	}
}

// left returns how much of a span lies in the cut and outside of a thread's waits for
// locks: the first of them, and those behind.
func (a *nonLockWaits) left(s, wait span, behind *joiner) (ns int64) {
	if wait.start >= s.end { // the common case
		lo, hi, _ := a.e.cut(s.start, max(s.end, s.start))
		return hi - lo
	}
	waits := *behind
	for s.start < s.end {
		lo, hi, _ := a.e.cut(s.start, min(s.end, max(wait.start, s.start)))
		ns += max(hi-lo, 0)
		if s.start = max(wait.end, s.start); s.start < s.end {
			wait = waits.next()
		}
	}
	return ns
}

// addIdle adds an idle thread to the current instant. It returns false if the activity is
// not part of the instant.
func (s *sampler) addIdle(ev *format.Event) bool {
	if !s.next.valid || ev.Time != s.next.time || ev.End != ev.Time || int(ev.Activity) >= len(idleWork) || !idleWork[ev.Activity] {
		return false
	}
	s.next.idleThreads = append(s.next.idleThreads, idleStateOf(ev))
	return true
}

// chargeIdle charges the idle threads of cur, which stands for [lo, hi).
func (s *sampler) chargeIdle(lo, hi int64) {
	from, to, ok := s.e.cut(lo, hi)
	charge := func(sum *idleSum) {
		if ok {
			sum.ns += to - from
			if sum.last != lo {
				sum.waits++
			}
		}
		sum.last = hi
	}
	for _, one := range s.cur.idleThreads {
		charge(s.idleSumOf(one))
	}
	s.sleeps.add(s.cur, from, to, s.e.defs.Kind)
}

// idleSumOf returns the sum for an idle state.
func (s *sampler) idleSumOf(one idleState) *idleSum {
	sum := s.idleSums[one]
	if sum == nil {
		if s.idleSums == nil {
			s.idleSums = map[idleState]*idleSum{}
		}
		sum = &idleSum{last: format.NoTime}
		s.idleSums[one] = sum
	}
	return sum
}

// resolveSleeps books the sampled sleeps inside critical sections as running time. It
// returns two sums over sampled threads, ns: sleep during which the thread may have held a
// lock whose owner samples do not show, and time in await. A sample does not show whether
// an awaiting thread has been signalled and waits for the lock.
func (s *sampler) resolveSleeps(sites *sleepSites, defs *definitions) (asleep, awaiting int64) {
	in, runs := sites.acquiredAt(defs), map[format.StackID]bool{}
	for one, sum := range s.idleSums {
		switch frames := defs.Frames(one.stack); {
		case ownAwait(frames):
			awaiting += sum.ns
		case runs[one.stack] && one.activity == format.ActivitySleep:
			delete(s.idleSums, one)
		case one.activity == format.ActivitySleep:
			_, near, far := sites.passes(frames, &in)
			near = slices.DeleteFunc(near, func(l format.ObjectID) bool { return defs.Kind(l) == format.KindMonitor })
			far = slices.DeleteFunc(far, func(l format.ObjectID) bool { return defs.Kind(l) != format.KindMutex })
			switch all := append(near, far...); {
			case s.sleeps.inside(one.stack, all):
				for _, span := range s.sleeps.stacks[one.stack].spans {
					s.e.bookRunning(span.start, span.end, span.ns)
				}
				runs[one.stack] = true
				delete(s.idleSums, one)
			case len(all) > 0:
				asleep += sum.ns
			}
		}
	}
	return asleep, awaiting
}

// visitNonLockWaits gives the sampled non-lock waits.
func (s *sampler) visitNonLockWaits(out nonLockWaits) {
	for one, sum := range s.idleSums {
		out.deliver(&NonLockWait{Thread: one.thread, Stack: one.stack, Activity: one.activity, Resource: one.resource, Ns: sum.ns, Waits: sum.waits})
	}
}

// visitMonitors gives the waits at each monitor to the visitors that ask for them.
func (r *record) visitMonitors(e *emitter) {
	ask := asking[MonitorVisitor](e)
	hides := slices.ContainsFunc(r.parts, func(p part) bool { return p.hides })
	for _, id := range r.monitors.notified() {
		m := &MonitorWaits{id, r.monitors.of(id, func(w *MonitorWait) bool {
			return w.Start >= e.from && w.End <= e.to && e.wanted(w.Thread, id, anyLength)
		}), hides}
		for _, v := range ask {
			v.Monitor(m)
		}
	}
}
