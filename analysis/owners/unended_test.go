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
