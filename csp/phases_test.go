package csp

import (
	"slices"
	"testing"

	"contend/analysis"
	"contend/format"
)

// The largest phases are the first of all of them, and no sum depends on how
// many are asked for.
func TestTheLargestPhasesAreTheFirstOfAll(t *testing.T) {
	const phases = 12_000 // so many that those of no rank are dropped again and again
	fill := func(top int) *Series {
		m := meter(Options{IntervalNs: 100, Top: top}, 0)
		m.Ticks(1, 100)
		for i := range int64(phases) {
			at, ns := i*200, 10+i*7919%90 // every other interval: a phase each
			m.Running(at, at+200, 400)
			m.Slice(&analysis.Slice{Start: at, End: at + ns, Lock: 1 + format.ObjectID(i%2), Waiters: []analysis.Waiter{{Thread: 4, First: true}},
				Shares: []analysis.Share{{Ns: ns, Direct: ann, Root: ann, Hops: 1}}})
		}
		return series(t, m)
	}
	all := fill(0)
	if len(all.Phases) != phases {
		t.Fatalf("%d phases", len(all.Phases))
	}
	for _, top := range []int{1, 10, 5000} {
		s := fill(top)
		if len(s.Phases) != top {
			t.Fatalf("%d phases, want %d", len(s.Phases), top)
		}
		for i := range s.Phases {
			got, want := s.Phases[i], all.Phases[i]
			if got.stretch != want.stretch || !slices.Equal(got.Causes, want.Causes) || (got.PlusMinus == nil) != (want.PlusMinus == nil) {
				t.Fatalf("phase %d of %d: %+v, want %+v", i, top, got, want)
			}
		}
	}
}
