package blame

import (
	"math"
	"slices"

	"contend/analysis"
	"contend/format"
)

// Column is a key of rows. A key of owners is that of the lock's owner or, with Root, of the owner at
// the end of the chain of waits.
type Column struct {
	Key  Key
	Root bool
}

// Columns returns a column for each key; root selects the owners at the ends of chains.
func Columns(by []Key, root bool) []Column {
	out := make([]Column, len(by))
	for i, k := range by {
		out[i] = Column{k, root && k.OfOwner()}
	}
	return out
}

// OfShare reports whether the column distinguishes shares of one waiter.
func (c Column) OfShare() bool {
	return c.Key.OfOwner() || c.Key == ByRootLock || c.Key == ByChain || c.Key == ByProvenance
}

// Rows numbers the combinations of keys in slices from 0, in order of their first use.
//
// Threads that wait for each other are as many rows as there are pairs of them: 25 million
// of 5,000 threads, at some 300 bytes each. So the rows of a table are bounded, by a plain
// cap:
//
//  1. beyond the bound of pairs, a new pair is charged to a row without the waiter: one
//     [other] for each owner;
//  2. if these are too many as well, all further waiting is in one row.
//
// A reported row has all of its waiting from its first slice on. The rows of [other] have the rest,
// so that all rows sum to the total.
type Rows struct {
	keys   *Resolver
	by     []Column
	met    numbering
	bounds bounds
	ids    []uint32 // of the current call of Of
}

// bounds are the numbers of combinations that are reported with the waiter, and at all.
type bounds struct{ pairs, rows int }

// maxPairs bounds the rows of a waiting thread and what it waits for: all pairs of 500
// threads. maxRows bounds the rows of other keys, which are as many as the trace has locks,
// threads or stacks.
const (
	maxPairs = 1 << 18
	maxRows  = 1 << 20
)

// Other is the id, for any key, of combinations beyond the bounds; OtherText is its name.
const (
	Other     = math.MaxUint32
	OtherText = "[other]"
)

// NewRows returns an empty numbering without bounds.
func NewRows(resolver *Resolver, by []Column) *Rows {
	return &Rows{
		keys:   resolver,
		by:     by,
		met:    numbering{width: len(by)},
		bounds: bounds{math.MaxInt, math.MaxInt},
		ids:    make([]uint32, len(by)),
	}
}

// boundsOf returns the bounds of the rows of some columns.
func boundsOf(by []Column) bounds {
	both := len(ofWaiters(by)) > 0 && len(ofOwners(by)) > 0
	switch {
	case both && slices.Contains(by, Column{Key: ByWaiterThread}):
		return bounds{maxPairs, maxPairs + maxRows}
	case both:
		return bounds{maxRows, 2 * maxRows}
	}
	return bounds{maxRows, maxRows}
}

// IDs returns a combination, an id for each column. It is good until Of is called.
func (r *Rows) IDs(row int) []uint32 { return r.met.combination(row) }

// RowOf returns the number of the combination for a waiter of a lock and the owners of a share of its
// time, see Resolver.Find.
func (r *Rows) RowOf(lock format.ObjectID, w *analysis.Waiter, sh *analysis.Share) int {
	r.keys.Find(r.ids, r.by, lock, w, sh)
	return r.met.numberOf(r.reported(r.ids))
}

// reported replaces the ids of waiters, then all ids, by Other once the bounds are reached. It
// changes ids in place.
func (r *Rows) reported(ids []uint32) []uint32 {
	if r.met.count < r.bounds.pairs || r.met.number(ids) >= 0 {
		return ids
	}
	for i, c := range r.by {
		if c.Key.OfWaiter() {
			ids[i] = Other
		}
	}
	if r.met.count < r.bounds.rows || r.met.number(ids) >= 0 {
		return ids
	}
	for i := range ids {
		ids[i] = Other
	}
	return ids
}

// Forget empties the numbering, so that its memory is bounded by the combinations between two calls.
func (r *Rows) Forget() { r.met.forget() }
