package owners

import "math"

// Trust is how much of some waiting whose owners were inferred is expected to be
// right, and what dumps say of that which were hidden from the inference.
type Trust struct {
	Known Known
	Seen  Agreement
}

// doubted is how many dumps the expectation of the inference itself weighs as
// much as.
const doubted = 25

// Expected is the share that is expected to be right; ok is false where nothing tells.
func (t *Trust) Expected() (share float64, ok bool) {
	ns := t.Known[ByInference]
	if ns == 0 {
		return 0, false
	}
	return float64(t.Known[likely]) / certain / float64(ns), true
}

// Disagrees returns what dumps tell and what the inference expects instead; ok is
// false where they agree but for chance.
func (t *Trust) Disagrees() (seen Agreement, expected float64, ok bool) {
	seen = t.Seen
	expected, known := t.Expected()
	n := seen.number()
	if n < doubted || !known {
		return seen, expected, false
	}
	return seen, expected, math.Abs(seen.Share()-expected) > 3*math.Sqrt(max(expected*(1-expected), 0.01)/n)
}

// Agreement counts what dumps show that were hidden: the inference did not
// use them, and was then asked who owned the lock at their instant.
type Agreement struct {
	Dumps  int // locks in dumps
	Asked  int64
	Agrees int64 // of Asked: threads that waited then

	Squares int64 // the sum of the squares of how many waited at each
}

// Merge adds what others show.
func (a *Agreement) Merge(o Agreement) {
	a.Dumps += o.Dumps
	a.Asked += o.Asked
	a.Agrees += o.Agrees
	a.Squares += o.Squares
}

// number returns how many dumps at which as many threads waited would say as much:
// one at which a hundred did is still one instant.
func (a *Agreement) number() float64 {
	return float64(a.Asked) * float64(a.Asked) / float64(max(a.Squares, 1))
}

// Share is the part that agrees.
func (a *Agreement) Share() float64 { return float64(a.Agrees) / float64(max(a.Asked, 1)) }
