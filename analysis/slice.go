package analysis

import (
	"iter"
	"math/bits"

	"contend/analysis/owners"
	"contend/format"
)

// Package owners defines owners and their provenance.
type (
	Provenance = owners.Provenance
	OwnerKind  = owners.Kind
	Owner      = owners.Owner
	Pause      = owners.Pause

	Agreement = owners.Agreement
	Why       = owners.Why
	Known     = owners.Known
	Word      = owners.Word
)

// The provenances without a probability, and the classes over which provenances are summed.
const (
	Exact       = owners.Exact
	Sampled     = owners.Sampled
	Unknown     = owners.Unknown
	ByTenure    = owners.ByTenure
	BySample    = owners.BySample
	ByInference = owners.ByInference
	ByNothing   = owners.ByNothing
	Words       = owners.Words
)

// The activities of an owner that is stopped by a pause.
const (
	ActivityCollected = owners.Collected
	ActivityStopped   = owners.Stopped
)

// Likely is the provenance of an inferred owner with a probability.
func Likely(p float64) Provenance { return owners.Likely(p) }

// The kinds of owners.
const (
	OwnerThread   = owners.Thread
	OwnerHandoff  = owners.Handoff
	OwnerUnknown  = owners.Nobody
	OwnerExternal = owners.External
	OwnerGCPause  = owners.GCPause
	OwnerPause    = owners.Safepoint
	OwnerDeadlock = owners.Deadlock
)

// Share is the part of each waiter's time in a slice that one path through the wait-for
// graph carries. The shares of a slice sum to its length, to the nanosecond.
type Share struct {
	Ns     int64
	Direct Owner           // the owner of the lock waited for
	Root   Owner           // the end of the path; when Hops is 1 it is Direct, or the pause that stops it
	Hops   int             // locks on the path, at least 1
	Last   format.ObjectID // the last lock on the path; the slice's lock when Hops is 1
	Path   *Hop            // the hops after the first lock; nil when Hops is 1. See Further
}

// Owner returns the owner that the share is charged to: the direct one or the root.
func (s *Share) Owner(root bool) *Owner {
	if root {
		return &s.Root
	}
	return &s.Direct
}

// Further iterates over the hops of Path.
func (s *Share) Further() iter.Seq[*Hop] {
	return func(yield func(*Hop) bool) {
		for h := s.Path; h != nil && yield(h); h = h.Next {
		}
	}
}

// Far reports whether the path is cut after MaxPath locks.
func (s *Share) Far() bool { return s.Hops-1 > MaxPath }

// Hop is a further step of a path: Thread, which owns the previous lock, is blocked on Lock
// with Stack. Paths with the same end share their hops there.
type Hop struct {
	Thread format.ThreadID
	Stack  format.StackID
	Lock   format.ObjectID
	Next   *Hop
}

// PathOf links hops to a path, for tests.
func PathOf(hops ...Hop) (path *Hop) {
	for i := len(hops) - 1; i >= 0; i-- {
		hops[i].Next = path
		path = &hops[i]
	}
	return path
}

// MaxPath is the number of locks after the first that a path follows. A longer path has an
// unknown root. Otherwise a change at the end of a chain of 10,000 waits would end the
// slices of all of them, and there are as many changes as waits.
const MaxPath = 32

// Slice is the unit of every result: during [Start, End) some threads waited for one lock,
// and no pointer on their path changed. Slices of one thread are in order of time. Slices
// of different threads are in order of End, and those of samples come before those of
// recorded waits. Visitors must get the same sums if adjacent slices are merged, or a slice
// is split by time or by waiters. A Slice and everything it points to are valid during the
// call only.
type Slice struct {
	Start, End     int64
	Lock           format.ObjectID
	Waiters        []Waiter // at least one
	Shares         []Share  // of each waiter; empty for a wait of length zero
	Sample         Sample
	Summed         bool  // it is the sum of waits without known times, of one waiter
	Waits          int64 // of a sum: the number of waits; 0 if unknown
	NoEarlierStart int64 // of recorded waits: no later slice of one starts before this instant; NoTime if unknown
}

// Waiter is a waiting thread.
type Waiter struct {
	Thread format.ThreadID
	Stack  format.StackID
	Mode   format.Mode
	First  bool  // the wait begins with this slice, see Slice.Begins
	Again  bool  // a repetition of the same waiter, which was sampled and stands for several
	Failed bool  // set with First: the wait timed out without the lock
	WaitNs int64 // set with First: duration of the whole wait; 0 if sampled
	CutNs  int64 // the part of WaitNs in the filter's cut: the sum of all slices of the wait
}

// Length returns the waiting time of each waiter.
func (s *Slice) Length() int64 { return s.End - s.Start }

// Ns returns the thread-time of all waiters together.
func (s *Slice) Ns() int64 { return s.Length() * int64(len(s.Waiters)) }

// Firsts returns how many waits begin with the slice.
func (s *Slice) Firsts() (n int64) {
	for i := range s.Waiters {
		n += s.Begins(&s.Waiters[i])
	}
	return n
}

// Begins returns how many waits of one of its waiters begin with the slice.
func (s *Slice) Begins(w *Waiter) int64 {
	switch {
	case !w.First:
		return 0
	case s.Summed:
		return s.Waits
	}
	return 1
}

// Sample is the evidence for a slice of a sampled trace: the waiters were seen at First and
// at every sample up to Last. Before and After are the neighbouring samples, or NoTime if
// there is none, or a gap in the trace or the cut of the filter hides it. A slice of a
// recorded wait has the zero Sample.
type Sample struct {
	Taken                      bool
	InOrder                    bool // no later sample, of this or a later input, reaches before this slice's Start
	Before, First, Last, After int64
}

// MaxIntervals bounds the intervals of a trace that any visitor asks for: twelve days of
// seconds.
const MaxIntervals = 1 << 20

// Ratio returns a part of a whole; 0 without one.
func Ratio(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Spread returns the part of ns, spread evenly over [from, to), that falls into [lo, hi).
// Parts that tile the interval sum to exactly ns.
func Spread(ns, from, to, lo, hi int64) int64 {
	if lo == from && hi == to {
		return ns
	}
	upTo := func(t int64) int64 {
		h, l := bits.Mul64(uint64(ns), uint64(t-from))
		q, _ := bits.Div64(h, l, uint64(to-from))
		return int64(q)
	}
	return upTo(hi) - upTo(lo)
}
