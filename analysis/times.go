package analysis

import (
	"math"
	"math/bits"
	"slices"

	"contend/format"
)

// A trace's times lie between 1823 and 2116, so that the difference of any two fits int64.
// The decoders admit no others.
const (
	earliest = -1 << 62
	latest   = 1<<62 - 1
)

// maxTime is after all times.
const maxTime = math.MaxInt64

// outOfRange reports whether an instant is outside the times of traces.
func outOfRange(t int64) bool { return uint64(t-earliest) > latest-earliest }

// overflows reports whether sum + length × count overflows int64; length and count are
// positive.
func overflows(sum, length, count int64) bool {
	high, low := bits.Mul64(uint64(length), uint64(count))
	return high != 0 || low > uint64(maxTime-max(sum, 0))
}

// overflowWarning says that sums of thread-time are wrong.
func overflowWarning(overflown bool) []format.Warning {
	if !overflown {
		return nil
	}
	return []format.Warning{{Code: "overflow", Text: "the running time of all threads together is more than 292 years: some times are damaged, and all sums are wrong"}}
}

// intervalMedian is the median of the first 255 intervals between sampling instants. These
// suffice, because a recorder does not change its period.
type intervalMedian struct {
	sorted [255]int64
	n      int
}

// add adds an interval and returns the median.
func (d *intervalMedian) add(next int64) int64 {
	if d.n < len(d.sorted) {
		at, _ := slices.BinarySearch(d.sorted[:d.n], next)
		copy(d.sorted[at+1:d.n+1], d.sorted[at:d.n])
		d.sorted[at] = next
		d.n++
	}
	return d.sorted[(d.n-1)/2]
}

// Spread returns the part of ns, spread evenly over [from, to), that falls into [lo, hi).
// Parts that tile the interval sum to exactly ns.
func Spread(ns, from, to, lo, hi int64) int64 {
	if lo == from && hi == to {
		return ns
	}
	upTo := func(t int64) int64 {
		h, l := bits.Mul64(uint64(ns), uint64(t-from))
		q, _ := bits.Div64(h, l, uint64(to-from))
		return int64(q)
	}
	return upTo(hi) - upTo(lo)
}
