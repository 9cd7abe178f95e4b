package sampled

import (
	"slices"

	"contend/analysis"
	"contend/analysis/internal/deliver"
	"contend/analysis/internal/record"
	"contend/analysis/internal/sleeps"
	"contend/format"
)

// AddIdle adds an idle thread to the current instant. It returns false if the activity is
// not part of the instant.
func (s *Sampler) AddIdle(ev *format.Event) bool {
	if !s.next.valid || ev.Time != s.next.time || ev.End != ev.Time || !ev.Activity.Idle() {
		return false
	}
	s.next.idleThreads = append(s.next.idleThreads, idleState{ev.Thread, ev.Stack, ev.Activity, ev.Resource})
	return true
}

// chargeIdle charges the idle threads of cur, which stands for [lo, hi).
func (s *Sampler) chargeIdle(lo, hi int64) {
	from, to, ok := s.Booker.e.Cut(lo, hi)
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
	s.sleeps.addInstant(s.cur, from, to, s.Booker.e.Defs.Kind)
}

// idleSumOf returns the sum for an idle state.
func (s *Sampler) idleSumOf(one idleState) *idleSum {
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

// ResolveSleeps books the sampled sleeps inside critical sections as running time. It
// returns two sums over sampled threads, ns: sleep during which the thread may have held a
// lock whose owner samples do not show, and time in await. A sample does not show whether
// an awaiting thread has been signalled and waits for the lock.
func (s *Sampler) ResolveSleeps(sites *sleeps.Sites, defs *analysis.Symbols) (asleep, awaiting int64) {
	runs := map[format.StackID]bool{}
	for one, sum := range s.idleSums {
		switch frames := defs.Frames(one.stack); {
		case record.OwnAwait(frames):
			awaiting += sum.ns
		case runs[one.stack] && one.activity == format.ActivitySleep:
			delete(s.idleSums, one)
		case one.activity == format.ActivitySleep:
			_, near, far := sites.Passes(frames)
			near = slices.DeleteFunc(near, func(l format.ObjectID) bool { return defs.Kind(l) == format.KindMonitor })
			far = slices.DeleteFunc(far, func(l format.ObjectID) bool { return defs.Kind(l) != format.KindMutex })
			switch all := append(near, far...); {
			case s.sleeps.inside(one.stack, all):
				for _, span := range s.sleeps.stacks[one.stack].spans {
					s.Booker.e.BookRunning(span.time.Start, span.time.End, span.ns)
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

// VisitNonLockWaits gives the sampled non-lock waits.
func (s *Sampler) VisitNonLockWaits(out *deliver.NonLockWaits) {
	for one, sum := range s.idleSums {
		out.Deliver(
			&analysis.NonLockWait{
				Thread:   one.thread,
				Stack:    one.stack,
				Activity: one.activity,
				Resource: one.resource,
				Ns:       sum.ns,
				Waits:    sum.waits,
			},
		)
	}
}
