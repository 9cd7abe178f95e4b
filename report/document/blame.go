package document

import (
	"math"

	"contend/analysis/bootstrap"
	"contend/blame"
)

// Blame is the document of `contend blame`.
type Blame struct {
	Schema string     `json:"schema"`
	By     []string   `json:"by"`
	Metric string     `json:"metric"` // "direct" or "root"
	Rows   []BlameRow `json:"rows"`
	Other
	Total    Total    `json:"total"`
	Coverage Coverage `json:"coverage"`

	omitted   int // rows beyond the limit
	omittedNs int64
}

// Omitted returns the number of rows beyond the limit, and their sum.
func (b *Blame) Omitted() (rows int, ns int64) { return b.omitted, b.omittedNs }

// StackKeys returns those of By whose rows carry stacks.
func (b *Blame) StackKeys() (keys []string) {
	for _, name := range b.By {
		if blame.IsStackKey(name) {
			keys = append(keys, name)
		}
	}
	return keys
}

// BlameRow is one combination of keys. Stack belongs to the first stack key;
// Stacks holds all of them when there are several.
type BlameRow struct {
	Keys   []string         `json:"keys"`
	Stack  Stack            `json:"stack,omitempty"`
	Stacks map[string]Stack `json:"stacks,omitempty"`
	Sum
	*Uncertainty
	Provenance Provenance `json:"provenance"`
	RightNs    int64      `json:"expectedRightNs"` // the part of threadNs expected to have the right owner
}

// Sum is the sum of a row.
type Sum struct {
	ThreadNs int64 `json:"threadNs"` // waiting thread-time
	WallNs   int64 `json:"wallNs"`   // duration of the union of its intervals
	Waits    int64 `json:"waits"`    // that begin in the row
}

func newSum(s *blame.Sum) Sum { return Sum{s.ThreadNs, s.WallNs, s.Waits} }

// Other is the sum of the rows or edges of [other], those beyond the bound.
type Other struct {
	Ns int64 `json:"otherNs,omitempty"`
}

// The activities of owners that renderers treat specially: the unknown one, waiting for others, and
// pauses of the JVM.
var (
	DoingUnknown, DoingWaiting     = blame.DoingUnknown.String(), blame.AwaitingOthers.String()
	DoingCollected, DoingJVMPaused = blame.Collected.String(), blame.Stopped.String()
)

// NamedBy returns the kind of the texts of a key.
var NamedBy = blame.NamedBy

// The kinds that renderers shorten.
const (
	NamedLock    = blame.NamedLock
	NamedClass   = blame.NamedClass
	NamedPlace   = blame.NamedPlace
	NamedCallers = blame.NamedCallers
	NamedDoing   = blame.NamedDoing
)

// NewBlame builds the document; top limits the rows, 0 means all.
func NewBlame(t *blame.Table, runningNs int64, cov Coverage, top int) *Blame {
	b := &Blame{
		Schema:   "contend.blame/1",
		Metric:   "direct",
		Rows:     []BlameRow{},
		Other:    Other{t.OtherNs},
		Coverage: cov,
		Total: Total{
			Waiting:   Waiting{t.Total.Waits, t.Total.ThreadNs, t.Total.WallNs},
			RunningNs: runningNs,
		},
	}
	if t.Root {
		b.Metric = "root"
	}
	for _, k := range t.By {
		b.By = append(b.By, k.String())
	}
	shown, stackKeys := limit(t.Rows, top), b.StackKeys()
	for i := range shown {
		row := newBlameRow(&shown[i], stackKeys)
		if i < maxUncertain && cov.Timed() {
			if e, ok := t.Estimate(&shown[i]); ok {
				row.Uncertainty = newUncertainty(e)
			}
		}
		b.Rows = append(b.Rows, row)
	}
	for _, r := range t.Rows[len(shown):] {
		b.omitted++
		b.omittedNs += r.Sum.ThreadNs
	}
	return b
}

func newBlameRow(r *blame.Row, stackKeys []string) BlameRow {
	out := BlameRow{
		Keys:       r.Keys,
		Sum:        newSum(&r.Sum),
		Provenance: NewProvenance(r.Sum.ByProvenance),
		RightNs:    r.Sum.ByProvenance.Right(),
	}
	for i, frames := range r.Stacks {
		if i == 0 {
			out.Stack = NewStack(frames)
		}
		if len(stackKeys) > 1 {
			if out.Stacks == nil {
				out.Stacks = map[string]Stack{}
			}
			out.Stacks[stackKeys[i]] = NewStack(frames)
		}
	}
	return out
}

// Chains is the document of `contend chains`.
type Chains struct {
	Schema   string   `json:"schema"`
	Chains   []Chain  `json:"chains"`
	Omitted  Omitted  `json:"omitted"`
	Total    Waiting  `json:"total"`
	Coverage Coverage `json:"coverage"`
}

// Chain is the waiting with one signature.
type Chain struct {
	Signature string `json:"signature"` // the names of the steps, "->" between them: equal in every trace
	Steps     []Step `json:"steps"`
	Hops      int    `json:"hops"` // locks on the way
	Sum
	Provenance Provenance `json:"provenance"` // of the leaf
}

// Step is one part of a signature.
type Step struct {
	// waiter (a group of threads), lock (a class), owner (a method), leaf (a method or pseudo owner)
	Role string `json:"role"`
	Name string `json:"name"`
}

// NewChains builds the document; top limits the chains, 0 means all.
func NewChains(t *blame.Table, cov Coverage, top int) *Chains {
	d := &Chains{
		Schema:   "contend.chains/1",
		Chains:   []Chain{},
		Coverage: cov,
		Total:    Waiting{t.Total.Waits, t.Total.ThreadNs, t.Total.WallNs},
	}
	shown := limit(t.Rows, top)
	for i := range shown {
		c := &shown[i]
		steps, hops := t.Chain(c)
		out := Chain{
			Signature:  c.Keys[0],
			Hops:       hops,
			Sum:        newSum(&c.Sum),
			Provenance: NewProvenance(c.Sum.ByProvenance),
		}
		for _, s := range steps {
			out.Steps = append(out.Steps, Step{blame.Roles[s.Role], s.Name})
		}
		d.Chains = append(d.Chains, out)
	}
	for _, c := range t.Rows[len(shown):] {
		d.Omitted.Chains++
		d.Omitted.ThreadNs += c.Sum.ThreadNs
	}
	return d
}

// maxUncertain bounds the rows of a table with an interval: each costs a millisecond or two.
const maxUncertain = 1000

// Uncertainty is the error of an estimate from samples. Rows of exact traces have none.
type Uncertainty struct {
	// half of the 95 % interval of the row's time; null when the trace is too short
	PlusMinusNs *int64 `json:"plusMinusNs"`
	BlockNs     int64  `json:"blockNs"` // length of the blocks of the bootstrap
}

func newUncertainty(e bootstrap.Estimate) *Uncertainty {
	d := &Uncertainty{BlockNs: e.BlockNs}
	if half := finite(e.Half); half != nil && *half < math.MaxInt64/2 {
		ns := int64(math.Ceil(*half))
		d.PlusMinusNs = &ns
	}
	return d
}
