package analysis

import (
	"math"
	"regexp"

	"contend/analysis/durations"
	"contend/format"
)

// Instant returns the time that a bound of a filter means in a trace that begins at start.
// Out of range it returns the first or last possible time.
func Instant(t int64, relative bool, start int64) int64 {
	at := start + t
	switch {
	case !relative:
		return t
	case t > 0 && at < start:
		return math.MaxInt64
	case t < 0 && at > start:
		return -math.MaxInt64
	}
	return at
}

// Filter selects the waits that are charged. It never changes the wait-for graph: a hidden
// wait still passes blame on.
type Filter struct {
	Class, Lock, Thread *regexp.Regexp // match the lock's class, its name, the waiting thread's name; nil matches all
	From, To            int64          // the cut is [From, To); format.NoTime means open
	FromRel, ToRel      bool           // From or To is relative to the start of the trace
	MinWait             int64          // leave out waits known to be shorter, ns

	// the interval in which to explain the owners of a lock; empty for none
	Why func(lock format.ObjectID) (from, to int64)
}

// Trace is the result of a pass over a source, besides its slices.
type Trace struct {
	Symbols    *Symbols
	Start, End int64 // the recorded interval, widened to include every wait
	ElapsedNs  int64 // its part in the filter's cut, without time that was not recorded: the sum of Recorded
	Recorded   []Interval
	Threads    int   // threads seen, virtual ones included
	RunningNs  int64 // running thread-time in the filter's cut
	Deadlocks  []Deadlock
	Pauses     []Pause // of the whole program, in order of time
	Coverage   Coverage

	Whys        map[format.ObjectID]Why // by lock that Filter.Why asks for, if its owners are inferred by the model
	RunningHigh int64                   // upper bound of RunningNs, if some idle time is unknown
	UnendedHigh int64                   // upper bound of waiting that the recording's start or end cut off, ns
	Reacquired  Reacquired              // the estimated part of the waiting

	ReacquiredAt map[format.ObjectID]Reacquired // the same by lock, over the whole trace
}

// Interval is the time [Start, End) of the trace's clock, in ns. Known is the share of the waiting then that is
// known: less than 1 where an input is cut off, and what some threads recorded last is missing.
type Interval struct {
	Start, End int64
	Known      float64
}

// Ns returns how long an interval is, as far as its waiting is known, ns.
func (i Interval) Ns() int64 { return int64(math.Round(float64(i.End-i.Start) * i.Known)) }

// Deadlock is a cycle of threads, each blocked on a lock that the next one holds.
type Deadlock struct {
	Cycle  []Link            // canonical: begins with the smallest thread id
	Queued []format.ThreadID // blocked behind the cycle, not in it
	Since  int64
}

// Link is one member of a deadlock: Thread waits for Lock, held by the next.
type Link struct {
	Thread format.ThreadID
	Lock   format.ObjectID
	Stack  format.StackID
}

// Coverage is what the analysis could and could not determine.
type Coverage struct {
	// direct waiting time by the provenance of its owner; sums to all waiting time. Hand-off counts as
	// the evidence that the lock was free
	ByProvenance Known
	Stalls       Stalls                        // empty for traces without samples
	Seen         map[format.ObjectID]Agreement // by lock: dumps hidden from the inference and compared with it
	Warnings     []format.Warning
	Threshold    int64 // ns; shorter waits of some kind were not recorded
	Samples      int   // sampling instants; 0 if waits themselves are recorded
	Owned        bool  // the trace shows owners, so a deadlock would be visible
}

// Stalls is how late samples were taken. Waits are weighted by the actual time of samples,
// so totals are right on average, but activities while the sampler was late are not
// sampled.
type Stalls struct {
	Samples int64                  // samples with a due time
	Late    durations.Distribution // actual less intended time, with an entry for each skipped sample, as in jHiccup
	LateNs  int64                  // time in which a sample was due and not taken
	SpanNs  int64                  // from the first due time to the last sample
}

// SeenOfAll returns the agreement with hidden dumps, over all locks.
func (c *Coverage) SeenOfAll() (all Agreement) {
	for _, seen := range c.Seen {
		all.Merge(seen)
	}
	return all
}

// SeenBy returns the agreement with hidden dumps, by lock or by class of locks.
func (t *Trace) SeenBy(class bool) map[uint32]Agreement { return sumBy(t, t.Coverage.Seen, class) }

// ReacquiredBy returns this time by lock or by class of locks, over the whole trace, whatever the filter is.
func (t *Trace) ReacquiredBy(class bool) map[uint32]Reacquired {
	return sumBy(t, t.ReacquiredAt, class)
}

// merges is a pointer to a sum that another one can be added to.
type merges[T any] interface {
	*T
	Merge(T)
}

// MergeInto adds a sum to that of a key.
func MergeInto[K comparable, T any, P merges[T]](sums map[K]T, key K, more T) {
	sum := sums[key]
	P(&sum).Merge(more)
	sums[key] = sum
}

// sumBy adds up the sums of locks, by lock or by class of locks.
func sumBy[T any, P merges[T]](t *Trace, of map[format.ObjectID]T, class bool) map[uint32]T {
	by := make(map[uint32]T, len(of))
	for lock, sum := range of {
		id := uint32(lock)
		if class {
			id = t.Symbols.Class(lock)
		}
		MergeInto[uint32, T, P](by, id, sum)
	}
	return by
}

// wideRange is how many times the running time its upper bound must be to be reported:
// below that it changes no pressure by more than 5 points.
const wideRange = 1.05

// Pressure returns the range of the pressure of some waiting, in [0, 1]. The range covers
// the running time, the estimated part of the waiting, waits that had begun before the recording or did not end in
// it, and hiddenNs of further waiting that an input hides. Both ends are 0 if no thread ran.
func (t *Trace) Pressure(waitNs, hiddenNs int64) (low, high float64) {
	part := func(wait, running float64) float64 {
		if running <= 0 {
			return 0
		}
		return max(wait, 0) / running
	}
	less := float64(min(t.Reacquired.Ns-t.Reacquired.Low, waitNs))
	more := float64(t.KnownInPart()) + float64(hiddenNs)
	wait, running := float64(waitNs), float64(t.RunningNs)
	return part(wait-less, max(float64(t.RunningHigh), running)-less), part(wait+more, running+more)
}

// KnownInPart returns the upper bound of further waiting, ns, that the recording knows in part: waits that its start or
// end cut off, and those for a lock again after a notification, whose beginnings are estimated.
func (t *Trace) KnownInPart() int64 { return t.UnendedHigh + t.Reacquired.High - t.Reacquired.Ns }

// RunningIsWide reports whether unknown activity of threads matters to their running time,
// and so to every pressure.
func (t *Trace) RunningIsWide() bool {
	return float64(t.RunningHigh) > wideRange*float64(t.RunningNs)
}
