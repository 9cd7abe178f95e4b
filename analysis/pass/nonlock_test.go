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

// Idle waits of one kind that follow one another are given as one, whatever is sampled between them, with all that
// they sum up to; waits for resources are given one by one.
func TestIdleWaitsAreGivenTogether(t *testing.T) {
	events := []format.Event{recorded(0, 1000)}
	for at := int64(0); at < 1000; at += 10 {
		events = append(
			events,
			format.Event{
				Kind:     format.KindActivity,
				Activity: format.ActivityPark,
				Thread:   1,
				Time:     at,
				End:      at + 6,
				Stack:    1,
			},
			format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Thread: 1, Time: at + 8, Stack: 2},
			format.Event{
				Kind:     format.KindActivity,
				Activity: format.ActivityPark,
				Resource: true,
				Thread:   2,
				Time:     at,
				End:      at + 6,
			},
		)
	}
	events = append(events, // from within a park to within the next: 2 + 4 ns of these are no idle time
		format.Event{Kind: format.KindWait, Thread: 1, Object: 1, Time: 504, End: 514})
	v := &visitLog{sums: newSums(t)}
	golden.Must(Run(&format.List{Events: events}, open, v))(t)
	if len(v.given) != 101 {
		t.Fatalf("%d visits, want one of thread 1 and 100 of thread 2", len(v.given))
	}
	one := v.given[0]
	one.Stack, one.Activity = 0, 0
	golden.Same(t, one, analysis.NonLockWait{Thread: 1, To: 996, Ns: 594, Waits: 100, LongestNs: 6}, "idle waits")
}

// visitLog keeps the visits for non-lock waits.
type visitLog struct {
	*sums
	given []analysis.NonLockWait
}

func (*visitLog) Monitor(*analysis.MonitorWaits) {}

func (l *visitLog) NonLockWait(a *analysis.NonLockWait) { l.given = append(l.given, *a) }
