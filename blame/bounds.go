package blame

import (
	"math"
	"slices"
)

// Threads that wait for each other are as many rows as there are pairs of them: 25 million
// of 5,000 threads, at some 300 bytes each. So no more are told apart than a table can
// hold:
//
//  1. behind the first pairs, a new one is told without who waits: all who are not told
//     apart are one row for each owner;
//  2. if these are too many as well, all further are one row.
//
// Rows that tell threads apart are the heaviest, see heaviest. Of others what is told is
// told from its first slice on: its sums are exact. Those of the other rows are all the
// rest, so that all of them sum to the total.

// Other is the id, whatever the key, of what rows do not tell apart, and OtherText its name.
const (
	Other     = math.MaxUint32
	OtherText = "[other]"
)

// mostPairs is how many rows tell threads that wait apart, with whom or what they wait
// for: all pairs of 500 threads. mostRows is how many rows there are of other keys, of
// which a trace has as many as it has locks, or threads, or stacks.
const (
	mostPairs = 1 << 18
	mostRows  = 1 << 20
)

// mostWritten is how much of their waiting is written down before it is summed, at some 25
// bytes each.
const mostWritten = 1 << 20

// bounds are how many combinations are told with who waits, and at all.
type bounds struct{ pairs, rows, written int }

var boundless = bounds{pairs: math.MaxInt, rows: math.MaxInt}

// boundsOf returns the bounds of the rows of some keys.
func boundsOf(by []Key) bounds {
	both := len(ofWaiters(by)) > 0 && len(ofOwners(by)) > 0
	switch {
	case both && slices.Contains(by, ByWaiterThread):
		return bounds{mostPairs, mostPairs + mostRows, mostWritten}
	case both:
		return bounds{mostRows, 2 * mostRows, mostWritten}
	}
	return bounds{mostRows, mostRows, mostWritten}
}

// limitTo bounds the rows of a pivot.
func (p *Pivot) limitTo(most bounds) {
	p.most, p.index.bounds = most, most
	if p.apart.threads {
		p.index.bounds.pairs = math.MaxInt
	}
}

// told makes of a combination the one it is told by.
func (r *Rows) told(ids []uint32) []uint32 {
	if r.met.count < r.bounds.pairs || r.met.has(ids) {
		return ids
	}
	return r.withoutWaiter(ids)
}

// withoutWaiter makes of a combination the one it is told by where who waits is not.
func (r *Rows) withoutWaiter(ids []uint32) []uint32 {
	for i, k := range r.by {
		if k.ofWaiter() {
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
