package sampled

import (
	"cmp"
	"slices"

	"contend/analysis/internal/sleeps"
	"contend/analysis/internal/times"
	"contend/format"
)

// sampledSleeps decides which sampled sleeps are inside critical sections of locks whose
// owner samples do not show. Sleeps with a stack are inside the section of a lock if
//
//  1. more than one thread sleeps there, but never two at a time while others wait for the
//     lock;
//  2. at half of these instants or more, all threads that ever took part wait: only the
//     sleeper can own the lock.
//
// Otherwise the time is a range: if a lock has two users that both work outside of it, if a
// single thread sleeps there, if a pool starts and ends threads.
type sampledSleeps struct {
	stacks map[format.StackID]*stackSleeps
	group  []idleState // scratch of add
}

// Bounds of the data: stacks, locks of a stack, pairs of a stack and a lock that one
// instant adds to, and spans of a stack.
const (
	maxSleepStacks  = 1 << 8
	maxSleepLocks   = 1 << 4
	maxInstantPairs = 1 << 12
	maxSleepSpans   = 1 << 12
)

// minAlone is the number of instants from which there is a verdict.
const minAlone = 10

// stackSleeps are the sampled sleeps with one stack.
type stackSleeps struct {
	first   format.ThreadID // the thread that slept first
	several bool            // others slept, too
	locks   map[format.ObjectID]*sleptFor
	spans   []sleepSpan // by start
	width   int64       // spans up to this length are merged, ns
}

// sleptFor is how many instants show threads waiting for a lock while others sleep.
type sleptFor struct {
	alone    map[int]int // one thread sleeps: by the number of waiters
	together int         // several do
	users    map[format.ThreadID]struct{}
}

// sleepSpan is sleep within [start, end), ns of thread-time.
type sleepSpan struct {
	time times.Span
	ns   int64
}

// addInstant adds an instant; [lo, hi) is its part in the cut of the filter.
func (s *sampledSleeps) addInstant(cur *instant, lo, hi int64, kind func(format.ObjectID) format.LockKind) {
	s.group = s.group[:0]
	for _, one := range cur.idleThreads {
		if one.activity == format.ActivitySleep {
			s.group = append(s.group, one)
		}
	}
	slices.SortFunc(s.group, func(a, b idleState) int { return cmp.Compare(a.stack, b.stack) })
	compare := len(s.group)*len(cur.locks) <= maxInstantPairs
	for rest := s.group; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].stack == rest[0].stack {
			n++
		}
		if of := s.sleepsAt(rest[0]); of != nil {
			of.several = of.several || n > 1 || rest[0].thread != of.first
			of.addSleep(lo, hi, int64(n))
			for i := range cur.locks {
				if l := &cur.locks[i]; compare && l.unowned() && kind(l.lock) != format.KindMonitor {
					of.addWaiters(l, rest[:n])
				}
			}
		}
		rest = rest[n:]
	}
}

// unowned reports whether a lock has waiters, and no owner that the instant shows.
func (l *contendedLock) unowned() bool {
	return len(l.waiters) > 0 &&
		!slices.ContainsFunc(l.owners, func(p format.Party) bool { return p.Thread != format.NoThread })
}

// sleepsAt returns the sleeps with a stack; nil if there are too many stacks.
func (s *sampledSleeps) sleepsAt(one idleState) *stackSleeps {
	of := s.stacks[one.stack]
	if of == nil && len(s.stacks) < maxSleepStacks {
		if s.stacks == nil {
			s.stacks = map[format.StackID]*stackSleeps{}
		}
		of = &stackSleeps{first: one.thread, locks: map[format.ObjectID]*sleptFor{}}
		s.stacks[one.stack] = of
	}
	return of
}

// addWaiters adds the waiters of a lock while some threads sleep.
func (s *stackSleeps) addWaiters(l *contendedLock, asleep []idleState) {
	at := s.locks[l.lock]
	if at == nil {
		if len(s.locks) >= maxSleepLocks {
			return
		}
		at = &sleptFor{map[int]int{}, 0, map[format.ThreadID]struct{}{}}
		s.locks[l.lock] = at
	}
	for _, w := range l.waiters {
		at.users[w.Thread] = struct{}{}
	}
	for _, one := range asleep {
		at.users[one.thread] = struct{}{}
	}
	if len(asleep) > 1 {
		at.together++
	} else {
		at.alone[len(l.waiters)]++
	}
}

// addSleep adds the sleep of n threads during [lo, hi).
func (s *stackSleeps) addSleep(lo, hi, n int64) {
	if lo >= hi {
		return
	}
	if k := len(s.spans) - 1; k >= 0 && lo == s.spans[k].time.End && hi-s.spans[k].time.Start <= s.width {
		s.spans[k].time.End = hi
		s.spans[k].ns += n * (hi - lo)
		return
	}
	s.spans = append(s.spans, sleepSpan{times.Span{Start: lo, End: hi}, n * (hi - lo)})
	if len(s.spans) < maxSleepSpans {
		return
	}
	half := s.spans[:0]
	for i := 0; i+1 < len(s.spans); i += 2 {
		a, b := s.spans[i], s.spans[i+1]
		half = append(half, sleepSpan{times.Span{Start: a.time.Start, End: b.time.End}, a.ns + b.ns})
		s.width = max(s.width, b.time.End-a.time.Start)
	}
	s.spans = half
}

// inside reports whether sleeps with a stack are inside the section of one of some locks.
func (s *sampledSleeps) inside(stack format.StackID, locks []format.ObjectID) bool {
	of := s.stacks[stack]
	return of != nil && of.several && slices.ContainsFunc(locks, func(l format.ObjectID) bool {
		at := of.locks[l]
		if at == nil {
			return false
		}
		alone, instants := 0, at.together
		for waiters, n := range at.alone {
			if instants += n; waiters+1 >= len(at.users) {
				alone += n
			}
		}
		return alone >= minAlone && alone > sleeps.Contradicted*at.together && 2*alone >= instants
	})
}
