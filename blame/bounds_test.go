package blame

import (
	"fmt"
	"slices"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

// crowded are simulated runs in which many wait together and some alone.
func crowded(t *testing.T, f func(scenario string, list *format.List)) {
	for i, scenario := range []string{"convoy", "nested", "random", "reader-writer"} {
		var list format.List
		golden.Must(
			simulate.Run(
				simulate.Config{
					Scenario: scenario,
					Threads:  80 - 5*i,
					Locks:    1 + i%3,
					Duration: 4e6,
					Period:   1e7,
					Seed:     uint64(i + 1),
				},
				&list,
				nil,
			),
		)(
			t,
		)
		f(scenario, &list)
	}
}

// bounded returns a pivot of few rows.
func bounded(by []Key, root bool, b bounds) *Pivot {
	p := New(by, root)
	p.index.bounds = b
	return p
}

// sumsBy sums what rows have, without those to be left out, by the ids that f gives.
func sumsBy(table *Table, f func(r *Row) string) map[string]Sum {
	sums := map[string]Sum{}
	for i := range table.Rows {
		r := &table.Rows[i]
		s, at := r.Sum, f(r)
		before := sums[at]
		s.ThreadNs, s.WallNs, s.Waits = s.ThreadNs+before.ThreadNs, 0, s.Waits+before.Waits
		for p := range s.ByProvenance {
			s.ByProvenance[p] += before.ByProvenance[p]
		}
		sums[at] = s
	}
	return sums
}

// ofOwnersOnly is all of the ids of a row that is not about who waits.
func ofOwnersOnly(by []Key) func(r *Row) string {
	return func(r *Row) string {
		ids := slices.Clone(r.IDs)
		for i, k := range by {
			if k.OfWaiter() {
				ids[i] = 0
			}
		}
		return fmt.Sprint(ids)
	}
}

// oneByOne is a pivot that gets the slices of crowds with all who wait in them.
type oneByOne struct{ analysis.Visitor }

// tables are keys that tell waiting threads apart, with whatever else.
var tables = [][]Key{
	{ByWaiterThread},
	{ByWaiterThread, ByOwnerThread},
	{ByOwnerStack, ByWaiterThread, ByWaiterStack, ByLock},
	{ByOwnerBlockedOn, ByRootLock, ByWaiterThread},
}

// Rows that are reported are exact however few they are; with those of [other] all sum to
// what they did, for each owner.
func TestFewRowsHaveAllTheWaiting(t *testing.T) {
	crowded(t, func(scenario string, list *format.List) {
		for i := range 4 * len(tables) {
			by, root, alone := tables[i/4], i%2 == 1, i/2%2 == 1
			whole := New(by, root)
			few := bounded(by, root, bounds{30, 1 << 20})
			var visitor analysis.Visitor = few
			if alone {
				visitor = oneByOne{few}
			}
			got, want := runBoth(t, list, whole, few, visitor)
			if len(want.Rows) <= 60 || len(by) == 1 {
				continue
			}
			if got.OtherNs == 0 || got.Total != want.Total {
				t.Errorf(
					"%s by %v: %d ns of [other], in all %+v, want %+v",
					scenario,
					by,
					got.OtherNs,
					got.Total,
					want.Total,
				)
			}
			told := map[string]string{}
			for _, r := range want.Rows {
				told[fmt.Sprint(r.IDs)] = fmt.Sprint(r.Keys, r.Sum)
			}
			n := 0
			for _, r := range got.Rows {
				if slices.Contains(r.Keys, OtherText) {
					if r.Sum.WallNs > min(r.Sum.ThreadNs, got.Total.WallNs) {
						t.Errorf("%s by %v: %v: %+v", scenario, by, r.Keys, r.Sum)
					}
				} else if n++; told[fmt.Sprint(r.IDs)] != fmt.Sprint(r.Keys, r.Sum) {
					t.Errorf("%s by %v: %v %+v, want %s", scenario, by, r.Keys, r.Sum, told[fmt.Sprint(r.IDs)])
				}
			}
			golden.Equal(t, n, 30, "rows are reported")
			golden.Same(
				t,
				sumsBy(got, ofOwnersOnly(by)),
				sumsBy(want, ofOwnersOnly(by)),
				scenario,
				"by",
				by,
				"root",
				root,
				"alone",
				alone,
			)
		}
	})
}

// runBoth sums a trace in two pivots, one of which hears through a visitor.
func runBoth(t *testing.T, list *format.List, whole, few *Pivot, visitor analysis.Visitor) (got, want *Table) {
	list.Rewind()
	golden.Must(pass.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime}, whole, visitor))(t)
	return few.Table(), whole.Table()
}

