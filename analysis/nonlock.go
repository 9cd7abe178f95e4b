package analysis

import (
	"slices"

	"contend/format"
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

	By      format.ThreadID // ended a recorded wait; NoThread where time did, or that is not known
	ByStack format.StackID  // its stack then; NoStack where that is not known
}

// NonLockVisitor is a Visitor that also receives waits that are not for locks, after
// everything else.
type NonLockVisitor interface {
	// NonLockWait gives non-lock waits. They overlap neither each other nor the thread's waits
	// for locks, so both together are all waiting that the trace shows. A filter of locks leaves
	// none. What a points to is valid during the call only.
	NonLockWait(a *NonLockWait)
	// Monitor gives the waits at each monitor with a known notification, by monitor and before
	// the non-lock waits. They are no contention. What m points to is valid during the call only.
	Monitor(m *MonitorWaits)
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

// visitNonLockWaits gives the recorded non-lock waits, thread by thread.
func (r *record) visitNonLockWaits(out nonLockWaits) {
	if len(out.ask) == 0 {
		return
	}
	slices.SortStableFunc(r.endings.list, ending.compare)
	var waits []span // scratch, as is
	var one NonLockWait
	for t := int(format.NoThread) + 1; t < r.activities.Threads(); t++ {
		own, seenUntil := r.activities.Of(format.ThreadID(t)), int64(earliest)
		waits = r.waitTimes(waits[:0], own)
		for scan := r.activities.Scan(own); scan.NextOther(); {
			o := scan.Other()
			if !idle(o) || o.End-o.Start < out.e.filter.MinWait {
				continue
			}
			part := span{max(o.Start, seenUntil), o.End}.clip(span{out.e.from, out.e.to})
			seenUntil = max(seenUntil, o.End)
			if part.start < part.end {
				by := r.endings.find(format.ThreadID(t), o.End)
				one = NonLockWait{By: by.by, ByStack: by.stack, Thread: format.ThreadID(t), Stack: o.Stack, Activity: o.What(), Resource: o.Resource(), From: part.start, To: part.end,
					Ns: part.end - part.start - within(waits, part), Waits: 1, LongestNs: o.End - o.Start}
				out.deliver(&one)
			}
		}
	}
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

// visitIdle gives the idle times of threads to the visitors that ask for them.
func (r *record) visitIdle(e *emitter) {
	ask := asking[HoldVisitor](e)
	if len(ask) == 0 {
		return
	}
	for t := range r.activities.Threads() {
		var now span
		slept := true
		give := func() {
			if lo, hi, ok := e.cut(now.start, now.end); ok && now.start < now.end {
				for _, v := range ask {
					v.Idle(format.ThreadID(t), lo, hi, slept)
				}
			}
		}
		for scan := r.activities.Scan(r.activities.Of(format.ThreadID(t))); scan.NextOther(); {
			o := scan.Other()
			if !idle(o) {
				continue
			}
			if now.start == now.end || o.Start > now.end {
				give()
				now, slept = span{o.Start, o.End}, true
			}
			now.end = max(now.end, o.End)
			slept = slept && o.What() == format.ActivitySleep
		}
		give()
	}
}

// visitMonitors gives the waits at each monitor to the visitors that ask for them.
func (r *record) visitMonitors(e *emitter) {
	ask := asking[NonLockVisitor](e)
	hides := slices.ContainsFunc(r.parts, func(p part) bool { return p.hides })
	r.monitors.each(func(w *monitorWait) bool {
		return w.Start >= e.from && w.End <= e.to && e.wanted(w.Thread, w.at, anyLength)
	}, func(id format.ObjectID, waits []MonitorWait) {
		for _, v := range ask {
			v.Monitor(&MonitorWaits{id, waits, hides})
		}
	})
}
