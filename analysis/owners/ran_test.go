package owners

import (
	"testing"

	"contend/format"
)

// Samples in the method that takes a lock show until when somebody had it, and its first
// owner; where two threads are sampled there at a time they show nothing.
func TestSamplesShowUntilWhenALockWasHeld(t *testing.T) {
	frame := func(m string) []format.Frame {
		return []format.Frame{{Class: "C", Method: m}, {Class: "C", Method: "loop"}}
	}
	sym := stacked{stacks: [][]format.Frame{nil, frame("section"), frame("other")}}
	for name, c := range map[string]struct {
		threads   []int // sampled in the section one after the other, two milliseconds apart
		both      bool  // another thread always is, too
		locks     int
		last, own int64
	}{
		"its first owner":         {[]int{1, 1}, false, 1, 4e6, 4e6},
		"another one after it":    {[]int{1, 2, 2}, false, 1, 6e6, 2e6},
		"it again, after another": {[]int{1, 2, 1}, false, 1, 6e6, 2e6},
		"two at a time":           {[]int{1, 1}, true, 1, 0, 0},
		"one of several locks":    {[]int{1, 1}, false, 2, 0, 0},
	} {
		r, samples := NewRecord(), 0
		run := func(at int64, thread, stack int) {
			samples++
			r.Add(&format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Time: at, Thread: format.ThreadID(thread), Stack: format.StackID(stack)}, at)
		}
		for i := range 40 {
			at := int64(i) * 100e6
			for n, thread := range c.threads {
				run(at+int64(n+1)*2e6, thread, 1)
				if c.both {
					run(at+int64(n+1)*2e6+1e5, 9, 1)
				}
			}
			run(at+50e6, 7, 2)
		}
		ev := &evidence{Activities: r.Arrange(func(format.ObjectID) format.LockKind { return format.KindMonitor }), sym: sym}
		w := &witnesses{family: newFamily(sym, []format.StackID{1}, anySite), parts: map[uint64]*witness{}}
		w.add(w.family.of(1), samples-40, 1)
		w.add(w.family.of(2), 40, 2)
		b := &builder{ev: ev, s: &section{lock: 1}, kin: &kin{input: ev.inputOfThread(1), witnesses: w, locks: c.locks}, runBefore: maxTime, runAfter: minTime}
		ev.learnRan(b.kin)
		if last, own := b.ran(1000e6, 1040e6, anchor{thread: 1, stack: 1}); last != c.last || own != c.own {
			t.Errorf("%s: somebody until %d, its first owner until %d; want %d, %d", name, last, own, c.last, c.own)
		}
	}
}
