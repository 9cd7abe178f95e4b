package analysis

import (
	"testing"

	"contend/format"
)

// Thread 9 sleeps at one place, and each time thread 1 comes for the lock and
// waits until after it. Nobody waits when the sleep begins.
func TestOwnersWhoAreAtItBeforeAnybodyWaits(t *testing.T) {
	const sleep, waited = 1600, 600 // of the sleep
	for _, c := range []struct {
		name  string
		prev  [4]int   // whom each wait names as the last owner
		after [4]int64 // how long it goes on behind the sleep
		owns  bool
	}{
		{"named every time", [4]int{9, 9, 9, 9}, [4]int64{50, 50, 500, 500}, true},
		{"named more often than another", [4]int{9, 9, 9, 7}, [4]int64{50, 50, 50, 50}, true},
		{"named as often as another", [4]int{9, 7, 9, 7}, [4]int64{50, 50, 50, 50}, false},
		{"nobody named, acquired right after", [4]int{}, [4]int64{50, 50, 50, 50}, true},
		{"nobody named, mostly right after", [4]int{}, [4]int64{50, 50, 50, 500}, true},
		{"nobody named, too often much later", [4]int{}, [4]int64{50, 50, 500, 500}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			events := []format.Event{{Kind: format.KindStack, Stack: 5, Frames: []format.Frame{{Class: "app.Place", Method: "sleep"}}},
				after(9, 1, 100_000, 100_010, 1)} // it uses the lock
			for i := range c.prev {
				at := int64(10_000 * (i + 1))
				wait := after(1, 1, at+sleep-waited, at+sleep+c.after[i], c.prev[i])
				events = append(events, sleeps(9, 5, at, at+sleep), wait)
			}
			s, _ := run(t, events, open)
			if inferred := s.direct["t9"] >= 4*waited; inferred != c.owns {
				t.Errorf("thread 9 caused %d ns, of %d it slept: %v", s.direct["t9"], 4*waited, s.direct)
			}
		})
	}
}

// Thread 9 sleeps inside and elsewhere, and the recorder took no stacks: what
// is elsewhere overlaps an acquisition by thread 1.
func TestSleepsWithoutStacksSpeakForThemselves(t *testing.T) {
	const sleep, waited = 1600, 600
	var events []format.Event
	for i := range 4 {
		at := int64(10_000 * (i + 1))
		events = append(events, sleeps(9, 5, at, at+sleep), after(1, 1, at+sleep-waited, at+sleep+50, 9),
			sleeps(9, 5, at+5000, at+5000+sleep), after(1, 1, at+5000, at+5000+200, 7))
	}
	s, _ := run(t, events, open)
	if s.direct["t9"] < 4*waited || s.direct["t9"] > 4*(waited+50) || s.direct["handoff"] > 0 {
		t.Errorf("thread 9 slept inside for %d ns of the waiting: %v", 4*waited, s.direct)
	}
}

// Thread 9 notifies others at one place, now of monitor 1 and now of monitor 2, and
// never waits for either. What it does to the other one is outside.
func TestWhoNotifiesHasThatMonitor(t *testing.T) {
	const waited, notifying = 1000, 300
	events := []format.Event{{Kind: format.KindStack, Stack: 5, Frames: []format.Frame{{Class: "app.Place", Method: "put"}}}}
	for i := range 6 {
		at, lock := int64(10_000*(i+1)), 1+i%2
		events = append(events, after(1, 1, at, at+waited, 7), after(2, 2, at, at+waited, 8),
			format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Thread: 9, Stack: 5, Object: format.ObjectID(lock), Time: at + 200, End: at + 200 + notifying},
			after(3, 3-lock, at, at+200+notifying/2, 6)) // gets the other one meanwhile
	}
	s, _ := run(t, events, open)
	if got := s.direct["t9"]; got < 6*notifying || got >= 12*notifying {
		t.Errorf("thread 9 notified for %d ns, each time while one waited, and caused %d ns: %v", 6*notifying, got, s.direct)
	}
}
