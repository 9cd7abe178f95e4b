package analysis

import (
	"testing"

	"contend/format"
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
		if _, err := Run(&format.List{Events: barged(samples)}, open, s); err != nil {
			t.Fatal(err)
		}
		return float64(s.by[3]) / float64(s.total)
	}
	if without, with := share(false), share(true); without != 0 || with < 0.6 || with > 0.95 {
		t.Errorf("audit has %.2f of the waiting without samples, want none, and %.2f with, want about 0.8", without, with)
	}
}

// A few samples say too little to judge what is claimed of others.
func TestFewSamplesTellOfTheirOwnStretches(t *testing.T) {
	events := barged(true)
	for i := len(events) - 1; i >= 0 && len(events) > 254; i-- {
		if events[i].Kind == format.KindContention {
			events = append(events[:i], events[i+1:]...)
		}
	}
	s := &byStack{by: map[format.StackID]int64{}}
	if _, err := Run(&format.List{Events: events}, open, s); err != nil {
		t.Fatal(err)
	}
	if share := float64(s.by[3]) / float64(s.total); share == 0 || share > 0.1 {
		t.Errorf("audit has %.2f of the waiting by ten samples of 240 stretches", share)
	}
}

// seldom is a lock of which two threads have to wait for each other, n times for so long, and
// now and then for so much longer, while one has it that never waits: six of these sixteen
// stretches are sampled.
func seldom(n int, short, long int64) []format.Event {
	events := []format.Event{kind(1, format.KindSynchronizer), stack(1, "use", "loop"), stack(2, "use", "other"), stack(3, "reload", "loop")}
	at := int64(ms)
	for i := range 16 {
		for k := range n {
			events = append(events, after(1+k%2, 1, at, at+short+int64(k%7)*short/4, 0))
			at += 6 * short
		}
		asked, got := at+200e3, at+long
		events = append(events, after(1, 1, asked, got, 0), after(2, 1, asked+150e3, got+80e3, 0))
		if i%3 == 0 {
			events = append(events, dump(at+long/2+int64(i)*100e3, 1, 3, 3, 1, 2))
		}
		at = got + ms
	}
	return events
}

// What samples show of few gaps that are far longer than all others holds for those of them,
// too, into which none fell, however few samples there are: no model knows who has a lock
// seldom and for long, and never waits. Where others are nearly as long, or the long ones are
// not few, it tells of its own stretches.
func TestFewSamplesTellOfStretchesThatStandOut(t *testing.T) {
	for _, c := range []struct {
		name     string
		each     int
		short    int64
		from, to float64
	}{{"they do", 60, 60e3, 0.7, 1}, {"others are nearly as long", 20, 500e3, 0, 0.35}, {"they are not few", 6, 60e3, 0, 0.6}} {
		s := &byStack{by: map[format.StackID]int64{}}
		if _, err := Run(&format.List{Events: seldom(c.each, c.short, 15*ms)}, open, s); err != nil {
			t.Fatal(err)
		}
		if share := float64(s.by[3]) / float64(s.total); share < c.from || share > c.to {
			t.Errorf("%s: reload has %.2f of the waiting, want %.2f to %.2f: %v", c.name, share, c.from, c.to, s.by)
		}
	}
}
