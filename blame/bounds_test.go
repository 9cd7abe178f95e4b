package blame

import (
	"fmt"
	"slices"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/format/simulate"

	"github.com/google/go-cmp/cmp"
)

// crowded are simulated runs in which many wait together and some alone.
func crowded(t *testing.T, f func(scenario string, list *format.List)) {
	for i, scenario := range []string{"convoy", "nested", "random", "reader-writer"} {
		var list format.List
		if _, err := simulate.Run(simulate.Config{Scenario: scenario, Threads: 80 - 5*i, Locks: 1 + i%3, Duration: 4e6, Period: 1e7, Seed: uint64(i + 1)}, &list, nil); err != nil {
			t.Fatal(err)
		}
		f(scenario, &list)
	}
}

// bounded returns a pivot of few rows.
func bounded(by []Key, root bool, b bounds) *Pivot {
	p := New(by, root)
	p.limitTo(b)
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
			if k.ofWaiter() {
				ids[i] = 0
			}
		}
		return fmt.Sprint(ids)
	}
}

// Rows that are told are exact however few they are; with those of [other] all sum to what
// they did, for each owner, and what each waits that no row tells is told beside.
func TestFewRowsHaveAllTheWaiting(t *testing.T) {
	crowded(t, func(scenario string, list *format.List) {
		for i := range 4 * len(tables) {
			by, root, alone := tables[i/4], i%2 == 1, i/2%2 == 1
			whole := New(by, root)
			few := bounded(by, root, bounds{30, 1 << 20, mostWritten})
			var visitor analysis.Visitor = few
			if alone {
				visitor = oneByOne{few}
			}
			got, want := runBoth(t, list, whole, few, visitor)
			if len(want.Rows) <= 60 || len(by) == 1 {
				continue
			}
			if got.OtherNs == 0 || got.Total != want.Total {
				t.Errorf("%s by %v: %d ns of [other], in all %+v, want %+v", scenario, by, got.OtherNs, got.Total, want.Total)
			}
			told := map[string]string{}
			for _, r := range want.Rows {
				told[fmt.Sprint(r.IDs)] = fmt.Sprint(r.Keys, r.Sum)
			}
			n := 0
			for _, r := range got.Rows {
				if slices.Contains(r.Keys, OtherText) {
					if r.WallNs > min(r.ThreadNs, got.Total.WallNs) || r.Waits == 0 && r.ThreadNs > 0 {
						t.Errorf("%s by %v: %v: %+v", scenario, by, r.Keys, r.Sum)
					}
				} else if n++; told[fmt.Sprint(r.IDs)] != fmt.Sprint(r.Keys, r.Sum) {
					t.Errorf("%s by %v: %v %+v, want %s", scenario, by, r.Keys, r.Sum, told[fmt.Sprint(r.IDs)])
				}
			}
			if n > 30 || n < 23 { // or a quarter less
				t.Errorf("%d rows are told", n)
			}
			if diff := cmp.Diff(sumsBy(want, ofOwnersOnly(by)), sumsBy(got, ofOwnersOnly(by))); diff != "" {
				t.Errorf("%s by %v, root %v, alone %v:\n%s", scenario, by, root, alone, diff)
			}
			checkHeaviest(t, got, want)
			checkWaiters(t, few, got, want)
		}
	})
}

// checkHeaviest holds what rows lack at most, and who is not told, against all rows. It
// returns how many lack something.
func checkHeaviest(t *testing.T, got, want *Table) (lacking int) {
	told := map[string]int64{}
	for _, r := range got.Rows {
		told[fmt.Sprint(r.IDs)] = r.ThreadNs
	}
	for _, r := range want.Rows {
		ns, ok := told[fmt.Sprint(r.IDs)]
		if !ok && r.ThreadNs > got.OtherMostNs || ok && (ns > r.ThreadNs || ns < r.ThreadNs-got.LackingNs) {
			t.Errorf("by %v: %v of %d ns, told %v: %d; [other] have %d at most, others lack %d", want.By, r.Keys, r.ThreadNs, ok, ns, got.OtherMostNs, got.LackingNs)
		}
		if ok && ns < r.ThreadNs {
			lacking++
		}
	}
	return lacking
}

// What is summed a little at a time may go and come again: what rows lack is said, and what
// those that are not told may have. The heaviest of all is told all the same.
func TestWhatIsSummedALittleAtATime(t *testing.T) {
	lacking := 0
	crowded(t, func(scenario string, list *format.List) {
		for i, by := range tables {
			whole, few := New(by, i%2 == 1), bounded(by, i%2 == 1, bounds{40, 1 << 20, 200})
			got, want := runBoth(t, list, whole, few, few)
			if len(want.Rows) <= 60 {
				continue
			}
			if got.Total != want.Total || len(by) > 1 && got.OtherNs == 0 {
				t.Errorf("%s by %v: %+v, want %+v", scenario, by, got.Total, want.Total)
			}
			lacking += checkHeaviest(t, got, want)
			checkWaiters(t, few, got, want)
		}
	})
	if lacking == 0 {
		t.Error("no row lacks anything")
	}
}

