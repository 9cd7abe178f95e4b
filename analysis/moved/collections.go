package moved

import (
	"cmp"
	"math"
	"slices"
)

// Pause is a stretch in which a collection paused the program, ns.
type Pause struct{ Start, End int64 }

// collections are those of a recording, by time.
type collections struct {
	pauses []Pause
	rate   float64 // how many there are in a nanosecond
}

// epoch returns how many collections had paused the program by t.
func (c *collections) epoch(t int64) int {
	n, _ := slices.BinarySearchFunc(c.pauses, t+1, func(p Pause, t int64) int { return cmp.Compare(p.Start, t) })
	return n
}

// sameEpoch returns how many of some ends of waits are in the epoch of the first.
func (c *collections) sameEpoch(seen []waitEnd) int {
	end := int64(math.MaxInt64)
	if e := c.epoch(seen[0].at); e < len(c.pauses) {
		end = c.pauses[e].Start
	}
	n, _ := slices.BinarySearchFunc(seen, end, func(s waitEnd, t int64) int { return cmp.Compare(s.at, t) })
	return n
}

// chance returns how likely a collection lies in a stretch of the length of this
// one, less its pauses, in which the program does not come to wait.
func (c *collections) chance(from, to int64) float64 {
	length := to - from
	for _, p := range c.pauses[c.epoch(from):c.epoch(to)] {
		length -= min(p.End, to) - p.Start
	}
	return 1 - math.Exp(-c.rate*float64(max(length, 1)))
}
