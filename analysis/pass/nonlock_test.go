package pass

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// nonLockSums sums non-lock waits.
type nonLockSums struct {
	*sums
	n, ns int64
}

func (*nonLockSums) Monitor(*analysis.MonitorWaits) {}

func (i *nonLockSums) NonLockWait(a *analysis.NonLockWait) { i.n, i.ns = i.n+a.Waits, i.ns+a.Ns }

// Each idle time of a thread costs the same, however many there are: the next wait for a
// lock, which may be far, is not searched again each time.
func TestManyIdleTimesOfOneThread(t *testing.T) {
	n := manyTimes()
	events := []format.Event{recorded(0, 20*n+5), waits(1, 1, 42, 45), waits(1, 1, 20*n, 20*n+5)}
	for i := range n {
		events = append(events, acts(format.ActivitySleep, 1, 20*i, 20*i+10))
	}
	v := &nonLockSums{sums: newSums(t)}
	took := golden.CPUTime(t, func() {
		golden.Must(Run(&format.List{Events: events}, open, v))(t)
	})
	golden.Equal(t, v.n, n)
	golden.Equal(t, v.ns, 10*n-3)
	if took > patience { // minutes, if it were
		t.Errorf("took %v", took)
	}
}

// endLog keeps what ended non-lock waits.
type endLog struct {
	*sums
	ends [][4]int64
}

func (*endLog) Monitor(*analysis.MonitorWaits) {}

func (l *endLog) NonLockWait(a *analysis.NonLockWait) {
	l.ends = append(l.ends, [4]int64{a.To, int64(a.Thread), int64(a.By), int64(a.ByStack)})
}

// What ends a wait for no lock is known by a release without a lock, or as the notifier of
// Object.wait; it is no evidence about locks.
func TestWhatEndsAWaitForNoLock(t *testing.T) {
	waited := func(thread format.ThreadID, at, end int64, by format.ThreadID) format.Event {
		return format.Event{
			Kind:     format.KindActivity,
			Activity: format.ActivityWait,
			Resource: true,
			Thread:   thread,
			Time:     at,
			End:      end,
			Owner:    by,
		}
	}
	ended := func(thread, woken format.ThreadID, at int64, stack format.StackID) format.Event {
		return format.Event{Kind: format.KindRelease, Thread: thread, Woken: woken, Time: at, Stack: stack}
	}
	v := &endLog{sums: newSums(t)}
	tr := golden.Must(Run(&format.List{Events: []format.Event{
		waited(
			1,
			10,
			20,
			0,
		// the second at another thread, the third ends nothing
		), ended(3, 1, 20, 7), ended(4, 2, 20, 8), ended(3, 1, 40, 7),
		waited(2, 10, 20, 0), waited(1, 30, 35, 0), waited(2, 50, 60, 5),
	}}, open, v))(t)
	golden.Same(t, v.ends, [][4]int64{{20, 1, 3, 7}, {35, 1, 0, 0}, {20, 2, 4, 8}, {60, 2, 5, 0}}, "ended are")
	if n := len(tr.Symbols.Releases()); n > 0 || tr.Symbols.Uses(7).Has(analysis.Releasing) {
		t.Errorf("%d releases of locks", n)
	}
}
