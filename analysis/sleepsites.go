package analysis

import (
	"hash/maphash"

	"contend/analysis/owners"
	"contend/format"
)

// sleepSites are the stacks at which threads sleep inside critical sections. A thread that
// sleeps there counts as running, because its lock is held meanwhile. A recorder does not
// mark such sleeps. A stack may be inside if it passes through a method that acquires a
// lock, from the same call site outwards. It is
//
//  1. inside if a thread dump shows the lock held with this stack;
//  2. outside if other threads often acquired the lock while a thread slept there, and
//     inside if they waited all the while: see verdict;
//  3. else unknown: its time is a range.
//
// A stack that passes through the caller of such a method, which may be a lock of the
// program's own, is inside if other threads waited all the while, else outside.
type sleepSites struct {
	at   []sleepSite             // by stack
	open bool                    // some are unknown
	took map[format.StackID]bool // stacks with which dumps show a lock held
	seed maphash.Seed
}

// sleepSite says whether a sleep with a stack is inside a critical section.
type sleepSite uint8

const (
	sleepOutside sleepSite = iota
	sleepInside
	sleepMayBeInside
)

func (s *sleepSites) of(stack format.StackID) sleepSite {
	if int(stack) < len(s.at) {
		return s.at[stack]
	}
	return sleepOutside
}

// works reports whether an idle time is a sleep inside a critical section.
func (s *sleepSites) works(o owners.Other) bool {
	return o.What() == format.ActivitySleep && s.of(o.Stack) == sleepInside
}
