package model

import (
	"math"
	"testing"

	"contend/format"
)

// What was learned from a recording of a program holds for the next one, unless that has a site more.
func TestLearningIsSharedByRecordings(t *testing.T) {
	fit := func(p *simulated, known *Learned) (*Group, *Lock) {
		l := &Lock{ID: theLock}
		return Fit(p, format.KindMonitor, []*Lock{l}, known), l
	}
	var known Learned
	for seed := uint64(20); known.gaps < someGaps; seed++ {
		gr, _ := fit(several(seed, 1200), &known)
		if gr.Learned().gaps == 0 {
			t.Fatalf("%d gaps are too few to share", known.gaps)
		}
		known.Merge(gr.Learned())
	}
	p := several(11, 1500)
	alone, l := fit(p, nil)
	want, _ := p.placedShares(alone, l)
	gr, l := fit(p, &known)
	if gr.Learned().gaps > 0 {
		t.Error("it learns again")
	}
	got, _ := p.placedShares(gr, l)
	for s := range want {
		if math.Abs(got[s]-want[s]) > 0.03 {
			t.Errorf("stack %d has %.3f of the waiting, %.3f by its recording alone", s, got[s], want[s])
		}
	}
	other := &simulated{}
	fast, more := other.stack("fast", "run"), other.stack("more", "run")
	other.simulate(1, 600, []user{
		{stack: fast, holds: 20_000, pauses: 30_000},
		{stack: fast, holds: 20_000, pauses: 30_000},
		{stack: more, holds: 300_000, pauses: 90_000},
	})
	if gr, _ := fit(other, &known); gr.Learned().gaps == 0 {
		t.Error("nothing is learned of a site that no recording had before")
	}
}
