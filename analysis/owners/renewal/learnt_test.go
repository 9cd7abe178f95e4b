package renewal

import "testing"

// From what was learnt of the same gaps the same is learnt, whatever numbers the
// sites have.
func TestWhatWasLearntIsGoneOnFrom(t *testing.T) {
	p := program{holds: []float64{100, 400}, spread: 0.3, mix: []float64{0.5, 0.5}, wake: 30, barging: 0.3}
	gaps, _ := p.run(3000)
	first := Learn(&Data{Gaps: gaps}, 2, []Mix{{1, 2}})
	for i := range gaps {
		gaps[i].Site = 1 - gaps[i].Site
	}
	again := Learn(&Data{Gaps: gaps, Before: &Before{first.Learnt(), []int{1, 0}}}, 2, []Mix{{2, 1}})
	if again.Learnt() != nil {
		t.Fatal("it began with a first guess")
	}
	if d := max(again.hold[0].apart(&first.hold[1]), again.hold[1].apart(&first.hold[0]), again.wake.apart(&first.wake), again.barge-first.barge, first.barge-again.barge); d > 1e-9 {
		t.Errorf("%v is elsewhere", d)
	}
}

// Of locks that are not like those before the same is learnt as if nothing had been.
func TestWhatWasLearntOfOthersIsDropped(t *testing.T) {
	quick := program{holds: []float64{20, 50}, spread: 0.3, mix: []float64{0.5, 0.5}, wake: 200, barging: 0.1}
	slow := program{holds: []float64{100, 400}, spread: 0.3, mix: []float64{0.5, 0.5}, wake: 30, barging: 0.3}
	others, _ := quick.run(3000)
	gaps, _ := slow.run(3000)
	mixes := []Mix{{1, 1}}
	known := Learn(&Data{Gaps: others}, 2, mixes).Learnt()
	want := Learn(&Data{Gaps: gaps}, 2, mixes)
	got := Learn(&Data{Gaps: gaps, Before: &Before{known, []int{0, 1}}}, 2, mixes)
	if got.Learnt() == nil || got.hold[0] != want.hold[0] || got.hold[1] != want.hold[1] || got.wake != want.wake || got.barge != want.barge || got.again != want.again {
		t.Error("it is not what the gaps alone tell")
	}
}

// Sections a tenth longer are of locks that are like those before, sections three
// tenths longer are not: one round would not tell them.
func TestHowAlikeLocksAre(t *testing.T) {
	learnt := func(longer float64, before *Before) *Learnt {
		p := program{holds: []float64{100 * longer, 400 * longer}, spread: 0.3, mix: []float64{0.5, 0.5}, wake: 30, barging: 0.3}
		gaps, _ := p.run(3000)
		return Learn(&Data{Gaps: gaps, Before: before}, 2, []Mix{{1, 1}}).Learnt()
	}
	before := &Before{learnt(1, nil), []int{0, 1}}
	if learnt(1.1, before) != nil {
		t.Error("a tenth longer: from a first guess")
	}
	if learnt(1.3, before) == nil {
		t.Error("three tenths longer: from what was learnt before")
	}
}
