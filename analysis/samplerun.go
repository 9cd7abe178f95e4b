package analysis

import (
	"slices"

	"contend/format"
)

// charge emits the slices of cur, or puts them off while nothing changes.
func (s *sampler) charge(next int64) {
	near := s.rec.part().gaps.around(s.cur.time)
	lo, hi := s.reach(next, near)
	if !s.e.begun {
		s.start = lo
		s.e.begin(s.rec.earliest(lo))
	}
	before, after := s.tickBefore(near), s.tickAfter(next, hi, near)
	s.edge, s.end = hi, max(s.end, hi)
	s.asides(lo, hi)
	if s.measured.told {
		s.putOff(lo, hi, s.sample(before, after))
		return
	}
	s.e.tick(lo, hi)
	if s.stale || !s.repeats() {
		s.stale = false
		s.flushRun()
		s.look()
	}
	running := s.count()
	if s.lengthen(lo, hi, running, before, after) {
		return
	}
	s.flushRun()
	seen := s.sample(before, after)
	s.book(lo, hi, running, &seen)
}

// look finds out what follows from cur for those who wait.
func (s *sampler) look() {
	s.clear()
	sc := s.cur.scene
	if s.known = sc; sc != nil && sc.groups != nil {
		s.simple = true
		return
	}
	s.known = nil
	s.build()
	if s.simple = s.plain(); s.simple && sc != nil {
		s.remember(sc)
	}
}

// repeats reports whether cur shows what the instant charged before it showed,
// which lies in the other buffer until the next one is read into it.
func (s *sampler) repeats() bool {
	if s.cur.scene != nil && s.next.scene != nil { // each is remembered once
		return s.cur.scene == s.next.scene
	}
	return slices.EqualFunc(s.cur.contended(), s.next.contended(), func(a, b contendedLock) bool {
		return a.lock == b.lock && slices.Equal(a.owners, b.owners) && slices.Equal(a.waiters, b.waiters)
	})
}

// lengthen adds [lo, hi), which cur stands for, to the run, or begins one;
// false when it must be charged by itself.
func (s *sampler) lengthen(lo, hi, running, before, after int64) bool {
	if !s.simple || lo >= hi || lo < max(s.e.from, s.e.start) || lo >= s.e.to {
		return false
	}
	r := &s.run
	if r.lo < r.hi && r.hi == lo && before != format.NoTime && r.running == running && hi-r.lo <= longestRun {
		r.hi, r.seen.Last, r.seen.After = hi, s.cur.time, after
		return true
	}
	s.flushRun()
	r.lo, r.hi, r.running, r.seen = lo, hi, running, s.sample(before, after)
	return true
}

// flushRun charges the run. It must come before anything that changes what
// its slices mean: the graph, or the symbols.
func (s *sampler) flushRun() {
	if r := &s.run; r.lo < r.hi {
		lo, hi := r.lo, r.hi
		r.lo, r.hi = 0, 0
		s.book(lo, hi, r.running, &r.seen)
	}
}
