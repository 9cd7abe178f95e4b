package owners

import (
	"testing"

	"contend/format"
)

// A thread that is named as owner and never waits is inside at what it is sampled at
// nearly always, if that is never sampled together with a section: its work elsewhere
// is, by chance.
func TestThreadsThatNeverWaitAreInsideAtWhatTheyDo(t *testing.T) {
	for name, c := range map[string]struct {
		together, other int // samples: of it, half a millisecond after a section's; of its thread at something else
		waits           bool
		want            bool
	}{
		"nothing else":            {0, 0, false, true},
		"together with a section": {20, 0, false, false},
		"something else, too":     {0, 30, false, false},
		"its like wait elsewhere": {0, 0, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			frame := func(m string) []format.Frame {
				return []format.Frame{{Class: "C", Method: m}, {Class: "C", Method: "loop"}}
			}
			sym := stacked{stacks: [][]format.Frame{nil, frame("section"), frame("drain"), frame("other")}}
			r := NewRecord()
			run := func(at int64, thread, stack int) {
				r.Add(&format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Time: at, Thread: format.ThreadID(thread), Stack: format.StackID(stack)}, at)
			}
			for i := range 40 {
				at := int64(i) * 20e6
				run(at, 1, 1)
				if i < c.together {
					run(at+5e5, 9, 2)
				} else {
					run(at+10e6, 9, 2)
				}
				if i < c.other {
					run(at+15e6, 9, 3)
				}
			}
			ev := &evidence{Activities: r.Arrange(func(format.ObjectID) format.LockKind { return format.KindMonitor }), sym: sym}
			w := &witnesses{family: newFamily(sym, []format.StackID{1}, anySite), parts: map[uint64]*witness{}}
			w.add(w.family.of(1), 40, 1)
			w.add(w.family.of(2), 40, 2)
			k := &kin{input: ev.inputOfThread(1), witnesses: w, named: map[format.ThreadID]bool{9: true}, groups: map[uint32]int{0: 1}, waits: []bool{false, c.waits}}
			if ev.learnNamed(k); w.at(2).owns != c.want || w.is(w.at(2)) != c.want {
				t.Errorf("inside: %v, want %v", w.at(2).owns, c.want)
			}
		})
	}
}
