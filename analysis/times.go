package analysis

import (
	"math"
	"math/bits"

	"contend/format"
)

// A trace's times lie between 1823 and 2116, so that any two of them are less
// than int64 holds apart. The decoders admit no others.
const (
	earliest = -1 << 62
	latest   = 1<<62 - 1
)

// maxTime is behind all times.
const maxTime = math.MaxInt64

// wildly reports whether an instant is beyond all times of traces.
func wildly(t int64) bool { return uint64(t-earliest) > latest-earliest }

// overflows reports whether sum and count times length, both above 0, are more
// than int64 holds.
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
