package waits

import (
	"testing"

	"contend/analysis"
	"contend/format"
)

// Of a long queue all waits that overlap what is collected are there, from their begin to
// their end, and no more arrows than a few for each wait and each hold.
func TestLongQueues(t *testing.T) {
	const waiters = 500
	list := format.List{Events: []format.Event{{Kind: format.KindObject, Object: 1, Class: "Lock", LockKind: format.KindMonitor}}}
	for i := range int64(waiters) { // wait i ends and its thread has the lock until the next one ends
		list.Events = append(list.Events,
			format.Event{Kind: format.KindWait, Thread: format.ThreadID(i + 1), Object: 1, Time: i, End: 1000 + 10*i},
			format.Event{Kind: format.KindTenure, Thread: format.ThreadID(i + 1), Object: 1, Time: 1000 + 10*i, End: 1010 + 10*i})
	}
	for _, window := range []struct{ from, to, waits int64 }{{0, 10_000, waiters}, {1002, 1005, waiters - 1}, {3002, 3005, waiters - 201}, {7000, 8000, 0}} {
		l := NewLanes(window.from, window.to, false)
		if _, err := analysis.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, l); err != nil {
			t.Fatal(err)
		}
		list.Rewind()
		l.Finish()
		waits := int64(0)
		for _, s := range l.Spans {
			if s.What != Waits {
				continue
			}
			waits++
			if i := int64(s.Thread) - 1; s.Start != i || s.End != 1000+10*i {
				t.Errorf("from %d to %d: wait %d from %d to %d", window.from, window.to, i, s.Start, s.End)
			}
		}
		if waits != window.waits || len(l.Arrows) > 40*waiters {
			t.Errorf("from %d to %d: %d waits, want %d; %d arrows", window.from, window.to, waits, window.waits, len(l.Arrows))
		}
	}
}
