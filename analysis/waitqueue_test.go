package analysis

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A wait queue holds the waiters that have joined and not left, in order, and finds those
// that joined after a number.
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
			behind := rapid.Uint32Range(0, last).Draw(t, "behind")
			var want, got []uint32
			for _, one := range slices.Backward(there) {
				if one > behind {
					want = append(want, one)
				}
			}
			for number, one := range queue.Behind(behind) {
				if got = append(got, one); number != one || *queue.Of(number) != one {
					t.Fatalf("%d has the number %d", one, number)
				}
			}
			if !slices.Equal(got, want) || queue.Len() != len(there) || len(there) > 0 && *queue.First() != there[0] {
				t.Fatalf("behind %d come %v of %d, want %v of %d", behind, got, queue.Len(), want, len(there))
			}
			if rapid.Bool().Draw(t, "all") && !slices.Equal(queue.All(), there) {
				t.Fatalf("%v are there, want %v", queue.All(), there)
			}
		}
	})
}
