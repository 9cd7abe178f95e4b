package waits

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// The bound of activities counts nothing else: in a busy window, too, as many are kept.
func TestActivitiesAreBoundedByTheirNumber(t *testing.T) {
	const holds, bound = 10, 3
	l := NewLanes(0, 1000, bound)
	for i := range int64(holds) {
		l.Held(&analysis.Hold{Thread: 1, Lock: 1, Start: 10 * i, End: 10*i + 5})
	}
	for i := range int64(2 * bound) {
		l.Activity(
			&format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Thread: 2, Time: i, End: i},
			nil,
		)
	}
	l.Finish()
	kept := map[State]int{}
	for i := range l.Spans {
		kept[l.Spans[i].State]++
	}
	golden.Equal(t, kept[Holding], holds)
	golden.Equal(t, kept[Acting], bound)
}

// A wait that begins after the window is not drawn, and extends no earlier wait of its thread over the time
// in which the thread held the lock.
func TestWaitsAfterTheWindowExtendNothing(t *testing.T) {
	l := NewLanes(0, 100, 0)
	for _, c := range []struct {
		start, end int64
		first      bool
	}{{10, 20, true}, {150, 160, true}, {160, 170, false}, {170, 180, false}} {
		l.Slice(&analysis.Slice{
			Lock:    1,
			Start:   c.start,
			End:     c.end,
			Waiters: []analysis.Waiter{{Thread: 1, First: c.first}},
		})
	}
	l.Finish()
	golden.Equal(t, len(l.Spans), 1)
	golden.Equal(t, [2]int64{l.Spans[0].Start, l.Spans[0].End}, [2]int64{10, 20})
}
