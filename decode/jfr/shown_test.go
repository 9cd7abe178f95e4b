package jfr

import "testing"

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
