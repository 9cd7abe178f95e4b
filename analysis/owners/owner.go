package owners

import (
	"contend/analysis/owners/model"
	"contend/format"
)

// Provenance is how an owner is known: recorded, inferred with a probability, or not known.
type Provenance uint8

// The provenances. Those above Unknown are inferred: see Likely.
const (
	Exact    Provenance = iota // the trace has the hold
	Sampled                    // the trace has the owner at an instant
	Unknown                    // no evidence
	inferred                   // with probability 0
)

// certain is the resolution of probabilities: a provenance is a multiple of 1/certain.
const certain = 200

// Likely returns the provenance of an owner that is inferred with a probability.
func Likely(p float64) Provenance {
	return inferred + Provenance(min(max(p, 0), 1)*certain+0.5)
}

// Rounded returns the provenance with its probability rounded to tenths, so that sums by
// provenance are few.
func (p Provenance) Rounded() Provenance {
	const tenth = certain / 10
	if p <= Unknown {
		return p
	}
	return inferred + (p-inferred+tenth/2)/tenth*tenth
}

func (p Provenance) String() string {
	return p.Word().String()
}

// byReleases is the provenance of an owner that follows from releases: one may be missing.
var byReleases = Likely(0.95)

// Way is a provenance without the probability.
type Way uint8

// The ways, in the order of columns in every report.
const (
	ByTenure Way = iota
	BySample
	ByInference
	ByNothing
	right // not a way: the index of Known for what is expected to be right
	ways
)

// Word is a way as reports show it.
type Word uint8

// The words.
const (
	Recorded Word = iota
	Inferred
	NotKnown
	Words
)

func (w Word) String() string { return [...]string{"recorded", "inferred", "unknown"}[w] }

// Word returns how reports show the provenance.
func (p Provenance) Word() Word { return [...]Word{Recorded, Recorded, Inferred, NotKnown}[p.Way()] }

func (p Provenance) Way() Way {
	switch p {
	case Exact, Sampled:
		return Way(p)
	case Unknown:
		return ByNothing
	}
	return ByInference
}

// Known sums waiting by the way its owners are known, in ns. At right it has the sum of what
// is inferred times its probability, in units of 1/certain ns.
type Known [ways]int64

func (k *Known) AddWaiting(p Provenance, ns int64) {
	k[p.Way()] += ns
	if p > Unknown {
		k[right] += ns * int64(p-inferred)
	}
}

func (k *Known) AddAll(o *Known) {
	for i, ns := range o {
		k[i] += ns
	}
}

// Ns returns the sum of all ways.
func (k *Known) Ns() int64 { return k[ByTenure] + k[BySample] + k[ByInference] + k[ByNothing] }

// Right returns how much is expected to be right: all that is recorded, and what is inferred
// times its probability.
func (k *Known) Right() int64 { return k[ByTenure] + k[BySample] + k[right]/certain }

// Kind is what kind of owner an interval is charged to.
type Kind uint8

// The kinds. All but Thread are pseudo owners: places where blame ends without a thread. They
// are rows like any other, so that sums agree.
const (
	Thread    Kind = iota
	Handoff        // the lock was free and not yet acquired
	Nobody         // the owner is not known
	External       // the owner ended without releasing the lock
	GCPause        // no thread ran: a garbage collection
	Safepoint      // no thread ran: other work of the virtual machine
	Deadlock       // the path of blame returns to itself; Cycle numbers the deadlock, from 1
)

// Owner is what an interval of waiting is charged to.
type Owner struct {
	Kind Kind
	Prov Provenance
	// of Thread: what it did in all of the interval, or Collected, or Stopped; ActivityUnknown if not
	// known
	Did    format.Activity
	Cycle  int32           // of Deadlock
	Thread format.ThreadID // of Thread
	Stack  format.StackID  // of Thread; NoStack if only the thread is known
}

// What the owner of a lock does during a pause.
const (
	Collected format.Activity = 255 - iota // stopped by a garbage collection
	Stopped                                // by other work of the virtual machine
)

// Cause returns the root of blame of an owner that does not wait: the pause that stops it, or
// itself.
func (o Owner) Cause() Owner {
	switch o.Did {
	case Collected:
		return Owner{Kind: GCPause, Prov: Exact}
	case Stopped:
		return Owner{Kind: Safepoint, Prov: Exact}
	}
	return o
}

// Ownership is one owner of one lock over [Start, End). It is never a Deadlock.
type Ownership struct {
	Start, End int64
	Lock       format.ObjectID
	Owner      Owner
}

// Agreement counts dumps that were hidden from the inference and compared with it.
type Agreement = model.Agreement
