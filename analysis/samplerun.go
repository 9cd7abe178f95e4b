package analysis

import (
	"slices"

	"contend/format"
)

// sampleRun is instants that follow each other and show the same: sampling is
// finer than what it looks at, or should be. The wait-for graph is built for
// the first of them, and where everything charged is a multiple of their
// length, as one path leads from each lock, they are charged once, together.
// The sums are the same, since a lock's waiting time over the run is the length
// times its waiters wherever it is cut. Time split among readers is not: the
// odd nanoseconds of each cut go to other readers. Nor is a deadlock, whose
// members are counted one by one.
type sampleRun struct {
	lo, hi  int64 // empty when equal
	running int64 // threads, the same in all of it
	seen    Sample
}

// longestRun is the length from which a run is charged, an hour: its
// thread-time is far from what int64 holds.
const longestRun = int64(3600e9)

// repeats reports whether cur shows what the instant charged before it showed,
// which lies in the other buffer until the next one is read into it.
func (s *sampler) repeats() bool {
	return slices.EqualFunc(s.cur.locks, s.next.locks, func(a, b contendedLock) bool {
		return a.lock == b.lock && slices.Equal(a.owners, b.owners) && slices.Equal(a.waiters, b.waiters)
	})
}

// plain reports whether one path leads from each lock, and none in a circle.
func (s *sampler) plain() bool {
	last := format.NoObject
	for _, t := range s.nodes {
		if lock := s.g.blocked[t].lock; lock != last {
			last = lock
			if !s.g.route(lock).single {
				return false
			}
		}
	}
	return true
}

// lengthen adds [lo, hi), which cur stands for, to the run, or begins one;
// false when it must be charged by itself.
func (s *sampler) lengthen(lo, hi, running int64, seen Sample) bool {
	if !s.simple || lo >= hi || lo < max(s.e.from, s.e.start) || lo >= s.e.to {
		return false
	}
	r := &s.run
	if r.lo < r.hi && r.hi == lo && seen.Before != format.NoTime && r.running == running && hi-r.lo <= longestRun {
		r.hi, r.seen.Last, r.seen.After = hi, seen.Last, seen.After
		return true
	}
	s.flushRun()
	*r = sampleRun{lo, hi, running, seen}
	return true
}

// flushRun charges the run. It must come before anything that changes what
// its slices mean: the graph, or the symbols.
func (s *sampler) flushRun() {
	if r := s.run; r.lo < r.hi {
		s.run = sampleRun{}
		s.book(r.lo, r.hi, r.running, r.seen)
	}
}
