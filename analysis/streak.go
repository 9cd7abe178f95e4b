package analysis

import (
	"slices"

	"contend/format"
)

// streak is instants that follow each other and show the same: sampling is
// finer than what it looks at, or should be. The wait-for graph is built for
// the first of them, and where everything charged is a multiple of their
// length - one path from each lock, and visitors that take crowds - they are
// charged once, together. The sums are the same, since a lock's waiting time
// over the streak is the length times its waiters wherever it is cut. Time
// split among readers is not: the odd nanoseconds of each cut go to other
// readers. Nor is a deadlock, whose members are counted one by one.
type streak struct {
	lo, hi  int64 // empty when equal
	running int64 // threads, the same in all of it
	seen    Sighting
}

// longestStreak is the length from which a streak is charged, an hour: its
// thread-time is far from what int64 holds.
const longestStreak = int64(3600e9)

// repeats reports whether cur shows what the instant charged before it showed,
// which lies in the other buffer until the next one is read into it.
func (s *sampler) repeats() bool {
	return slices.EqualFunc(s.cur.locks, s.next.locks, func(a, b instant) bool {
		return a.lock == b.lock && slices.Equal(a.owners, b.owners) && slices.Equal(a.waiters, b.waiters)
	})
}

// plain reports whether one path leads from each lock, and none in a circle.
func (s *sampler) plain() bool {
	for _, l := range s.held {
		if len(s.g.owners[l]) > 1 {
			return false
		}
	}
	last := format.NoObject
	for _, t := range s.nodes {
		lock := s.g.blocked[t].lock
		if lock == last { // its path is that of the node before
			continue
		}
		last = lock
		for steps := 0; lock != format.NoObject; steps++ {
			owners := s.g.holders(lock)
			if len(owners) == 0 {
				break
			}
			if steps > len(s.nodes) {
				return false
			}
			lock = s.g.blockedOn(Owner{Kind: owners[0].Kind, Thread: owners[0].Thread}).lock
		}
	}
	return true
}

// lengthen adds [lo, hi), which cur stands for, to the streak, or begins one;
// false when it must be charged by itself.
func (s *sampler) lengthen(lo, hi, running int64, seen Sighting) bool {
	if !s.simple || lo >= hi || lo < max(s.e.from, s.e.start) {
		return false
	}
	r := &s.streak
	if r.lo < r.hi && r.hi == lo && seen.Before != format.NoTime && r.running == running && hi-r.lo <= longestStreak {
		r.hi = hi
		return true
	}
	s.settle()
	*r = streak{lo, hi, running, seen}
	return true
}

// settle charges the streak. It must come before anything that changes what
// its slices mean: the graph, or the symbols.
func (s *sampler) settle() {
	if r := s.streak; r.lo < r.hi {
		s.streak = streak{}
		s.book(r.lo, r.hi, r.running, r.seen)
	}
}
