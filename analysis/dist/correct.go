package dist

import (
	"math"
	"math/bits"
)

// Corrected returns the distribution with what a stalled measurement left
// out: see AddCorrected. The lengths are taken at the histogram's resolution
// where they no longer stand as they are. It is empty unless something was
// expected.
func (d *Dist) Corrected(expected int64) *Dist {
	out := &Dist{}
	if expected > 0 {
		d.each(func(_, to, n int64) { out.AddCorrected(min(to, d.max), n, expected) })
	}
	return out
}

// AddCorrected counts n equal lengths and, for each, the shorter ones that a
// measurement meant to happen every expected nanoseconds missed meanwhile:
// ns-expected, ns-2*expected and so on, down to expected (Tene's rule for
// coordinated omission). It takes whole buckets at a time, so its cost is
// bounded by the histogram's size however small expected is.
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

// times multiplies two positive numbers; a product that does not fit is the
// largest number there is.
func times(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}
