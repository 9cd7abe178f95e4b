package decode

import (
	"testing"

	"contend/format"
)

// What an input names nowhere but as an owner, a waiter or in a sample is kept apart from
// what the next one calls the same; nothing stays nothing, and wild ids become small.
func TestIDsOfSeveralInputsStayApart(t *testing.T) {
	const wild = 4_000_000_000
	events := func() []format.Event {
		return []format.Event{
			{Kind: format.KindThread, Thread: 2},
			{Kind: format.KindContention, Object: 3, Owners: []format.Party{{Thread: 7, Stack: 9}}, Waiters: []format.Party{{Thread: 8, Stack: 11}, {Thread: wild, Stack: 10}}},
			{Kind: format.KindWait, Thread: 2, Owner: 5, Object: 4, Stack: 1},
		}
	}
	threads, stacks, objects := map[format.ThreadID]int{}, map[format.StackID]int{}, map[format.ObjectID]int{}
	var s shift
	for input := range 3 {
		if input > 0 {
			s.advance()
		}
		for _, ev := range events() {
			s.apply(&ev)
			for _, id := range []format.ThreadID{ev.Thread, ev.Owner} {
				if id != format.NoThread {
					threads[id] |= 1 << input
				}
			}
			for _, p := range append(ev.Owners, ev.Waiters...) {
				threads[p.Thread] |= 1 << input
				stacks[p.Stack] |= 1 << input
				if p.Thread > wild/2 {
					t.Errorf("the id %d is not small", p.Thread)
				}
			}
			if ev.Stack != format.NoStack {
				stacks[ev.Stack] |= 1 << input
			}
			if ev.Object != format.NoObject {
				objects[ev.Object] |= 1 << input
			}
			if ev.Woken != format.NoThread {
				t.Errorf("nobody became %d", ev.Woken)
			}
		}
	}
	for name, n := range map[string]int{"threads": len(threads) - 3*5, "stacks": len(stacks) - 3*4, "objects": len(objects) - 3*2} {
		if n != 0 {
			t.Errorf("%d %s more than there are", n, name)
		}
	}
}
