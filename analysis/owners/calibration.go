package owners

import (
	"math"
	"slices"

	"contend/analysis/internal/column"
)

// Calibration is by provenance.
type Calibration [Provenances]Trust

func (c *Calibration) add(o *Calibration) {
	for p := range c {
		c[p].Ns += o[p].Ns
		c[p].Right += o[p].Right
		c[p].Seen.Dumps += o[p].Seen.Dumps
		c[p].Seen.Asked += o[p].Seen.Asked
		c[p].Seen.Agrees += o[p].Seen.Agrees
	}
}

// Trust is how much of what has one provenance is expected to be right.
type Trust struct {
	Ns    int64   // waiting
	Right float64 // of it
	Seen  Agreement
}

// doubted is how many dumps the expectation of the inference itself weighs as
// much as.
const doubted = 10

// Expected is the share that is expected to be right: what the inference
// expects, corrected by the dumps that were held back. ok is false where
// nothing tells.
func (t *Trust) Expected() (share float64, ok bool) {
	if t.Ns == 0 || math.IsNaN(t.Right) {
		return t.Seen.Share(), t.Ns > 0 && t.Seen.Dumps >= doubted
	}
	share = t.Right / float64(t.Ns)
	if t.Seen.Asked > 0 {
		n := float64(t.Seen.Dumps)
		share = (doubted*share + n*t.Seen.Share()) / (doubted + n)
	}
	return share, true
}

// Disagrees reports whether dumps tell something else than the inference
// expects, by more than chance.
func (t *Trust) Disagrees() bool {
	if t.Seen.Dumps < doubted || t.Ns == 0 || math.IsNaN(t.Right) {
		return false
	}
	want := t.Right / float64(t.Ns)
	return math.Abs(t.Seen.Share()-want) > 3*math.Sqrt(max(want*(1-want), 0.01)/float64(t.Seen.Dumps))
}

// Agreement counts what dumps show that were held back: the inference did not
// use them, and was then asked who owned the lock at their instant.
type Agreement struct {
	Dumps  int // locks in dumps
	Asked  int64
	Agrees int64 // of Asked: threads that waited then
}

// add counts a dump of a lock so many threads waited for.
func (a *Agreement) add(waiters int64, agrees bool) {
	a.Dumps++
	a.Asked += waiters
	if agrees {
		a.Agrees += waiters
	}
}

// Share is the part that agrees.
func (a *Agreement) Share() float64 { return float64(a.Agrees) / float64(max(a.Asked, 1)) }

// waiterCounts tells, for any instant, how many threads waited for a lock.
type waiterCounts struct {
	starts, ends []int64
	began, ended int // what was found last
}

func (ev *evidence) waiterCounts(waits []column.Ref) waiterCounts {
	c := waiterCounts{starts: make([]int64, len(waits)), ends: make([]int64, len(waits))}
	for i, w := range waits {
		c.starts[i], c.ends[i] = ev.Waits.At(w).Start, ev.Waits.At(w).End
	}
	slices.Sort(c.ends)
	return c
}

// recordedShare returns the share of the waits for a lock that were recorded,
// where recorders leave short ones out: as the lengths of those that were, above
// the shortest, fall off, so they do below it.
func (ev *evidence) recordedShare(waits []column.Ref) float64 {
	shortest, sum := int64(maxTime), 0.0
	for _, i := range waits {
		w := ev.Waits.At(i)
		if length := w.End - w.Start; length > 0 {
			shortest = min(shortest, length)
			sum += float64(length)
		}
	}
	above := sum/float64(max(len(waits), 1)) - float64(shortest)
	return math.Exp(-float64(shortest) / max(above, 1))
}

// at returns how many threads wait at an instant.
func (c *waiterCounts) at(t int64) int64 {
	c.began, c.ended = upTo(c.starts, c.began, t), upTo(c.ends, c.ended, t)
	return int64(c.began - c.ended)
}

// upTo returns how many of some instants are at t or before; n is what it
// returned for an instant that is mostly near.
func upTo(list []int64, n int, t int64) int {
	for step := 0; step < 8; step++ {
		switch {
		case n < len(list) && list[n] <= t:
			n++
		case n > 0 && list[n-1] > t:
			n--
		default:
			return n
		}
	}
	n, _ = slices.BinarySearch(list, t+1)
	return n
}

// during returns the waiting in a stretch, supposing that threads begin to wait
// and cease to in it evenly.
func (c *waiterCounts) during(lo, hi int64) int64 { return (hi - lo) * (c.at(lo) + c.at(hi-1)) / 2 }
