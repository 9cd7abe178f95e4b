package owners

import "contend/format"

// Provenance says how an owner is known: recorded, inferred with a probability, or not.
type Provenance uint8

// The provenances. Those above Unknown are inferred: see Likely.
const (
	Exact   Provenance = iota // the trace recorded the tenure itself
	Sampled                   // it recorded who held the lock at an instant
	Unknown                   // nothing tells
	unlikely
)

// certain is how many parts of a probability are told apart.
const certain = 200

// Likely is the provenance of what is inferred to be so with some probability.
func Likely(p float64) Provenance {
	return unlikely + Provenance(min(max(p, 0), 1)*certain+0.5)
}

// Rounded returns the provenance with a probability of a tenth, or two, and so on: sums
// that tell owners apart by it are few.
func (p Provenance) Rounded() Provenance {
	const tenth = certain / 10
	if p <= Unknown {
		return p
	}
	return unlikely + (p-unlikely+tenth/2)/tenth*tenth
}

// String returns the provenance as reports write it.
func (p Provenance) String() string {
	return p.Word().String()
}

// byReleases is how likely an owner is that follows from releases, where one may be
// missing.
var byReleases = Likely(0.95)

// Way is a provenance but for the probability.
type Way uint8

// The ways, in the order of columns in every report.
const (
	ByTenure Way = iota
	BySample
	ByInference
	ByNothing
	likely // not a way: see Known
	ways
)

// Word is a way as people are told of it.
type Word uint8

// The words.
const (
	Recorded Word = iota
	Inferred
	NotKnown
	Words
)

// String returns the word.
func (w Word) String() string { return [...]string{"recorded", "inferred", "unknown"}[w] }

// Word returns it.
func (p Provenance) Word() Word { return [...]Word{Recorded, Recorded, Inferred, NotKnown}[p.Way()] }

// Way returns how an owner is known.
func (p Provenance) Way() Way {
	switch p {
	case Exact, Sampled:
		return Way(p)
	case Unknown:
		return ByNothing
	}
	return ByInference
}

// Known sums waiting by how its owners are known, in ns, and what of it is expected to be
// right.
type Known [ways]int64

// Add adds waiting.
func (k *Known) Add(p Provenance, ns int64) {
	k[p.Way()] += ns
	if p > Unknown {
		k[likely] += ns * int64(p-unlikely)
	}
}

// AddAll adds what another sum has.
func (k *Known) AddAll(o *Known) {
	for i, ns := range o {
		k[i] += ns
	}
}

// Ns returns all.
func (k *Known) Ns() int64 { return k[ByTenure] + k[BySample] + k[ByInference] + k[ByNothing] }

// Right returns how much is expected to be right: what was recorded is, and what was
// inferred with its probability.
func (k *Known) Right() int64 { return k[ByTenure] + k[BySample] + k[likely]/certain }

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
	Did    format.Activity // of Thread: recorded of all the stretch; ActivityUnknown where nothing is. Or Collected, or Stopped
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

// What a pause has the owner of a lock do.
const (
	Collected format.Activity = 255 - iota // stopped by a garbage collection
	Stopped                                // by other work of the virtual machine
)

// Cause returns what keeps an owner that waits for no lock: the pause that stops it, or itself.
func (o Owner) Cause() Owner {
	switch o.Did {
	case Collected:
		return Owner{Kind: GCPause, Prov: Exact}
	case Stopped:
		return Owner{Kind: Safepoint, Prov: Exact}
	}
	return o
}

// Ownership is one owner of one lock over [Start, End), however it is known.
type Ownership struct {
	Start, End int64
	Lock       format.ObjectID
	Holder     Holder
}
