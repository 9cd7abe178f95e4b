package analysis

import (
	"slices"
	"testing"

	"contend/golden"

	"pgregory.net/rapid"
)

// A wait queue holds the waiters that have joined and not left, in order, and finds
// each by its number.
func TestWaitQueueHoldsItsWaitersInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var queue WaitQueue[uint32]
		var there []uint32
		last := uint32(0)
		for range rapid.IntRange(0, 200).Draw(t, "changes") {
			if n := len(there); n > 0 && rapid.IntRange(0, 2).Draw(t, "leaves") == 0 {
				at := rapid.IntRange(0, n-1).Draw(t, "leaving")
				queue.Leave(there[at])
				there = slices.Delete(there, at, at+1)
			} else {
				last += rapid.Uint32Range(1, 9).Draw(t, "step")
				queue.Join(last, last)
				there = append(there, last)
			}
			if queue.Len() != len(there) || len(there) > 0 && *queue.First() != there[0] {
				t.Fatalf("%d wait, want %v", queue.Len(), there)
			}
			for _, one := range there {
				golden.Equal(t, *queue.Waiter(one), one)
			}
			if rapid.Bool().Draw(t, "all") && !slices.Equal(queue.All(), there) {
				t.Fatalf("%v are there, want %v", queue.All(), there)
			}
		}
	})
}