// Of samples, too, the heaviest are told, with rows that were there before and after.
func TestTheHeaviestOfSamples(t *testing.T) {
	var list format.List
	if _, err := simulate.Run(simulate.Config{Scenario: "convoy", Threads: 60, Locks: 2, Duration: 4e7, Period: 1e5, Seed: 7}, nil, &list); err != nil {
		t.Fatal(err)
	}
	for _, by := range tables[1:] {
		for _, written := range []int{2000, mostWritten} {
			whole, few := New(by, false), bounded(by, false, bounds{40, 1 << 20, written})
			got, want := runBoth(t, &list, whole, few, few)
			if got.Total != want.Total || got.OtherNs == 0 || len(want.Rows) < 60 || written == mostWritten && got.LackingNs > 0 {
				t.Errorf("by %v: %d of %d rows, %d ns of [other], %d lacking, %+v, want %+v", by, len(got.Rows), len(want.Rows), got.OtherNs, got.LackingNs, got.Total, want.Total)
			}
			checkHeaviest(t, got, want)
			checkWaiters(t, few, got, want)
		}
	}
}

// runBoth sums a trace in two pivots, one of which hears through a visitor.
func runBoth(t *testing.T, list *format.List, whole, few *Pivot, visitor analysis.Visitor) (got, want *Table) {
	list.Rewind()
	if _, err := analysis.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime}, whole, visitor); err != nil {
		t.Fatal(err)
	}
	return few.Table(), whole.Table()
}

// checkWaiters holds what each waits in rows, and beside, against what it waits in all.
func checkWaiters(t *testing.T, few *Pivot, got, want *Table) {
	at := slices.Index(want.By, ByWaiterThread)
	sum := func(table *Table) map[uint32]int64 {
		sums := map[uint32]int64{}
		for _, r := range table.Rows {
			if id := r.IDs[at]; id != Other {
				sums[id] += r.ThreadNs
			}
		}
		return sums
	}
	sums, place := sum(got), slices.Index(ofWaiters(want.By), ByWaiterThread)
	few.Untold(func(ids []uint32, ns int64) { sums[ids[place]] += ns }, func([]uint32, int64) {})
	if diff := cmp.Diff(sum(want), sums); diff != "" {
		t.Errorf("by %v, what each waits:\n%s", want.By, diff)
	}
}

// Where there are too many owners as well, all further is one row, and what each of them
// causes there is told beside.
func TestTheLastRowHasTheRest(t *testing.T) {
	crowded(t, func(scenario string, list *format.List) {
		by := []Key{ByWaiterThread, ByOwnerThread}
		whole, few := New(by, false), bounded(by, false, bounds{10, 20, mostWritten})
		got, want := runBoth(t, list, whole, few, few)
		if len(want.Rows) <= 100 {
			return
		}
		if len(got.Rows) > 21 {
			t.Errorf("%s: %d rows", scenario, len(got.Rows))
		}
		caused := func(table *Table) map[uint32]int64 {
			sums := map[uint32]int64{}
			for _, r := range table.Rows {
				if r.IDs[1] != Other {
					sums[r.IDs[1]] += r.ThreadNs
				}
			}
			return sums
		}
		sums := caused(got)
		few.Untold(func([]uint32, int64) {}, func(ids []uint32, ns int64) { sums[ids[0]] += ns })
		if diff := cmp.Diff(caused(want), sums); diff != "" || got.Total != want.Total {
			t.Errorf("%s: %+v of %+v; what each causes:\n%s", scenario, got.Total, want.Total, diff)
		}
		checkWaiters(t, few, got, want)
	})
}

// Of rows that do not tell who waits there may be too many as well.
func TestLocksAreBounded(t *testing.T) {
	crowded(t, func(scenario string, list *format.List) {
		by := []Key{ByOwnerStack, ByOwnerThread}
		whole, few := New(by, false), bounded(by, false, bounds{5, 5, mostWritten})
		got, want := runBoth(t, list, whole, few, few)
		if len(want.Rows) > 6 && (len(got.Rows) != 6 || got.Total != want.Total || got.OtherNs == 0) {
			t.Errorf("%s: %d rows of %+v, %d ns of [other]", scenario, len(got.Rows), got.Total, got.OtherNs)
		}
	})
}

// A thousand threads that wait for each other take no more than as many pairs as are told, and
// a bit for each owner that one waits for at the time.
func TestPairsOfThreadsAreBounded(t *testing.T) {
	const waiting, owners, most = 1000, 1000, 5000
	p := bounded([]Key{ByWaiterThread, ByOwnerThread}, false, bounds{most, 1 << 20, mostWritten})
	p.Begin(analysis.NewSymbols(), 0)
	for thread := range waiting {
		w := analysis.Waiter{Thread: format.ThreadID(thread + 1)}
		p.waits.begin(w.Thread)
		p.Moved(&analysis.Move{Waiter: w, Lock: 1, Number: uint32(thread + 1)})
	}
	for owner := range owners {
		by := analysis.Owner{Kind: analysis.OwnerThread, Thread: format.ThreadID(waiting + owner + 1)}
		at := int64(10 * owner)
		p.Crowd(&analysis.Slice{Start: at, End: at + 7, Lock: 1, Shares: []analysis.Share{{Ns: 7, Direct: by, Root: by, Hops: 1}}}, waiting)
	}
	if rows, pairs := len(p.rows), p.apart.stays.Len(); rows > most+owners || pairs > most {
		t.Errorf("%d rows, %d pairs", rows, pairs)
	}
	if n := len(p.waits.threads[1].many); n > owners/64+1 {
		t.Errorf("%d words of rows that a wait has met", n)
	}
	if mostPairs < 500*500 || mostPairs > 1<<19 || mostRows < 1e6 || mostRows > 2e6 || mostWritten < 1<<19 || mostWritten > 1<<21 {
		t.Errorf("%d pairs and %d rows are told, %d written", mostPairs, mostRows, mostWritten)
	}
	if got := boundsOf([]Key{ByWaiterThread}); got.pairs != mostRows {
		t.Errorf("%+v of threads, which are no pairs", got)
	}
}
