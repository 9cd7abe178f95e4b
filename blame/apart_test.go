package blame

import (
	"fmt"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
)

// oneByOne is a pivot that hears of each who waits in a crowd, in each slice.
type oneByOne struct{ analysis.Visitor }

// byKinds returns a pivot that adds all who wait in a crowd to their rows, for each slice.
func byKinds(by []Key, root bool) *Pivot {
	p := New(by, root)
	p.apart.threads, p.waits.apart = false, false
	return p
}

// tables are pivots in which rows tell threads apart, by what else they do.
var tables = [][]Key{
	{ByWaiterThread},
	{ByWaiterThread, ByOwnerThread},
	{ByOwnerStack, ByWaiterThread, ByWaiterStack, ByLock},
	{ByOwnerBlockedOn, ByRootLock, ByWaiterThread},
}

// run sums a trace by keys, with who waits in crowds told together and otherwise.
func run(t *testing.T, list *format.List, by []Key, root bool, otherwise analysis.Visitor) *Table {
	together := New(by, root)
	list.Rewind()
	if _, err := analysis.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime}, together, otherwise); err != nil {
		t.Fatal(err)
	}
	return together.Table()
}

// rowTexts are the rows of a table, in order.
func rowTexts(table *Table) (list []string) {
	for _, r := range table.Rows {
		list = append(list, fmt.Sprint(r.Keys, r.IDs, r.Sum))
	}
	return append(list, fmt.Sprint(table.Total))
}

// Those who wait together have the rows, and these the sums, that each has alone.
func TestCrowdsAreToldAsOneByOne(t *testing.T) {
	for i, scenario := range []string{"ping-pong", "convoy", "nested", "random", "reader-writer"} {
		var list format.List
		config := simulate.Config{Scenario: scenario, Threads: 80 - 5*i, Locks: 1 + i%3, Duration: 4e6, Period: 1e7, Handoff: int64(1000 * i), Seed: uint64(i + 1)}
		if _, err := simulate.Run(config, &list, nil); err != nil {
			t.Fatal(err)
		}
		for i := range 2 * len(tables) {
			by, root := tables[i/2], i%2 == 1
			apart := byKinds(by, root)
			got := run(t, &list, by, root, apart)
			if diff := cmp.Diff(rowTexts(apart.Table()), rowTexts(got)); diff != "" {
				t.Errorf("%s by %v, root %v:\n%s", scenario, by, root, diff)
			}
		}
	}
}

// queued returns waits for some locks, of so many threads at a time, which get them in
// order of arrival.
func queued(threads, locks, waits int) (events []format.Event) {
	for i := range waits {
		from, to, thread, lock := int64(max(0, i-threads)*10+1), int64(i*10+10), format.ThreadID(1+i%threads), format.ObjectID(1+i%locks)
		events = append(events,
			format.Event{Kind: format.KindWait, Thread: thread, Object: lock, Stack: format.StackID(1 + i*7%3), Time: from, End: to},
			format.Event{Kind: format.KindTenure, Thread: thread, Object: lock, Stack: format.StackID(1 + i%3), Time: to, End: to + 8})
	}
	return events
}

// times are the times of each row; which of two waits at a time is in a row is not told.
func times(table *Table) map[string][2]int64 {
	out := map[string][2]int64{"": {table.Total.ThreadNs, table.Total.WallNs}}
	for _, r := range table.Rows {
		out[fmt.Sprint(r.IDs)] = [2]int64{r.ThreadNs, r.WallNs}
	}
	return out
}

// A thread that waits twice at a time, for one lock or for two, counts once of the wall,
// whether one of the waits is in a crowd or both are.
func TestWhoWaitsTwiceInACrowd(t *testing.T) {
	for _, after := range golden.Depth([]int64{0, 10}, []int64{0, 10, 333}, []int64{0, 3, 10, 180, 333}) {
		for locks := range 2 {
			events := queued(80, 2, 800)
			for i, ev := range events {
				if ev.Kind == format.KindWait && i%26 == 0 && ev.End-ev.Time > 2*after {
					ev.Time, ev.End, ev.Object = ev.Time+after, ev.End-after/2, 1+(ev.Object-1+format.ObjectID(locks))%2
					events = append(events, ev)
				}
			}
			for _, by := range tables {
				apart := New(by, false)
				got := run(t, &format.List{Events: events}, by, false, oneByOne{apart})
				if diff := cmp.Diff(times(apart.Table()), times(got)); diff != "" {
					t.Errorf("%d ns later by %v:\n%s", after, by, diff)
				}
			}
		}
	}
}

// What is told of a long queue when its lock has another owner does not grow with how many
// wait: no row is looked at that is there, and nothing allocated.
func TestALongQueueIsNotLookedAt(t *testing.T) {
	const waiting, owners, times = 1000, 20, 50
	p := New([]Key{ByWaiterThread, ByOwnerThread}, false)
	p.Begin(analysis.NewSymbols(), 0)
	now := int64(0)
	move := func(thread int, leaves bool) {
		p.Moved(&analysis.Move{Waiter: analysis.Waiter{Thread: format.ThreadID(thread)}, Lock: 1, Number: uint32(thread), Leaves: leaves})
	}
	pass := func(owner int) {
		by := analysis.Owner{Kind: analysis.OwnerThread, Thread: format.ThreadID(waiting + owner + 1), Stack: 1}
		now += 10
		p.Crowd(&analysis.Slice{Start: now - 7, End: now, Lock: 1, Shares: []analysis.Share{{Ns: 7, Direct: by, Root: by, Hops: 1}}}, waiting)
	}
	for thread := range waiting {
		p.waits.begin(format.ThreadID(thread + 1))
		move(thread+1, false)
	}
	for owner := range owners {
		pass(owner)
	}
	p.total.wall = analysis.Union{}
	n := testing.AllocsPerRun(times, func() {
		for owner := range owners {
			pass(owner)
		}
	})
	if n > 1 || p.apart.stays.Len() != waiting*owners { // the wall of all
		t.Errorf("%d pairs; %.0f allocations to add to them", p.apart.stays.Len(), n)
	}
	for i := range p.rows {
		if p.rows[i].ThreadNs > 0 {
			t.Fatalf("row %d is added to while its thread waits", i)
		}
	}
	for thread := range waiting {
		move(thread+1, true)
	}
	for _, r := range p.Table().Rows {
		if want := int64(7 * (times + 2)); r.ThreadNs != want || r.WallNs != want || r.Waits != 1 { // AllocsPerRun calls it once more
			t.Fatalf("%v has %d waits of %d ns, %d of wall, want 1 of %d", r.Keys, r.Waits, r.ThreadNs, r.WallNs, want)
		}
	}
}
