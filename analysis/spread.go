package analysis

import "math/bits"

// Spread returns the part of ns, spread evenly over [from, to), that falls
// into [lo, hi). Parts that tile the stretch sum to ns exactly.
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
