package owners

import (
	"testing"
	"time"

	"contend/format"
)

// manyLocks is a trace in which each of many threads waits for a lock that it
// shares with its neighbour, and sleeps meanwhile or behind.
func manyLocks(locks int, site func(l int) format.StackID) *Record {
	r := NewRecord()
	add := func(ev format.Event) { r.Add(&ev, ev.End) }
	add(format.Event{Kind: format.KindRecording, Time: 0, End: int64(locks) * 1000})
	for l := 1; l <= locks; l++ {
		at := int64(l) * 100
		for k := range int64(3) {
			owner, waiter := format.ThreadID(l), format.ThreadID(l%locks+1)
			add(format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: owner, Stack: site(l), Time: at + 10*k, End: at + 10*k + 7})
			add(format.Event{Kind: format.KindWait, Thread: waiter, Owner: owner, Object: format.ObjectID(l), Stack: 2, Time: at + 10*k + 1, End: at + 10*k + 8})
		}
	}
	return r
}

func TestScale(t *testing.T) {
	for name, site := range map[string]func(int) format.StackID{"one site": func(int) format.StackID { return 1 }, "own sites": func(l int) format.StackID { return format.StackID(l + 2) }, "bare": func(int) format.StackID { return 0 }} {
		for _, n := range []int{1000, 2000, 4000} {
			if name != "one site" {
				n *= 10
			}
			r := manyLocks(n, site)
			began := time.Now()
			_, done := r.Arrange(monitors{}.Kind).Timelines(monitors{})
			done()
			t.Log(name, n, time.Since(began))
		}
	}
}
