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
)

// The provenances, best first.
const (
	Exact       = owners.Exact
	Sampled     = owners.Sampled
	Inferred    = owners.Inferred
	ThreadOnly  = owners.ThreadOnly
	Unknown     = owners.Unknown
	Provenances = owners.Provenances
)

// The kinds of owners.
const (
	OwnerThread   = owners.Thread
	OwnerHandoff  = owners.Handoff
	OwnerUnknown  = owners.Nobody
	OwnerExternal = owners.External
	OwnerDeadlock = owners.Deadlock
)

// Share is the part of a slice that one path through the wait-for graph
// carries. The shares of a slice sum to its length, to the nanosecond.
type Share struct {
	Ns     int64
	Direct Owner // the owner of the lock waited for
	Root   Owner // the end of the path; equal to Direct when Hops is 1
	Hops   int   // locks on the path, at least 1
	Path   []Hop // the locks passed after the first, with the thread blocked on each; empty when Hops is 1
}

// Hop is one further step of a path: Thread, an owner met on the way, was
// itself blocked on Lock with Stack.
type Hop struct {
	Thread format.ThreadID
	Stack  format.StackID
	Lock   format.ObjectID
}

// Slice is the atom every result is a sum of: over [Start, End) one thread
// waited for one lock and no pointer on its path changed. Slices of one
// thread come in order of time; slices of different threads come in order of
// End, never of Start. A Slice and its Shares are valid during the call only.
type Slice struct {
	Start, End int64
	Thread     format.ThreadID
	Stack      format.StackID
	Lock       format.ObjectID
	Mode       format.Mode
	First      bool  // the wait begins with this slice: sums of First count waits
	Failed     bool  // of First: the wait ended without the lock, since its time was up
	WaitNs     int64 // length of the whole wait, given with First; 0 when only sampled
	Settled    int64 // of a recorded wait: no later slice of one starts before this instant; NoTime when that is not known
	Sighting   Sighting
	Shares     []Share
}

// Sighting is the sample a slice rests on: the waiter was seen At, and no
// sample was taken between Before and After. Before and After are NoTime
// where there is no neighbour, or none that a gap in the trace or the cut of
// the filter does not hide.
// A slice of a recorded wait has the zero Sighting.
type Sighting struct {
	Seen              bool
	InOrder           bool // no later sample of the trace, nor of any input that may follow, reaches before this slice's Start
	Before, At, After int64
}

// Visitor receives a trace as slices. Begin comes first, once; then Slice
// and Running in any mixture, on a goroutine other than Run's, but never two
// visitors at once, and none any more when Run returns. Only Running must not
// look at the symbols.
type Visitor interface {
	// Begin gives the symbols (complete for every id in later calls) and the
	// trace's first instant. No slice and no running time lies before start.
	Begin(sym *Symbols, start int64)
	Slice(s *Slice)
	// Running says that ns nanoseconds of running thread-time fell into
	// [from, to): lifetimes less idle time, evenly spread over the stretch.
	Running(from, to, ns int64)
}

// TenureVisitor is a Visitor that also wants to know every recorded tenure,
// cut like the slices. Traces without tenures give none.
type TenureVisitor interface {
	// Tenure says that thread held lock over [start, end); contended tells
	// whether it had to wait for it.
	Tenure(lock format.ObjectID, thread format.ThreadID, start, end int64, contended bool)
}

// TickVisitor is a Visitor that also wants to know the stretch each sampling
// instant stands for, before its slices: results are estimates then. Exact
// traces give none.
type TickVisitor interface {
	Tick(from, to int64)
}
