package owners

import (
	"testing"

	"contend/format"
)

// Of many inputs each is searched for threads that hang in what is its own: all that was
// recorded before, once more for each of them, took most of the time of a long list.
func TestEachInputIsSearchedByItself(t *testing.T) {
	r := NewRecord()
	const inputs, each = 20, 1000
	looked := 0
	for in := range inputs {
		r.NextInput()
		for i := range each {
			at := int64(in*each + i)
			r.Add(&format.Event{Kind: format.KindWait, Thread: format.ThreadID(in + 1), Object: 1, Time: at, End: at + 1}, at+1)
		}
		found := false
		r.waits.EachSince(r.inputs[len(r.inputs)-1].before.waits, func(a *recorded) {
			looked++
			found = found || a.thread == format.ThreadID(in+1) && a.end == int64(in*each+each)
		})
		if !found {
			t.Errorf("input %d: its last wait is not found", in)
		}
	}
	if looked > 2*inputs*each {
		t.Errorf("%d waits were looked at of %d", looked, inputs*each)
	}
}

// Looking for threads that hang, where none does, neither packs what an input has
// recorded so far, which the next one would go on filling, nor takes what a thread of
// the same number did in an input before for its own.
func TestLookingForWhoHangsPacksNothing(t *testing.T) {
	const second = int64(1e9)
	alike := func(a, b format.ObjectID) bool { return true }
	r := NewRecord()
	dumps := func(at ...int64) {
		for _, at := range at {
			r.Add(&format.Event{Kind: format.KindContention, Time: at, Object: 1, Waiters: []format.Party{{Thread: 1, Stack: 1}}}, at)
		}
	}
	r.NextInput()
	r.Add(&format.Event{Kind: format.KindWait, Thread: 1, Object: 1, Time: 0, End: 4 * second}, 4*second)
	dumps(second, 3*second)
	if waits := r.Unended(alike); len(waits) != 0 || r.waits.Begun() != 0 {
		t.Errorf("who waits all along: %v hang, %d pieces are packed", waits, r.waits.Begun())
	}
	r.NextInput()
	dumps(2*second, 3*second+second/2)
	if waits := r.Unended(alike); len(waits) != 1 || waits[0].Time != 2*second || waits[0].End != 3*second+second/2 {
		t.Errorf("a thread of the same number in another input: %v", waits)
	}
}
