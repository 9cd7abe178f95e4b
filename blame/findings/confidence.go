package findings

import "contend/analysis"

// Confidence says how sure a finding is.
type Confidence uint8

// The confidences, and how much of the waiting must have an owner that is
// expected to be right.
const (
	Low Confidence = iota
	Medium
	High

	mediumFrom = 0.7
	highFrom   = 0.9
)

// String returns "low", "medium" or "high".
func (c Confidence) String() string { return [...]string{"low", "medium", "high"}[min(c, High)] }

// expected is how much of what is known in some way is right where nothing in
// the trace tells: of recorded owners all is.
var expected = [analysis.Provenances]float64{analysis.Exact: 1, analysis.Sampled: 0.95, analysis.Inferred: 0.95, analysis.Estimated: 0.6, analysis.ThreadOnly: 0.3}

// known returns the share of a finding's waiting whose owner is expected to be
// right.
func (t *Trace) known(f *Finding) float64 { return t.Known(f.ByProvenance) }

// Known returns the share of some waiting whose owner is expected to be right.
func (t *Trace) Known(by [analysis.Provenances]int64) float64 {
	right, all := 0.0, int64(0)
	for p, ns := range by {
		all += ns
		part := expected[p]
		if p != int(analysis.Exact) && t.Trust[p].Ns > 0 {
			if told, ok := t.Trust[p].Expected(); ok {
				part = told
			}
		}
		right += part * float64(ns)
	}
	return right / float64(max(all, 1))
}

// confidence says how sure a finding about owners is.
func (t *Trace) confidence(f *Finding) Confidence {
	switch known := t.known(f); {
	case known >= highFrom:
		return High
	case known >= mediumFrom:
		return Medium
	}
	return Low
}
