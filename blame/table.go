package blame

import (
	"contend/analysis/bootstrap"
	"contend/format"
)

// Table is a finished pivot, rows in descending order of thread-time (ties by
// keys). The rows sum to the total.
type Table struct {
	By    []Key
	Root  bool // charged to the root of each path instead of the direct owner
	Rows  []Row
	Total Sum
	// OtherNs is the thread-time of the [other] rows, see Rows.
	OtherNs int64
	cells   *bootstrap.Cells // nil for an exact trace
	keys    *Resolver
}

// Estimate returns a row's thread-time in nanoseconds with its 95 % interval;
// false when the trace is exact.
func (t *Table) Estimate(r *Row) (e bootstrap.Estimate, ok bool) {
	if t.cells == nil || r.series == bootstrap.NoSeries {
		return e, false
	}
	return t.cells.Rate(t.cells.Series(r.series)).Scale(float64(t.cells.Span())), true
}

// Chain returns the steps of a row by ByChain, and the number of locks on its longest path.
func (t *Table) Chain(r *Row) (steps []Step, hops int) {
	c := &t.keys.chains.list[r.IDs[0]]
	return c.steps, c.hops
}

// Row is one combination of keys.
type Row struct {
	Keys   []string         // one text per key of By
	IDs    []uint32         // of each text: threads of one name have different ids; see Pseudo
	Stacks [][]format.Frame // for each stack key of By, in order; nil for a pseudo owner
	Sum    Sum
	series int
}
