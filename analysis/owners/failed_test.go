package owners

import (
	"testing"

	"contend/format"
)

// Waits that gave up are counted, those of parks that are one wait once and as long as
// that, and others are not.
func TestWaitsThatGaveUpAreCounted(t *testing.T) {
	r := NewRecord()
	add := func(thread format.ThreadID, from, to int64, failed bool) {
		r.Add(&format.Event{Kind: format.KindWait, Thread: thread, Object: 1, Stack: 1, Time: from, End: to, Failed: failed}, to)
	}
	add(1, 0, 10, false)
	add(2, 0, 10, false) // goes on with
	add(2, 12, 20, true)
	add(3, 5, 8, true)
	r.Add(&format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: 3, Time: 30, End: 40}, 40)
	a := r.Arrange(func(format.ObjectID) format.LockKind { return format.KindSynchronizer })
	a.indexing.Wait()
	if n, ns := a.Failed(); n != 2 || ns != 23 {
		t.Errorf("%d gave up after %d ns together, not 2 after 23", n, ns)
	}
}
