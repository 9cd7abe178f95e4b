package blame

import (
	"testing"

	"contend/analysis"
	"contend/format"

	"pgregory.net/rapid"
)

// A wait counts once in each row, however many rows it is charged to in turn.
func TestWaitsCountOnceInEachRow(t *testing.T) {
	type met struct {
		thread format.ThreadID
		row    int
	}
	rapid.Check(t, func(t *rapid.T) {
		var c waitCounter
		seen := map[met]bool{}
		began := map[format.ThreadID]bool{}
		rows := rapid.SampledFrom([]int{2, 64, 200}).Draw(t, "rows")
		for range rapid.IntRange(1, 300).Draw(t, "slices") {
			w := analysis.Waiter{Thread: format.ThreadID(rapid.IntRange(0, 2).Draw(t, "thread")), First: rapid.IntRange(0, 50).Draw(t, "first") == 0}
			if w.First {
				began[w.Thread] = true
				for row := range rows {
					delete(seen, met{w.Thread, row})
				}
			}
			c.Begin([]analysis.Waiter{w})
			at := met{w.Thread, rapid.IntRange(0, rows-1).Draw(t, "row")}
			if got, want := c.IsNew(at.row, at.thread), began[w.Thread] && !seen[at]; got != want {
				t.Fatalf("row %d of thread %d is new: %v, want %v", at.row, at.thread, got, want)
			}
			seen[at] = true
		}
	})
}
