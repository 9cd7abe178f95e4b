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
