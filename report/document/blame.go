package document

import "contend/blame"

// Blame is the document of `contend blame`.
type Blame struct {
	Schema string     `json:"schema"`
	By     []string   `json:"by"`
	Metric string     `json:"metric"` // "direct" or "root"
	Rows   []BlameRow `json:"rows"`
	Other
	Total    Total    `json:"total"`
	Coverage Coverage `json:"coverage"`

	Omitted   int      `json:"-"` // rows behind the limit, and their sum
	OmittedNs int64    `json:"-"`
	StackKeys []string `json:"-"` // those of By whose rows carry stacks
}

// BlameRow is one combination of keys. Stack belongs to the first stack key;
// Stacks holds all of them when there are several.
type BlameRow struct {
	Keys     []string         `json:"keys"`
	Stack    Stack            `json:"stack,omitempty"`
	Stacks   map[string]Stack `json:"stacks,omitempty"`
	blame.Sum
	*Uncertainty
	Provenance Provenance `json:"provenance"`
	RightNs    int64      `json:"expectedRightNs"` // of threadNs: with the probability of each owner that is inferred
}

// Other is what rows, or edges, of [other] hold: there are too many to tell all apart.
type Other struct {
	Ns int64 `json:"otherNs,omitempty"`
}

// DoingUnknown is the name of owner-doing that says nothing.
var DoingUnknown = blame.DoingUnknown.String()

// NewBlame builds the document; top limits the rows, 0 means all.
func NewBlame(t *blame.Table, runningNs int64, cov Coverage, top int) *Blame {
	b := &Blame{Schema: "contend.blame/1", Metric: "direct", Rows: []BlameRow{}, Other: Other{t.OtherNs}, Coverage: cov,
		Total: Total{Waiting{t.Total.Waits, t.Total.ThreadNs, t.Total.WallNs}, runningNs}}
	if t.Root {
		b.Metric = "root"
	}
	for _, k := range t.By {
		b.By = append(b.By, k.String())
		if k.IsStack() {
			b.StackKeys = append(b.StackKeys, k.String())
		}
	}
	shown := limit(t.Rows, top)
	for i := range shown {
		row := newBlameRow(&shown[i], b.StackKeys)
		if i < maxUncertain && cov.Unit == "ns" {
			if e, ok := t.Estimate(&shown[i]); ok {
				row.Uncertainty = newUncertainty(e)
			}
		}
		b.Rows = append(b.Rows, row)
	}
	for _, r := range t.Rows[len(shown):] {
		b.Omitted++
		b.OmittedNs += r.ThreadNs
	}
	return b
}

func newBlameRow(r *blame.Row, stackKeys []string) BlameRow {
	out := BlameRow{Keys: r.Keys, Sum: r.Sum, Provenance: NewProvenance(r.ByProvenance), RightNs: r.ByProvenance.Right()}
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
