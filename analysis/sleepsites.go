package analysis

import (
	"hash/maphash"

	"contend/analysis/owners"
	"contend/format"
)

// A thread that sleeps inside a critical section runs, as far as pressure goes: its
// lock is held meanwhile. A recorder of sleeps does not tell which these are. A stack
// may be inside when it passes through a method that acquires a lock, from the same
// call site outwards. It is
//
//  1. inside where a thread dump shows that the lock was held with this stack;
//  2. outside where others often acquired the lock while a thread slept there, and
//     inside where they waited all the while and did not: see verdict;
//  3. else not known: its time is a range.
//
// A stack that passes through the caller of such a method, which may be a lock of the
// program's own, is inside where others waited all the while, else outside.
type sleepSites struct {
	at   []sleepSite // by stack
	open bool        // some are not known
	took map[format.StackID]bool
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

// works reports whether an idle time is a sleep inside of a critical section.
func (s *sleepSites) works(o owners.Other) bool {
	return s != nil && o.What() == format.ActivitySleep && s.of(o.Stack) == sleepInside
}

func idle(o owners.Other) bool {
	return o.End > o.Start && int(o.What()) < len(idleWork) && idleWork[o.What()]
}

// idleWork tells which activities are idle time: a thread with nothing to do.
// A wait no rule classifies is idle too; the warnings say how much there was.
var idleWork = [...]bool{
	format.ActivityUnknown:  true,
	format.ActivityWait:     true,
	format.ActivityPark:     true,
	format.ActivitySleep:    true,
	format.ActivityIO:       false,
	format.ActivityRun:      false,
	format.ActivityLive:     false,
	format.ActivitySeen:     false,
	format.ActivityFile:     false,
	format.ActivitySocket:   false,
	format.ActivityTook:     false,
	format.ActivityReady:    false,
	format.ActivityRunnable: false,
}
