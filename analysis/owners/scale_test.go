package owners

import (
	"runtime"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
)

// manyLocks is a trace in which each of many threads waits for a lock that it
// shares with its neighbour, and sleeps meanwhile or behind.
func manyLocks(locks int) *Record {
	r := NewRecord()
	add := func(ev format.Event) { r.Add(&ev, ev.End) }
	add(format.Event{Kind: format.KindRecording, Time: 0, End: int64(locks) * 1000})
	for l := 1; l <= locks; l++ {
		at := int64(l) * 100
		for k := range int64(3) {
			owner, waiter := format.ThreadID(l), format.ThreadID(l%locks+1)
			add(format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: owner, Stack: format.StackID(l + 2), Time: at + 10*k, End: at + 10*k + 7})
			add(format.Event{Kind: format.KindWait, Thread: waiter, Owner: owner, Object: format.ObjectID(l), Stack: 2, Time: at + 10*k + 1, End: at + 10*k + 8})
		}
	}
	return r
}

// oneLock is a trace of one lock that each of many threads waits for a few
// times, one after the other; between waits they sleep.
func oneLock(threads int) *Record {
	r := NewRecord()
	add := func(ev format.Event) { r.Add(&ev, ev.End) }
	for k := range int64(8 * threads) {
		at, t := k*100, format.ThreadID(k/8+1)
		add(format.Event{Kind: format.KindWait, Thread: t, Object: 1, Stack: 2, Time: at, End: at + 10})
		add(format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: t, Stack: 1, Time: at + 20, End: at + 90})
	}
	return r
}

// infer finds the owners of a record, and returns what that took of memory and
// processor time.
func infer(t *testing.T, r *Record) (bytes uint64, took time.Duration) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took = golden.Spent(t, func() {
		_, done := r.Arrange(monitors{}.Kind).Timelines(monitors{})
		done()
	})
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, took
}

// Sixteen times the locks take sixteen times the work, told by the memory they
// ask for; when each lock had a table of all threads, it was 256 times.
func TestWorkGrowsWithTheLocks(t *testing.T) {
	if testing.Short() {
		t.Skip("-short is for the race detector, under which pools forget what they hold")
	}
	small, took := infer(t, manyLocks(2_000))
	large, tookLarge := infer(t, manyLocks(32_000))
	t.Logf("%d bytes in %v, sixteen times as many locks %d in %v", small, took, large, tookLarge)
	if large > 32*small {
		t.Errorf("sixteen times the locks take %d bytes instead of %d", large, small)
	}
}

// When each thread looked at all stretches in which anybody waited for the
// lock, this took minutes; it takes less than a second.
func TestManyThreadsOfOneLock(t *testing.T) {
	threads := 20_000
	if testing.Short() { // the race detector takes ten times as long
		threads = 2_000
	}
	if _, took := infer(t, oneLock(threads)); took > 20*time.Second {
		t.Errorf("%v", took)
	}
}
