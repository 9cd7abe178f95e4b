package dist

import (
	"math"
	"math/bits"
)

// Corrected returns the distribution with the durations that a stalled measurement missed,
// see AddCorrected. Durations have the histogram's resolution once they are in one. The
// result is empty unless expected is positive.
func (d *Dist) Corrected(expected int64) *Dist {
	out := &Dist{}
	if expected > 0 {
		d.each(func(_, to, n int64) { out.AddCorrected(min(to, d.max), n, expected) })
	}
	return out
}

// AddCorrected adds n equal durations. For each, it also adds the shorter ones that a
// measurement every expected nanoseconds would have made meanwhile: ns-expected,
// ns-2*expected and so on, down to expected (Tene's rule for coordinated omission). It adds
// whole buckets, so its cost is bounded by the histogram's size however small expected is.
func (d *Dist) AddCorrected(ns, n, expected int64) {
	d.AddN(ns, n)
	if expected <= 0 || n <= 0 {
		return
	}
	for missed := ns - expected; missed >= expected; {
		k := (missed-max(bucketStart(missed), expected))/expected + 1
		d.AddN(missed, times(k, n))
		missed -= k * expected
	}
}

// times multiplies two positive numbers, saturating at the largest int64.
func times(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}
