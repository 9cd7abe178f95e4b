package analysis

import (
	"slices"

	"contend/format"
)

// idleStateOf returns the idle state that an event shows.
func idleStateOf(ev *format.Event) idleState {
	return idleState{ev.Thread, ev.Stack, ev.Activity, ev.Resource}
}

// idleState is what an idle thread does at a sampling instant.
type idleState struct {
	thread   format.ThreadID
	stack    format.StackID
	activity format.Activity
	resource bool
}

// idleSum is the time that sampling instants with one idle state stand for.
type idleSum struct {
	ns, waits int64
	last      int64 // the end of the latest instant; one that starts there continues the wait
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
func (s *sampler) resolveSleeps(sites *sleepSites, defs *Symbols) (asleep, awaiting int64) {
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
