package owners

import (
	"math"
	"testing"

	"contend/format"
)

// Samples in a stretch show whose section it was that others had, and not when: a claim to so
// much of the stretch is right as often as somebody has the lock then.
func TestWhenOthersHadItSamplesDoNotTell(t *testing.T) {
	sym := stacked{stacks: [][]format.Frame{nil, {{Class: "C", Method: "section"}, {Class: "C", Method: "loop"}}}}
	r := NewRecord()
	r.Add(&format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Time: 500, Thread: 2, Stack: 1}, 500)
	ev := &evidence{Activities: r.Arrange(func(format.ObjectID) format.LockKind { return format.KindMonitor }), sym: sym}
	w := &witnesses{family: newFamily(sym, []format.StackID{1}, anySite), parts: map[uint64]*witness{}}
	w.add(w.family.of(1), 1, 1)
	for others, want := range map[int64]float64{1000: 0.95, 400: 0.38} {
		b := &builder{charging: &charging{}, ev: ev, known: 1, seen: 1, s: &section{busy: []span{{0, 1000}}}, kin: &kin{input: ev.inputOfThread(2), locks: 1, witnesses: w},
			waiterCounts: waiterCounts{starts: sums{0, 0}, ends: sums{0, 1000}, at: minTime}, runBefore: maxTime, runAfter: minTime}
		g := &gap{lo: 0, hi: 1000}
		b.rest(g, 0, []int64{others}, format.NoThread, 1, &b.pools[restWhole])
		if got := b.trust[Estimated].Right / float64(others); math.Abs(got-want) > 0.01 || len(b.out) == 0 || b.out[0].Holder.Stack != 1 {
			t.Errorf("%d of 1000: %.2f is expected to be right, want %.2f: %+v", others, got, want, b.out)
		}
	}
}
