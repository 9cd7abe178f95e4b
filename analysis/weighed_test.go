package analysis

import (
	"testing"

	"contend/format"
	"contend/golden"
)

// barged is a lock two threads wait for in turns, each of which has it for a
// millisecond. A third one then takes it for eight, and never waits: only samples,
// which fall into one gap of five, show it.
func barged(samples bool) []format.Event {
	events := []format.Event{kind(1, format.KindSynchronizer), stack(1, "use", "loop"), stack(2, "use", "other"), stack(3, "audit", "loop")}
	var dumps []format.Event
	for i := 1; i <= 240; i++ {
		at, thread := int64(i)*10*ms, 1+i%2
		events = append(events, after(thread, 1, at-9*ms-900e3, at, 0))
		if in := int64(i) * 613 % 9900 * 1e3; i%5 == 0 {
			owner := 3
			if in < 1*ms {
				owner = thread
			}
			dumps = append(dumps, dump(at+in, 1, owner, owner, 3-thread))
		}
	}
	if !samples {
		return events
	}
	return append(events, dumps...)
}

// What samples show of stretches that are claimed alike holds for those, too,
// into which none fell.
func TestSamplesTellOfStretchesLikeTheirs(t *testing.T) {
	share := func(samples bool) float64 {
		s := &byStack{by: map[format.StackID]int64{}}
		golden.Must(Run(&format.List{Events: barged(samples)}, open, s))(t)
		return float64(s.by[3]) / float64(s.total)
	}
	if without, with := share(false), share(true); without != 0 || with < 0.6 || with > 0.95 {
		t.Errorf("audit has %.2f of the waiting without samples, want none, and %.2f with, want about 0.8", without, with)
	}
}
