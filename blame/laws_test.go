package blame

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/format"
	"contend/golden"

	"pgregory.net/rapid"
)

// project sums rows by some of their keys; what came to nothing is left out.
func project(t *Table, keep ...Key) map[string]int64 {
	out := map[string]int64{}
	for _, r := range t.Rows {
		if r.Sum.ThreadNs == 0 {
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
		out[strings.Join(parts, " | ")] += r.Sum.ThreadNs
	}
	return out
}

// checkRows holds what is true of every table.
func checkRows(t *rapid.T, table *Table) {
	var sum Sum
	for i, r := range table.Rows {
		known := int64(0)
		for p, ns := range r.Sum.ByProvenance {
			known += ns
			sum.ByProvenance[p] += ns
		}
		if r.Sum.ThreadNs < 0 ||
			r.Sum.WallNs > min(r.Sum.ThreadNs, table.Total.WallNs) ||
			known != r.Sum.ThreadNs ||
			r.Sum.Waits > table.Total.Waits {
			t.Errorf("%v: %+v", r.Keys, r.Sum)
		}
		if i > 0 && r.Sum.ThreadNs > table.Rows[i-1].Sum.ThreadNs {
			t.Errorf("row %d is out of order", i)
		}
		sum.ThreadNs, sum.Waits = sum.ThreadNs+r.Sum.ThreadNs, sum.Waits+r.Sum.Waits
	}
	golden.Equal(t, sum.Waits, table.Total.Waits)
	golden.Equal(t, sum.ThreadNs, table.Total.ThreadNs)
	golden.Equal(t, sum.ByProvenance, table.Total.ByProvenance)
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
		golden.Must(
			pass.Run(golden.RandomTrace(t), analysis.Filter{From: format.NoTime, To: format.NoTime}, visitors...),
		)(
			t,
		)
		for i := range fine {
			a, b := fine[i].Table(), coarse[i].Table()
			checkRows(t, a)
			checkRows(t, b)
			golden.Same(t, project(b, b.By...), project(a, b.By...), "by", a.By, "and by", b.By, "differ")
			golden.Equal(t, a.Total, b.Total, "totals")
		}
		d, r := fine[0].Table(), fine[1].Table()
		if d.Total.ThreadNs != r.Total.ThreadNs || d.Total.WallNs != r.Total.WallNs || d.Total.Waits != r.Total.Waits {
			t.Errorf("direct %+v, root %+v", d.Total, r.Total)
		}
		golden.Same(
			t,
			project(r, ByWaiterThread, ByLock),
			project(d, ByWaiterThread, ByLock),
			"what each waiter lost depends on whom it is charged to",
		)
	})
}

// Whatever slices came before, a row is that of what the keys say: none looks
// at more than its row in the table tells.
func TestRowsAreThoseOfTheirKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few := func() uint32 { return r.Uint32N(4) }
	for k := range keys {
		var direct, named Resolver
		sym := symbols()
		direct.Begin(sym)
		named.Begin(sym)
		by := Columns([]Key{Key(k), Key(r.IntN(len(keys)))}, r.IntN(2) == 0)
		rows := NewRows(&named, by)
		for range 2000 {
			w := analysis.Waiter{
				Thread: format.ThreadID(few()),
				Stack:  format.StackID(few()),
				Mode:   format.Mode(few() & 1),
			}
			owner := func() analysis.Owner {
				return analysis.Owner{
					Kind:   analysis.OwnerKind(few()),
					Cycle:  int32(few()),
					Did:    format.Activity(few()),
					Thread: format.ThreadID(few()),
					Stack:  format.StackID(few()),
				}
			}
			sh := &analysis.Share{
				Direct: owner(),
				Root:   owner(),
				Hops:   2,
				Last:   format.ObjectID(few()),
				Path:   &analysis.Hop{Lock: format.ObjectID(few())},
			}
			lock, want := format.ObjectID(few()), make([]uint32, 2)
			direct.Find(want, by, lock, &w, sh)
			if got := rows.IDs(rows.RowOf(lock, &w, sh)); !slices.Equal(got, want) {
				t.Fatalf("%v of lock %d, %+v, %+v: %v, want %v", by, lock, w, sh, got, want)
			}
		}
	}
}

// However many threads are added or joined, and in whatever order, each counts once.
func TestASetCountsEachThreadOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, want := ThreadSet{}, map[format.ThreadID]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "sets") {
			var one ThreadSet
			for _, id := range rapid.SliceOfN(rapid.Uint32Range(0, 3*fewThreads), 0, 4*fewThreads).Draw(t, "ids") {
				one.Insert(format.ThreadID(id))
				want[format.ThreadID(id)] = true
			}
			all.Join(&one)
		}
		golden.Equal(t, all.Len(), len(want))
	})
}

func TestMain(m *testing.M) { golden.Main(m) }
