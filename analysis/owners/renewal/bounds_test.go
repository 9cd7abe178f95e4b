package renewal

import (
	"math"
	"testing"
)

func about(got, want float64) bool { return math.Abs(got-want) <= 0.15*want }

// Before anything is known the lock is supposed to be free for nine tenths of
// what follows first sections: who comes when that is as likely over as not met
// the first section ten times in eleven.
func TestArrivalsAreSupposedToMeetTheFirstSection(t *testing.T) {
	var a arrivals
	a.shortest([]float64{1e3}, 100)
	a.came = [][]uint8{{2}}
	var seen census
	a.meet(&seen, 0, []float64{0, 0, 1}, 1)
	if odds := seen.first / seen.rest; !about(odds, 10) || a.short[0] != 10 {
		t.Errorf("odds of %.2f that it was the first section, want 10", odds)
	}
}

// one is a model of one call site with sections of 10 cells.
func one() *Model {
	m := &Model{sites: 1, mixes: []Mix{{1}}, hold: make([]lattice, 1), again: 0.5}
	m.hold[0][10] = 1
	return m
}

// Nothing is certain because of some arrivals: the lock is held for a hundredth
// of the rests although all came in first sections, and free for a tenth
// although most came afterwards.
func TestArrivalsLeaveSomeDoubt(t *testing.T) {
	for _, c := range []struct{ first, rest, want float64 }{{10, 0, 0.01}, {10, 1000, 0.9}} {
		a := arrivals{short: []float64{0}, recorded: 1, held: 0.3}
		seen := census{gaps: 1000, all: 200e3, firsts: 100e3, first: c.first, rest: c.rest}
		if _, ok := a.sections(one(), &seen); !ok || !about(a.held/(1-a.held), c.want/(1-c.want)) {
			t.Errorf("%.0f came first, %.0f later: held %.4f, want %.3f", c.first, c.rest, a.held, c.want)
		}
	}
}

// No chance is nought or one because a lock's gaps show none of it: one in fifty
// is left, and of others that take the free lock one in twenty.
func TestChancesAreBounded(t *testing.T) {
	a := arrivals{}
	for _, c := range []struct{ sections, again, barge, wantAgain float64 }{{0, 0, 0.02, 0.02}, {1e6, 1000, 0.95, 0.98}} {
		seen := census{gaps: 1000, told: 1000, again: c.again, other: 1000 - c.again, sections: c.sections}
		barge, again := a.barging(one(), &seen)
		if !about(barge/(1-barge), c.barge/(1-c.barge)) || !about(again/(1-again), c.wantAgain/(1-c.wantAgain)) {
			t.Errorf("%+v: barging %.3f, again %.3f", c, barge, again)
		}
	}
}
