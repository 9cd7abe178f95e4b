package renewal

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ends draws how long it is from what was seen last inside until a waiter has the lock: the
// rest of the section, and the time a woken thread takes.
func ends(r *rand.Rand, n int, rest, wake float64) (lengths []int64, own, all float64) {
	for range n {
		w := wake * r.ExpFloat64()
		lengths = append(lengths, int64(rest+w))
		own, all = own+rest, all+rest+w
	}
	return lengths, own, all
}

// shortAndLong learns a lock with sections of 5 us and others of 200.
func shortAndLong(r *rand.Rand, wake float64) *Model {
	var gaps []Gap
	for i := range 2000 {
		gaps = append(gaps, Gap{Site: i % 2, Length: int64(5e3+195e3*float64(i%2)) + int64(wake*r.ExpFloat64())})
	}
	return Learn(&Data{Gaps: gaps, Recorded: 1}, 2, []Mix{{1, 1}})
}

// Sections that end with what is seen of them last, and such that go on: how long the
// stretches behind it are tells them apart, in the cells and beyond.
func TestHowLongSectionsGoOn(t *testing.T) {
	const wake = 40e3
	r := rand.New(rand.NewPCG(1, 1))
	m := shortAndLong(r, wake)
	for rest, off := range map[float64]float64{0: 0.6, 100e3: 0.2, 3e6: 0.02} { // the model takes part of what a woken thread takes for sections
		r := rand.New(rand.NewPCG(1, uint64(rest))) // whichever comes first
		lengths, own, all := ends(r, 300, rest, wake)
		l, got := m.Leaving(lengths), 0.0
		for _, ns := range lengths {
			of, known := l.Share(ns)
			if want := 300. / 305; known != 0 && math.Abs(known-want) > 1e-9 {
				t.Fatalf("known %.3f, want %.3f", known, want)
			}
			got += of.Part * float64(ns)
		}
		if math.Abs(got-own)/all > off {
			t.Errorf("sections that go on for %v: %.2f of the time is theirs, want %.2f", rest, got/all, own/all)
		}
	}
	few, _, _ := ends(r, Trust-1, 100e3, wake)
	if of, known := m.Leaving(few).Share(100e3); of.Part != 0 || known != 0 {
		t.Errorf("%d tell nothing, not %.2f, %.2f", Trust-1, of.Part, known)
	}
}

// One stretch that is longer than all is a section's as far as what comes next takes less
// time than its rest: many are sections that last so long by themselves.
func TestALongStretchIsAsLikelyWhatHaltsInIt(t *testing.T) {
	const wake = 40e3
	r := rand.New(rand.NewPCG(2, 1))
	m := shortAndLong(r, wake)
	for _, c := range []struct {
		rest        float64
		long        int
		least, most float64
	}{{2e3, 1, 0.2, 0.6}, {400e3, 1, 0.8, 0.97}, {2e3, 40, 0.95, 1}} {
		lengths, _, _ := ends(r, 300, c.rest, wake)
		for range c.long {
			lengths = append(lengths, 90e6)
		}
		of, _ := m.Leaving(lengths).Share(90e6)
		if of.Part < c.least || of.Part > c.most {
			t.Errorf("%d of 90 ms where sections go on for %v: %.3f theirs, want %.2f to %.2f", c.long, c.rest, of.Part, c.least, c.most)
		}
		if of.SureOwn != of.Part {
			t.Errorf("all of it is one or the other: %+v", of)
		}
	}
}
