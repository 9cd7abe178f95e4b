package analysis

import (
	"testing"

	"contend/format"
)

// A long recording has many threads, of which few live at a time: those that ended free
// their place.
func TestThreadsThatEndedMakeRoom(t *testing.T) {
	r := newRecord()
	const threads = 50
	for i := range threads {
		at := int64(i+1) * 100
		for _, ev := range []format.Event{starts(i+1, at), waits(i+1, 1, at+10, at+20), acts(format.ActivitySleep, i+1, at+30, at+40), {Kind: format.KindThreadEnd, Thread: format.ThreadID(i + 1), Time: at + 50}} {
			r.add(&ev)
		}
	}
	r.activities = r.Arrange(func(format.ObjectID) format.LockKind { return format.KindMonitor })
	seen := r.observed(r.bounds())
	now := runners{r: r, defs: newDefinitions(), cut: seen[0].span}
	coming, _ := r.beginnings(newDefinitions(), seen)
	ran := int64(0)
	for _, thread := range coming {
		for now.begin(format.ThreadID(thread.ID), seen[0], r.parts[0].sight); len(now.due) > 0; {
			at, by := now.next()
			ran -= at * by
		}
	}
	if len(coming) != threads || len(now.all) != 1 {
		t.Errorf("%d threads, want %d; room for %d at a time, want 1", len(coming), threads, len(now.all))
	}
	if want := int64(threads * (50 - 10)); ran != want {
		t.Errorf("they ran for %d, want %d", ran, want)
	}
}
