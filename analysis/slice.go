package analysis

import (
	"contend/analysis/owners"
	"contend/format"
)

// What an owner is and how it is known is the affair of package owners; these
// are its words under the names the model uses.
type (
	Provenance = owners.Provenance
	OwnerKind  = owners.Kind
	Owner      = owners.Owner
	Pause      = owners.Pause

	Trust     = owners.Trust
	Agreement = owners.Agreement
	Known     = owners.Known
	Word      = owners.Word
)

// The provenances that need no probability, and how sums tell them apart.
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

// Likely is the provenance of what is inferred with some probability.
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

// Share is the part of a slice that one path through the wait-for graph
// carries, of each waiter's time. The shares of a slice sum to its length, to
// the nanosecond.
type Share struct {
	Ns     int64
	Direct Owner           // the owner of the lock waited for
	Root   Owner           // the end of the path; equal to Direct when Hops is 1
	Hops   int             // locks on the path, at least 1
	Last   format.ObjectID // the last lock on the path; that of the slice when Hops is 1
	Path   *Hop            // the locks passed after the first, with the thread blocked on each; nil when Hops is 1. See Further
}

// Owner returns whom the share is charged to: the direct owner or the root.
func (s *Share) Owner(root bool) *Owner {
	if root {
		return &s.Root
	}
	return &s.Direct
}

// Hop is one further step of a path: Thread, an owner met on the way, was
// itself blocked on Lock with Stack. Paths that end alike share their ends.
type Hop struct {
	Thread format.ThreadID
	Stack  format.StackID
	Lock   format.ObjectID
	Next   *Hop
}

// PathOf links hops to a path.
func PathOf(hops ...Hop) (path *Hop) {
	for i := len(hops) - 1; i >= 0; i-- {
		hops[i].Next = path
		path = &hops[i]
	}
	return path
}

// Slice is the atom every result is a sum of: over [Start, End) a group of
// threads waited for one lock and no pointer on their path changed. Slices of
// one thread come in order of time; slices of different threads come in order
// of End, never of Start, those of recorded waits behind those of samples. The
// sums must come out the same if two slices that follow each other are one, or if
// one is cut into two, by time or by waiters. A Slice and all it points to are
// valid during the call only.
type Slice struct {
	Start, End     int64
	Lock           format.ObjectID
	Waiters        []Waiter // at least one
	Shares         []Share  // of each waiter; none of a wait of length zero
	Sample         Sample
	NoEarlierStart int64 // of recorded waits: no later slice of one starts before this instant; NoTime when that is not known
}

// Waiter is a thread that waits.
type Waiter struct {
	Thread format.ThreadID
	Stack  format.StackID
	Mode   format.Mode
	First  bool  // the wait begins with this slice: sums of First count waits
	Failed bool  // given with First: the wait ended without the lock, since its time was up
	WaitNs int64 // length of the whole wait, given with First; 0 when only sampled
	CutNs  int64 // of that, what lies in the filter's cut: the lengths of all slices of the wait together
}

// Length returns how long each of the waiters waited.
func (s *Slice) Length() int64 { return s.End - s.Start }

// Ns returns the thread-time of all waiters together.
func (s *Slice) Ns() int64 { return s.Length() * int64(len(s.Waiters)) }

// Firsts returns how many waits begin with the slice.
func (s *Slice) Firsts() (n int64) {
	for i := range s.Waiters {
		if s.Waiters[i].First {
			n++
		}
	}
	return n
}

// SameGroup returns how many of the waiters, the first one included, come before
// one of another group.
func (d *definitions) SameGroup(waiters []Waiter) int {
	group, n := d.Group(waiters[0].Thread), 1
	for n < len(waiters) && d.Group(waiters[n].Thread) == group {
		n++
	}
	return n
}

// Sample is what a slice of a sampled trace rests on: the waiters were seen at
// the instant First and at every one up to Last, and no sample was taken
// between Before and First, nor between Last and After. Before and After are
// NoTime where there is no neighbour, or none that a gap in the trace or the
// cut of the filter does not hide.
// A slice of a recorded wait has the zero Sample.
type Sample struct {
	Taken                      bool
	InOrder                    bool // no later sample of the trace, nor of any input that may follow, reaches before this slice's Start
	Before, First, Last, After int64
}

// Visitor receives a trace as slices. Begin comes first, once; then Slice, in any
// mixture with what else it asks for, on goroutines other than Run's, though
// never two calls at once, and none any more when Run returns. Other visitors
// may be at work at the same time.
type Visitor interface {
	// Begin gives symbols of its own (complete for every id in later calls) and the
	// trace's first instant. No slice and no running time lies before start.
	Begin(sym *Symbols, start int64)
	Slice(s *Slice)
}

// RunningVisitor is a Visitor that also wants to know how long threads ran: ns
// nanoseconds of running thread-time fell into [from, to), lifetimes less idle
// time, evenly spread over the stretch.
type RunningVisitor interface {
	Running(from, to, ns int64)
}

// IntervalVisitor is a RunningVisitor that sums running time over intervals of one
// length, the first of which begins with the trace, or, if that is 0, over all of it. It
// need not be told when within these threads began to run and ceased.
type IntervalVisitor interface {
	RunningVisitor
	Interval() (ns int64)
}

// TenureVisitor is a Visitor that also wants to know every tenure that was
// recorded, or rebuilt, cut like the slices. Sampled traces give none.
type TenureVisitor interface {
	Tenure(h *Hold) // valid during the call only
}

// Hold says that a thread held a lock over [Start, End). Of a rebuilt one is
// known only what others waited for: End is Start where nobody waited, and the
// thread is NoThread where nobody knows it.
type Hold struct {
	Asked, Start, End int64 // Asked is before Start when the thread had to wait
	Thread            format.ThreadID
	Lock              format.ObjectID
	Stack             format.StackID
	Mode              format.Mode
	Rebuilt           bool
}

// IdleVisitor is a Visitor that also wants to know when each thread had
// nothing to do, cut like the slices, and in order of time for each thread. A
// pause is a sleep: it lasts as long as the thread wants, whatever others do.
type IdleVisitor interface {
	Idle(thread format.ThreadID, start, end int64, pause bool)
}

// Waited is one whole wait for a lock, which ended with the lock.
type Waited struct {
	Thread     format.ThreadID
	Lock       format.ObjectID
	Stack      format.StackID
	Start, End int64
	Mode       format.Mode
}

// WaitVisitor is a Visitor that also wants to know every recorded wait that
// ended with the lock and lies in the cut as a whole, by start. Sampled traces
// give none.
type WaitVisitor interface {
	Wait(w *Waited) // valid during the call only
}

// TickVisitor is a Visitor that also wants to know how many sampling instants
// there were and how much time they stand for together, some at a time and before
// their slices: results are estimates then. Exact traces give none.
type TickVisitor interface {
	Ticks(n, ns int64)
}

// ActivityVisitor is a Visitor that also wants to know what threads did, as the source
// tells it: in no order, before their slices, and on the goroutine that reads. The stack's
// frames come with it; both are valid during the call only. A filter of locks leaves none.
type ActivityVisitor interface {
	Activity(ev *format.Event, frames []format.Frame)
}
