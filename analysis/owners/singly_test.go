package owners

import (
	"testing"

	"contend/format"
)

// Who sleeps inside one of two locks as soon as it has it is inside that one, however long
// who comes next takes to wake up. Who sleeps later may be inside the other one, and so may
// who sleeps at once where the recorder leaves out acquisitions.
func TestSleepsRightAfterAnAcquisitionAreInside(t *testing.T) {
	const us, ms = int64(1e3), int64(1e6)
	inside := func(after, length, shortest int64) (n int) {
		r := NewRecord()
		add := func(ev format.Event) { r.Add(&ev, ev.End) }
		wait := func(t format.ThreadID, lock format.ObjectID, from, to int64) {
			add(format.Event{Kind: format.KindWait, Thread: t, Object: lock, Stack: 9, Time: from, End: to})
		}
		sleep := func(t format.ThreadID, from, length int64) {
			add(format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: t, Stack: 3, Time: from, End: from + length})
		}
		held := func(at, after, length int64) { // by thread 1, which had to wait
			wait(1, 1, at, at+ms)
			sleep(1, at+ms+after, length)
			wait(2, 1, at+ms/2, at+ms+after+length+100*us)
		}
		for i := range int64(10) {
			at := 200 * i * ms
			held(at, 10*us+i*us, 8*ms)
			held(at+20*ms, after, length)
			wait(3, 2, at+40*ms, at+41*ms) // the other lock
			sleep(3, at+41*ms+10*us, 15*ms)
			wait(4, 2, at+42*ms, at+56*ms+20*us)
			wait(5, 1, at+44*ms, at+45*ms)
		}
		wait(5, 1, 3000*ms, 3000*ms+shortest)
		a := r.Arrange(monitors{}.Kind)
		a.indexing.Wait()
		for _, seen := range learntOfOne(a.evidence(monitors{})).seen {
			if seen.thread == 3 {
				t.Error("what is inside the other lock is inside this one")
			}
			n++
		}
		return n
	}
	if n := inside(10*us, ms, us); n != 20 {
		t.Errorf("%d of 20 sleeps are inside", n)
	}
	for _, after := range []int64{60 * us, 500 * us} {
		if n := inside(after, ms, us); n != 10 {
			t.Errorf("%d sleeps are inside, want the 10 that begin at once, and not %d ns later", n, after)
		}
	}
	if n := inside(10*us, ms, ms); n != 10 {
		t.Errorf("%d sleeps are inside where short waits are not recorded, want the 10 that others follow promptly", n)
	}
}
