package csp

import (
	"fmt"
	"testing"

	"contend/analysis"
)

// A phase names some five owners, the largest.
func TestHowManyCausesAPhaseNames(t *testing.T) {
	for owners, all := range map[int]bool{4: true, 8: false} {
		sums := map[string]int64{}
		for i := range owners {
			sums[fmt.Sprint(i)] = int64(i)
		}
		got := largestCauses(sums)
		if (len(got) == owners) != all || got[0].WaitNs != int64(owners-1) {
			t.Errorf("of %d: %v", owners, got)
		}
	}
}

// waited adds a wait of some nanoseconds in the interval of 100 ns that begins at from,
// in which one thread runs.
func waited(m *Meter, from, ns int64) {
	m.Running(from, from+100, 100)
	m.Slice(&analysis.Slice{Start: from, End: from + ns, Lock: 1, Waiters: []analysis.Waiter{{Thread: 4, First: true}},
		Shares: []analysis.Share{{Ns: ns, Direct: ann, Root: ann, Hops: 1}}})
}

// A phase begins with a pressure of a twentieth, if nothing else is asked for.
func TestWhereAPhaseBegins(t *testing.T) {
	for ns, want := range map[int64]int{4: 0, 6: 1} {
		m := meter(Options{IntervalNs: 100}, 0)
		waited(m, 0, ns)
		if got := len(series(t, m).Phases); got != want {
			t.Errorf("%d %% of an interval: %d phases", ns, got)
		}
	}
}

// The series has a million intervals at most, and where phases alone are wanted, a
// quarter of that.
func TestHowManyIntervalsThereAre(t *testing.T) {
	for _, c := range []struct {
		phases bool
		at     int64
		told   bool
	}{{false, 1e6, true}, {false, 1.1e6, false}, {true, 2e5, true}, {true, 3e5, false}} {
		m := meter(Options{IntervalNs: 100, Phases: c.phases}, 0)
		waited(m, c.at*100, 50)
		if _, err := m.Series(); (err == nil) != c.told {
			t.Errorf("the interval %d, phases alone %v: %v", c.at, c.phases, err)
		}
	}
}

// Two thousand pressures of a sampled trace have intervals of confidence, those of
// phases first.
func TestHowManyPressuresHaveAnInterval(t *testing.T) {
	m := meter(Options{IntervalNs: 100, Threshold: 2}, 0)
	m.Ticks(1, 1)
	for i := range int64(40) {
		waited(m, i*100, 50)
	}
	s := series(t, m)
	s.halves = nil
	if m.addIntervals(s, 1980); !s.Sampled || len(s.halves) != 20 {
		t.Errorf("behind 1980 phases %d of 40 pressures have one, want 20", len(s.halves))
	}
}
