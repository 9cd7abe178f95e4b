package blame

import (
	"math"
	"slices"

	"contend/analysis"
	"contend/format"
)

// Threads that wait for each other are as many rows as there are pairs of them: 25 million
// of 5,000 threads, at some 300 bytes each. So no more are told apart than a table can
// hold:
//
//  1. behind the first pairs, a new one is told without who waits: all who are not told
//     apart are one row for each owner;
//  2. if these are too many as well, all further are one row.
//
// What is told is told from its first slice on: its sums are exact, and those of the
// other rows are all the rest, so that all of them sum to the total.

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

// bounds are how many combinations are told with who waits, and at all.
type bounds struct{ pairs, rows int }

var boundless = bounds{math.MaxInt, math.MaxInt}

// boundsOf returns the bounds of the rows of some keys.
func boundsOf(by []Key) bounds {
	both := len(ofWaiters(by)) > 0 && len(ofOwners(by)) > 0
	switch {
	case both && slices.Contains(by, ByWaiterThread):
		return bounds{mostPairs, mostPairs + mostRows}
	case both:
		return bounds{mostRows, 2 * mostRows}
	}
	return bounds{mostRows, mostRows}
}

// Finer returns an empty numbering by the keys of a pivot and more: of what its rows do
// not tell apart, it tells the further keys only. It is asked when the pivot has heard the
// same.
func (p *Pivot) Finer(more ...Key) *Rows {
	finer := NewRows(&p.keys, slices.Concat(p.by, more))
	finer.coarser = p.index
	return finer
}

// Other returns the number of those who wait and are not told apart, for an owner.
func (r *Rows) Other(lock format.ObjectID, c *Charge) int {
	ids := r.keys.IDs(r.by, lock, &analysis.Waiter{}, c)
	return r.met.of(r.withoutWaiter(ids[:len(r.by)]))
}

// full reports whether no more are told with who waits.
func (r *Rows) full() bool { return r.met.count >= r.bounds.pairs }

// told makes of a combination the one it is told by.
func (r *Rows) told(ids []uint32) []uint32 {
	switch {
	case r.coarser != nil:
		if of := ids[:len(r.coarser.by)]; !r.coarser.met.has(of) {
			r.coarser.withoutWaiter(of)
		}
		return ids
	case !r.full() || r.met.has(ids):
		return ids
	}
	return r.withoutWaiter(ids)
}

// withoutWaiter makes of a combination the one it is told by where who waits is not.
func (r *Rows) withoutWaiter(ids []uint32) []uint32 {
	if r.coarser != nil {
		r.coarser.withoutWaiter(ids[:len(r.coarser.by)])
		return ids
	}
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
