package facts

import (
	"testing"

	"contend/analysis"
	"contend/format"
)

// Rows are made one by one, of names that are put together once: a million rows take no
// more memory than what they are made of.
func TestRowsAreMadeAsTheyAreAskedFor(t *testing.T) {
	const stacks = 60
	var events []*format.Event
	for i := range stacks {
		frames := []format.Frame{{Class: "Shop", Method: string(rune('a' + i)), Line: i}, {Class: "Shop", Method: "run"}}
		events = append(events, &format.Event{Kind: format.KindStack, Stack: format.StackID(i + 1), Frames: frames})
	}
	c := NewCube(1000, nil)
	c.Begin(analysis.NewSymbols(events...), 0)
	for i := range stacks {
		for j := range stacks {
			owner := analysis.Owner{Kind: analysis.OwnerThread, Thread: 2, Stack: format.StackID(j + 1)}
			at := int64(i*stacks + j)
			c.Slice(&analysis.Slice{Start: at, End: at + 1, Lock: 1, Waiters: []analysis.Waiter{{Thread: 1, Stack: format.StackID(i + 1), First: true}},
				Shares: []analysis.Share{{Ns: 1, Direct: owner, Root: owner, Hops: 1}}})
		}
	}
	c.Finish()
	waits := newWaits("a.jfr", c, true)
	rows := 0
	all := func() {
		for row := range waits.All() {
			rows += int(row.Waits)
		}
	}
	all()
	if rows != stacks*stacks || waits.Len() != rows {
		t.Errorf("%d rows of %d waits, want %d", waits.Len(), rows, stacks*stacks)
	}
	if took := testing.AllocsPerRun(3, all); took > stacks {
		t.Errorf("%.0f allocations to go through %d rows", took, waits.Len())
	}
}