// Where there are too many owners as well, or rows without waiters, all further is one row.
func TestTheLastRowHasTheRest(t *testing.T) {
	crowded(t, func(scenario string, list *format.List) {
		for _, c := range []struct {
			by   []Key
			most bounds
		}{{[]Key{ByWaiterThread, ByOwnerThread}, bounds{10, 20}}, {[]Key{ByOwnerStack, ByOwnerThread}, bounds{5, 5}}} {
			whole, few := New(c.by, false), bounded(c.by, false, c.most)
			got, want := runBoth(t, list, whole, few, few)
			if len(want.Rows) > 100 && (len(got.Rows) > c.most.rows+1 || got.Total != want.Total || got.OtherNs == 0) {
				t.Errorf(
					"%s by %v: %d rows of %+v, want %d at most of %+v",
					scenario,
					c.by,
					len(got.Rows),
					got.Total,
					c.most.rows+1,
					want.Total,
				)
			}
		}
	})
}

// A thousand threads that wait for each other take no more than as many pairs as are reported.
func TestPairsOfThreadsAreBounded(t *testing.T) {
	const waiting, owners, most = 1000, 1000, 5000
	p := bounded([]Key{ByWaiterThread, ByOwnerThread}, false, bounds{most, 1 << 20})
	p.Begin(analysis.NewSymbols(), 0)
	for thread := range waiting {
		w := analysis.Waiter{Thread: format.ThreadID(thread + 1)}
		p.QueueChanged(&analysis.QueueChange{Waiter: w, Lock: 1, Number: uint32(thread + 1)})
	}
	for owner := range owners {
		by := analysis.Owner{Kind: analysis.OwnerThread, Thread: format.ThreadID(waiting + owner + 1)}
		at := int64(10 * owner)
		p.QueueSlice(
			&analysis.Slice{
				Start:  at,
				End:    at + 7,
				Lock:   1,
				Shares: []analysis.Share{{Ns: 7, Direct: by, Root: by, Hops: 1}},
			},
			waiting,
		)
	}
	golden.AtMost(t, len(p.rows), most+owners, "rows")
	golden.Equal(t, boundsOf(Columns([]Key{ByWaiterThread}, false)).pairs, maxRows, "of threads, which are no pairs")
}

// A slice of a long queue costs one charge for all waiters that no column tells apart.
func TestAQueueIsChargedByItsClasses(t *testing.T) {
	const waiting = 2000
	var keys Resolver
	keys.Begin(analysis.NewSymbols())
	for _, by := range []Key{ByClass, ByWaiterGroup} {
		var got []int
		c := NewCharges(NewRows(&keys, Columns([]Key{by}, false)), func(_ int, c Charge) { got = append(got, c.N) })
		w := analysis.Waiter{}
		for thread := range waiting {
			w.Thread = format.ThreadID(thread + 1)
			c.QueueChanged(&analysis.QueueChange{Waiter: w, Lock: 1, Number: uint32(thread + 1)})
		}
		owner := analysis.Owner{Kind: analysis.OwnerThread, Thread: waiting + 1}
		c.QueueSlice(
			&analysis.Slice{
				End:     7,
				Lock:    1,
				Waiters: []analysis.Waiter{w},
				Shares:  []analysis.Share{{Ns: 7, Direct: owner, Root: owner, Hops: 1}},
			},
			waiting,
		)
		golden.Same(t, got, []int{waiting}, by)
	}
}
