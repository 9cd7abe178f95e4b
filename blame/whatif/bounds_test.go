package whatif

import (
	"testing"
	"time"

	"contend/analysis"
	"contend/format"
)

// A thread that is always in a section goes round and round at one instant when the
// section takes no time any more.
func TestRoundsThatTakeNoTimeEnd(t *testing.T) {
	steps := rounds(0, 10)
	steps[1].inside = 0
	r := one(lock{}, getting{}, program{steps: steps})
	r.length, r.change.section, r.change.keep = 1e6, []bool{true}, 0
	done := make(chan outcome, 1)
	go func() { done <- r.run() }()
	select {
	case out := <-done:
		if got := sum(&out.taken); got < mostRounds || got > mostRounds+10 {
			t.Errorf("%d taken, want about %d", got, mostRounds)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the replay does not end")
	}
}

// Where no thread is known to have taken a lock, nothing is predicted to change.
func TestNobodysTenuresTellNothing(t *testing.T) {
	for _, rebuilt := range []bool{false, true} {
		c := New()
		c.Begin(analysis.NewSymbols(&format.Event{Kind: format.KindObject, Object: 1, Class: "Shop"}), 0)
		c.Running(0, 1000, 1000)
		c.Tenure(&analysis.Hold{Lock: 1, Asked: 100, Start: 100, End: 900, Rebuilt: rebuilt})
		c.waitNs = 300
		res, err := c.Predict([]Change{{Kind: RemoveLock, Class: "Shop"}})
		if err != nil {
			t.Fatal(err)
		}
		if r := res.Rows[0]; !r.Throughput.holds(1) || r.Throughput.High > 2 || !r.WaitNs.holds(300) || r.Locks {
			t.Errorf("rebuilt %v: %+v", rebuilt, r)
		}
	}
}
