package moved

import (
	"cmp"
	"math"
	"slices"
)

// Pause is an interval in which a collection paused the program, ns.
type Pause struct{ Start, End int64 }

// collections are the collections of a recording, by time.
type collections struct {
	pauses []Pause
	rate   float64 // number per nanosecond
}

// epoch returns the number of collections that had begun by t.
func (c *collections) epoch(t int64) int {
	n, _ := slices.BinarySearchFunc(c.pauses, t+1, func(p Pause, t int64) int { return cmp.Compare(p.Start, t) })
	return n
}

// sameEpoch returns the number of leading waits that end in the epoch of the first.
func (c *collections) sameEpoch(seen []waitEnd) int {
	end := int64(math.MaxInt64)
	if e := c.epoch(seen[0].at); e < len(c.pauses) {
		end = c.pauses[e].Start
	}
	n, _ := slices.BinarySearchFunc(seen, end, func(s waitEnd, t int64) int { return cmp.Compare(s.at, t) })
	return n
}

// chance returns the probability of a collection in an interval of this length, not
// counting pauses, during which no wait begins.
func (c *collections) chance(from, to int64) float64 {
	length := to - from
	for _, p := range c.pauses[c.epoch(from):c.epoch(to)] {
		length -= min(p.End, to) - p.Start
	}
	return 1 - math.Exp(-c.rate*float64(max(length, 1)))
}
