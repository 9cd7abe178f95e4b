package findings

import (
	"contend/analysis"
	"contend/format"
)

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

// Known returns the share of some waiting whose owner is expected to be right.
func Known(by [analysis.Provenances]int64, trust *analysis.Calibration) float64 {
	right, all := 0.0, int64(0)
	for p, ns := range by {
		all += ns
		part := expected[p]
		if p != int(analysis.Exact) && trust[p].Ns > 0 {
			if told, ok := trust[p].Expected(); ok {
				part = told
			}
		}
		right += part * float64(ns)
	}
	return right / float64(max(all, 1))
}

// confidence says how sure a finding about owners is, by what is expected of its lock.
func confidence(f *Finding, trust *analysis.Calibration) Confidence {
	switch known := Known(f.ByProvenance, trust); {
	case known >= highFrom:
		return High
	case known >= mediumFrom:
		return Medium
	}
	return Low
}

// ofLock says how sure a finding about one lock is.
func (t *Trace) ofLock(f *Finding, id format.ObjectID) Confidence {
	trust := t.Trust.Of(uint32(id), false)
	return confidence(f, &trust)
}
