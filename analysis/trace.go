package analysis

import (
	"regexp"

	"contend/analysis/dist"
	"contend/format"
)

// Filter selects the waits that are charged. It never changes the wait-for
// graph: a wait that is filtered out still passes blame on.
type Filter struct {
	Class, Lock, Thread *regexp.Regexp // of the lock's class, its name, the waiting thread's name; nil means all
	From, To            int64          // cut to [From, To); format.NoTime means open
	FromRel, ToRel      bool           // From or To count from the start of the trace
	MinWait             int64          // leave out waits known to be shorter than this, in nanoseconds
}

// Trace is what a pass over a source yields besides its slices.
type Trace struct {
	Symbols    *Symbols
	Start, End int64 // the recorded stretch, widened to hold every wait
	ElapsedNs  int64 // of that, inside the filter's cut and not between recordings
	Threads    int   // threads seen, virtual ones included
	RunningNs  int64 // cumulated running thread-time inside the filter's cut
	Deadlocks  []Deadlock
	Pauses     []Pause // whenever the program as a whole was stopped, in order of time
	Coverage   Coverage

	RunningHigh int64      // what RunningNs may be at most, where not all is known of idle threads
	Reacquired  Reacquired // the part of the waiting that is estimated
}

// Reacquired is the time threads took to get locks back after waits, in ns.
type Reacquired struct {
	Ns        int64 // as it is counted
	Low, High int64 // its range
}

// Deadlock is a cycle of threads each blocked on a lock the next one holds.
type Deadlock struct {
	Cycle  []Link            // canonical: begins with the smallest thread id
	Queued []format.ThreadID // blocked behind the cycle, not part of it
	Since  int64
}

// Link is one member of a deadlock: Thread waits for Lock, held by the next.
type Link struct {
	Thread format.ThreadID
	Lock   format.ObjectID
	Stack  format.StackID
}

// Coverage is what the analysis could and could not tell.
type Coverage struct {
	ByProvenance Known                         // direct waiting time by how its owner is known; sums to all waiting time. Handoff counts as what showed the lock free
	Stalls       Stalls                        // how late the sampler was; empty for traces that do not sample
	Seen         map[format.ObjectID]Agreement // by lock: dumps that were hidden from the inference, and compared
	Warnings     []format.Warning
	Threshold    int64 // ns; shorter waits were not recorded, at least of some kind
	Samples      int   // instants at which threads were looked at; 0 where waits themselves are recorded
	Owned        bool  // the trace tells who held the locks waited for, so that a deadlock would show
}

// Stalls says how late samples were taken. Waits are weighted by the actual
// time of samples, so totals stay right on average; what happened while the
// sampler was late was still not seen.
type Stalls struct {
	Samples int64     // samples that say when they were due
	Late    dist.Dist // actual less intended time, with an entry for each sample that was skipped meanwhile, as jHiccup counts
	LateNs  int64     // time in which a sample was due and not taken
	SpanNs  int64     // from the first instant a sample was due to the last sample
}

// Trust returns how far what is inferred is expected to be right, all locks together.
func (c *Coverage) Trust() Trust {
	t := Trust{Known: c.ByProvenance}
	for _, seen := range c.Seen {
		t.Seen.Merge(seen)
	}
	return t
}

// SeenOf returns what hidden dumps of a lock say, or of all locks of a class.
func (t *Trace) SeenOf(id uint32, class bool) (sum Agreement) {
	for lock, seen := range t.Coverage.Seen {
		if !class && uint32(lock) == id || class && t.Symbols.Class(lock) == id {
			sum.Merge(seen)
		}
	}
	return sum
}
