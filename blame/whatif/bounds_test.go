package whatif

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

// A thread that is always in a section goes round and round at one instant when the
// section takes no time any more.
func TestRoundsThatTakeNoTimeEnd(t *testing.T) {
	steps := rounds(0, 10)
	steps[1].inside = 0
	r := one(lock{}, getting{}, program{steps: steps})
	r.length, r.change.section, r.change.keep = 1e6, []bool{true}, 0
	out := r.run() // ends, or go test ends it
	if got := sum(&out.taken); got < mostRounds || got > mostRounds+10 {
		t.Errorf("%d taken, want about %d", got, mostRounds)
	}
}

// Where no thread is known to have taken a lock, nothing is predicted to change.
func TestNobodysTenuresTellNothing(t *testing.T) {
	for _, rebuilt := range []bool{false, true} {
		c := New()
		c.Begin(analysis.NewSymbols(&format.Event{Kind: format.KindObject, Object: 1, Class: "Shop"}), 0)
		c.Running(0, 1000, 1000)
		c.Held(&analysis.Hold{Lock: 1, Asked: 100, Start: 100, End: 900, Rebuilt: rebuilt})
		c.waitNs = 300
		res := golden.Must(c.Predict([]Change{{Kind: RemoveLock, Class: "Shop"}}))(t)
		if r := res.Rows[0]; !r.Throughput.holds(1) || r.Throughput.High > 2 || !r.WaitNs.holds(300) || r.Locks {
			t.Errorf("rebuilt %v: %+v", rebuilt, r)
		}
	}
}

// Where only bounds are known, nobody waits for less than nothing, and several
// sections together may bring what one of them may.
func TestBoundsOfSeveralSections(t *testing.T) {
	c, _, _ := collected(t, simulate.Config{Scenario: "nested", Duration: 2e9, Seed: 1}, sampled)
	for _, by := range []float64{.5, 1} {
		all := golden.Must(c.Predict([]Change{{Kind: Shrink, Section: "*", By: by}}))(t)
		best := 1.0
		for _, s := range c.Sections() {
			one := golden.Must(c.Predict([]Change{{Kind: Shrink, Section: s.Method, By: by}}))(t)
			best = max(best, one.Rows[0].Throughput.High)
		}
		r := all.Rows[0]
		if r.WaitNs.Low < 0 || r.Throughput.High < best {
			t.Errorf("by %v: %+v, want a throughput of at least %.3f at most", by, r, best)
		}
	}
}
