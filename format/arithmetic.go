package format

import (
	"math"
	"math/bits"
)

// Times multiplies two durations or counts, neither negative; math.MaxInt64 if the product
// is out of range.
func Times(a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}
