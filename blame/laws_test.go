package blame

import (
	"strings"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// project sums rows by some of their keys; what came to nothing is left out.
func project(t *Table, keep ...Key) map[string]int64 {
	out := map[string]int64{}
	for _, r := range t.Rows {
		if r.ThreadNs == 0 {
			continue
		}
		parts := make([]string, len(keep))
		for i, k := range keep {
			for j, by := range t.By {
				if by == k {
					parts[i] = r.Keys[j]
				}
			}
		}
		out[strings.Join(parts, " | ")] += r.ThreadNs
	}
	return out
}

// checkRows holds what is true of every table.
func checkRows(t *rapid.T, table *Table) {
	var sum Sum
	for i, r := range table.Rows {
		known := int64(0)
		for p, ns := range r.ByProvenance {
			known += ns
			sum.ByProvenance[p] += ns
		}
		if r.ThreadNs < 0 || r.WallNs > r.ThreadNs || r.WallNs > table.Total.WallNs || known != r.ThreadNs || r.Waits > table.Total.Waits {
			t.Errorf("%v: %+v", r.Keys, r.Sum)
		}
		if i > 0 && r.ThreadNs > table.Rows[i-1].ThreadNs {
			t.Errorf("row %d is out of order", i)
		}
		sum.ThreadNs += r.ThreadNs
	}
	if sum.ThreadNs != table.Total.ThreadNs || sum.ByProvenance != table.Total.ByProvenance {
		t.Errorf("rows sum to %+v, total %+v", sum, table.Total)
	}
}

// Rows sum to the total, direct and root to the same; a pivot by fewer keys,
// or by the same in another order, is the finer one summed.
func TestPivotsAreViewsOfOneSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.Permutation(listed(Pivots)).Draw(t, "keys")
		n := rapid.IntRange(1, len(keys)).Draw(t, "n")
		var fine, coarse [2]*Pivot
		var visitors []analysis.Visitor
		for i, root := range []bool{false, true} {
			fine[i], coarse[i] = New(keys, root), New(keys[len(keys)-n:], root)
			visitors = append(visitors, fine[i], coarse[i])
		}
		golden.Must(analysis.Run(golden.DrawnTrace(t), analysis.Filter{From: format.NoTime, To: format.NoTime}, visitors...))(t)
		for i := range fine {
			a, b := fine[i].Table(), coarse[i].Table()
			checkRows(t, a)
			checkRows(t, b)
			if diff := cmp.Diff(project(a, b.By...), project(b, b.By...)); diff != "" {
				t.Errorf("by %v and by %v differ:\n%s", a.By, b.By, diff)
			}
			if a.Total != b.Total {
				t.Errorf("totals %+v and %+v", a.Total, b.Total)
			}
		}
		d, r := fine[0].Table(), fine[1].Table()
		if d.Total.ThreadNs != r.Total.ThreadNs || d.Total.WallNs != r.Total.WallNs || d.Total.Waits != r.Total.Waits {
			t.Errorf("direct %+v, root %+v", d.Total, r.Total)
		}
		if diff := cmp.Diff(project(d, ByWaiterThread, ByLock), project(r, ByWaiterThread, ByLock)); diff != "" {
			t.Errorf("what each waiter lost depends on whom it is charged to:\n%s", diff)
		}
	})
}
