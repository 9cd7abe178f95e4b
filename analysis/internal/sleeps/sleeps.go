package sleeps

import (
	"hash/maphash"
	"slices"

	"contend/analysis"
	"contend/analysis/internal/times"
	"contend/analysis/owners"
	"contend/format"
)

// Contradicted is how many sleeps must agree with a stack being inside for each sleep that
// does not: the ends of waits are not exact.
const Contradicted = 10

// Sites are the stacks at which threads sleep inside critical sections. A recorder does not
// mark such sleeps. A stack may be inside if it passes through a method that acquires a lock,
// from the same call site outwards. It is
//
//  1. inside if a thread dump shows the lock held with this stack;
//  2. inside or outside by the waits for the lock: see tally;
//  3. else unknown: its time is a range.
//
// A stack that passes through the caller of such a method, which may be a lock of the
// program's own, or through no such method at all, is inside if the waits show that, else
// outside: a thread that hardly ever waits for a lock leaves no acquisition.
type Sites struct {
	at   []sleepSite             // by stack
	open bool                    // some are unknown
	took map[format.StackID]bool // stacks with which dumps show a lock held
	seed maphash.Seed
	in   sections // of the trace, by Classify
}

// sleepSite is whether sleeps with a stack are inside a critical section.
type sleepSite uint8

const (
	sleepOutside sleepSite = iota
	sleepInside
	sleepMayBeInside
)

func (s *Sites) siteOf(stack format.StackID) sleepSite {
	if int(stack) < len(s.at) {
		return s.at[stack]
	}
	return sleepOutside
}

func (s *Sites) set(id format.StackID, is sleepSite) {
	for len(s.at) <= int(id) {
		s.at = append(s.at, sleepOutside)
	}
	s.at[id] = is
}

// Works reports whether an idle time is a sleep inside a critical section.
func (s *Sites) Works(o owners.Activity) bool {
	return o.What() == format.ActivitySleep && s.siteOf(o.Stack) == sleepInside
}

// Unclear returns how long a thread slept in a cut while it may have held a lock, ns.
func (s *Sites) Unclear(own owners.Scan, cut times.Span) (ns int64) {
	if !s.open {
		return 0
	}
	for own.NextOther() {
		if o := own.Activity(); o.What() == format.ActivitySleep && s.siteOf(o.Stack) == sleepMayBeInside {
			ns += max(min(o.End, cut.End)-max(o.Start, cut.Start), 0)
		}
	}
	return ns
}

// HoldsLock adds a stack with which a dump shows a lock held.
func (s *Sites) HoldsLock(stack format.StackID) {
	if s.took == nil {
		s.took = map[format.StackID]bool{}
	}
	s.took[stack] = true
}

// Classify decides all stacks at which threads slept.
func (s *Sites) Classify(all *owners.Activities, defs *analysis.Symbols) {
	s.in = s.acquiredAt(defs, all.Readers())
	open := map[format.StackID]*candidates{}
	for id := format.StackID(1); int(id) <= defs.Stacks(); id++ {
		if !defs.Uses(id).Has(analysis.Did(format.ActivitySleep)) {
			continue
		}
		inside, near, far := s.groups(defs.Frames(id))
		switch {
		case inside:
			s.set(id, sleepInside)
		case len(near) > 0:
			s.set(id, sleepMayBeInside)
			open[id] = &candidates{groups: near, near: true}
		default:
			open[id] = &candidates{groups: far} // others may acquire these while the thread has its lock
		}
	}
	if len(open) > 0 {
		for id, is := range newTrial(all, defs, open).verdicts() {
			s.set(id, is)
		}
		s.open = slices.Contains(s.at, sleepMayBeInside)
	}
}
