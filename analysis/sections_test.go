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
			events := []format.Event{after(9, 1, 100_000, 100_010, 1)} // it uses the lock
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
