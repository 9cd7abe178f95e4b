package blame

import (
	"math"
	"slices"
)

// Threads that wait for each other are as many rows as there are pairs of them: 25 million
// of 5,000 threads, at some 300 bytes each. So the rows are bounded, by a plain cap:
//
//  1. behind the first pairs, a new one is charged to a row without the waiter: one
//     [other] for each owner;
//  2. if these are too many as well, all further waiting is in one row.
//
// A row that is reported has all of its waiting from its first slice on, and the rows of
// [other] have the rest, so that all of them sum to the total.

// Other is the id, whatever the key, of what rows do not tell apart, and OtherText its name.
const (
	Other     = math.MaxUint32
	OtherText = "[other]"
)

// maxPairs is how many rows there are of a waiting thread with what it waits
// for: all pairs of 500 threads. maxRows is how many rows there are of other keys, of
// which a trace has as many as it has locks, or threads, or stacks.
const (
	maxPairs = 1 << 18
	maxRows  = 1 << 20
)

// bounds are how many combinations are reported with the waiter, and at all.
type bounds struct{ pairs, rows int }

var boundless = bounds{math.MaxInt, math.MaxInt}

// boundsOf returns the bounds of the rows of some keys.
func boundsOf(by []Key) bounds {
	both := len(ofWaiters(by)) > 0 && len(ofOwners(by)) > 0
	switch {
	case both && slices.Contains(by, ByWaiterThread):
		return bounds{maxPairs, maxPairs + maxRows}
	case both:
		return bounds{maxRows, 2 * maxRows}
	}
	return bounds{maxRows, maxRows}
}

// reported makes of a combination the one that it is reported by.
func (r *Rows) reported(ids []uint32) []uint32 {
	if r.met.count < r.bounds.pairs || r.met.has(ids) {
		return ids
	}
	for i, k := range r.by {
		if k.OfWaiter() {
			ids[i] = Other
		}
	}
	if r.met.count < r.bounds.rows || r.met.has(ids) {
		return ids
	}
	for i := range ids {
		ids[i] = Other
	}
	return ids
}
