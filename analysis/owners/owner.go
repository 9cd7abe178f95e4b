package owners

import "contend/format"

// Provenance says how an owner is known, best first.
type Provenance uint8

// The provenances. The order is the order of columns in every report.
const (
	Exact      Provenance = iota // the trace recorded the tenure itself
	Sampled                      // a sample or thread dump inside the wait shows the owner
	Inferred                     // rebuilt from acquisitions and from what the owner did
	Estimated                    // expected by a model of how the lock's times divide, where a stretch shows nobody
	ThreadOnly                   // the owning thread is known, its stack is not
	Unknown                      // nothing tells
	Provenances
)

// String returns the provenance as reports write it.
func (p Provenance) String() string {
	return [...]string{"exact", "sampled", "inferred", "estimated", "thread-only", "unknown", "invalid"}[min(p, Provenances)]
}

// Kind tells a real owner from the places where blame ends without one.
type Kind uint8

// The kinds of owners. All but Thread are pseudo owners: they are rows like
// any other, so that sums agree.
const (
	Thread    Kind = iota
	Handoff        // the lock was free and not yet taken
	Nobody         // nobody knows
	External       // the owner had left the trace
	GCPause        // nobody ran: a garbage collection
	Safepoint      // nobody ran: the virtual machine was at work
	Deadlock       // the path returns to itself; Cycle numbers the deadlock, from 1
)

// Owner is whom a stretch of waiting is charged to.
type Owner struct {
	Kind   Kind
	Prov   Provenance
	Did    format.Activity // of Thread: recorded of all the stretch; ActivityUnknown where nothing is
	Cycle  int32           // of Deadlock
	Thread format.ThreadID // of Thread
	Stack  format.StackID  // of Thread; NoStack when only the thread is known
}

// Holder is an owner as it is stored, in 12 bytes: no deadlock.
type Holder struct {
	Kind   Kind
	Prov   Provenance
	Did    format.Activity
	Thread format.ThreadID
	Stack  format.StackID
}

// Owner returns the same as an Owner.
func (h *Holder) Owner() Owner {
	return Owner{Kind: h.Kind, Prov: h.Prov, Did: h.Did, Thread: h.Thread, Stack: h.Stack}
}

// Ownership is one owner of one lock over [Start, End), however it is known.
type Ownership struct {
	Start, End int64
	Lock       format.ObjectID
	Holder     Holder
}
