package owners

import (
	"math"

	"contend/analysis/owners/model"
)

// Trust is how much of some inferred waiting is expected to be right, and what dumps say of
// that which were hidden from the inference.
type Trust struct {
	Known Known
	Seen  Agreement
}

// fewDumps is the number of dumps below which they do not contradict the inference.
const fewDumps = 25

// Expected returns the share of the inferred waiting that is expected to be right; ok is false
// if there is none.
func (t *Trust) Expected() (share float64, ok bool) {
	ns := t.Known[ByInference]
	if ns == 0 {
		return 0, false
	}
	return float64(t.Known[likely]) / certain / float64(ns), true
}

// Disagrees returns what dumps show and the share that is expected to be right; ok is false if
// the two differ by less than three standard deviations.
func (t *Trust) Disagrees() (seen Agreement, expected float64, ok bool) {
	seen = t.Seen
	expected, known := t.Expected()
	n := seen.Instants()
	if n < fewDumps || !known {
		return seen, expected, false
	}
	return seen, expected, math.Abs(seen.Share()-expected) > 3*math.Sqrt(max(expected*(1-expected), 0.01)/n)
}

// Agreement counts dumps that were hidden from the inference and compared with it.
type Agreement = model.Agreement
