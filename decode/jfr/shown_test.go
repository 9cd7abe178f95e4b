package jfr

import (
	"bytes"
	"reflect"
	"testing"

	"contend/format"
	"contend/golden"
)

// A sample gets the time at which the threads stood still for it: the JVM's own
// word, where that is recorded, since whoever asked may have waited long.
func TestSamplesGetTheTimeOfTheirStop(t *testing.T) {
	s := shown{stops: []int64{10e6, 60e6, 175e6}}
	for asked, want := range map[int64]int64{
		10e6 + 300e3: 10e6, // the clocks differ a little
		45e6:         60e6,
		62e6:         175e6,
		180e6:        180e6, // not recorded
	} {
		if at := s.stopped(asked); at != want {
			t.Errorf("asked at %d: %d, want %d", asked, at, want)
		}
	}
	if at := (&shown{stops: []int64{5e9}}).stopped(1e9); at != 1e9 {
		t.Errorf("a stop seconds later was taken for that of the sample: %d", at)
	}
}

// A thread that an agent shows running has its id and its stack in the recording, and the time
// of the stop; in native code it may as well wait.
func TestThreadsAreShownRunning(t *testing.T) {
	r := golden.Must(NewReader(bytes.NewReader(load(t, ours+"/hsqldb-6clients.jfr")), "test.jfr", Options{Shown: true}))(t)
	r.shown.stops = []int64{60e6}
	for _, ev := range []format.Event{
		{Kind: format.KindThread, Thread: 7, Name: "worker"},
		{Kind: format.KindStack, Stack: 1, Frames: []format.Frame{{Class: "A", Method: "compute", Line: 5}}},
		{Kind: format.KindStack, Stack: 2, Frames: []format.Frame{{Class: "A", Method: "read", Line: -1}, {Class: "A", Method: "serve", Line: 5}}},
		{Kind: format.KindActivity, Activity: format.ActivityRunnable, Thread: 7, Stack: 2, Time: 59e6, End: 59e6},
		{Kind: format.KindActivity, Activity: format.ActivityRunnable, Thread: 7, Stack: 1, Time: 59e6, End: 59e6},
	} {
		r.Show(&ev)
	}
	var got []format.Event
	for ev := (format.Event{}); r.Next(&ev); {
		if ev.Kind == format.KindActivity {
			got = append(got, ev)
		}
	}
	want := format.Event{Kind: format.KindActivity, Activity: format.ActivityRunnable, Thread: r.ids.byJava[7], Stack: r.shown.stacks[1], Time: 60e6, End: 60e6}
	if len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("shown: %+v, want %+v", got, want)
	}
}
