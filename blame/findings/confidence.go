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

// Known returns the share of some waiting whose owner is expected to be right.
func Known(by *analysis.Known) float64 { return share(by.Right(), by.Ns()) }

// confidence says how sure a finding about owners is.
func confidence(f *Finding) Confidence {
	switch known := Known(&f.ByProvenance); {
	case known >= highFrom:
		return High
	case known >= mediumFrom:
		return Medium
	}
	return Low
}
