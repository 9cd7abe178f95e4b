package analysis

import (
	"testing"

	"contend/format"
	"contend/golden"
)

// nonLockSums sums non-lock waits.
type nonLockSums struct {
	*sums
	n, ns int64
}

func (*nonLockSums) Monitor(*MonitorWaits) {}

func (i *nonLockSums) NonLockWait(a *NonLockWait) { i.n, i.ns = i.n+a.Waits, i.ns+a.Ns }

// Each idle time of a thread costs the same, however many there are: the next wait for a
// lock, which may be far, is not searched again each time.
func TestManyIdleTimesOfOneThread(t *testing.T) {
	n := manyTimes()
	events := []format.Event{recorded(0, 20*n+5), waits(1, 1, 42, 45), waits(1, 1, 20*n, 20*n+5)}
	for i := range n {
		events = append(events, acts(format.ActivitySleep, 1, 20*i, 20*i+10))
	}
	v := &nonLockSums{sums: newSums(t)}
	took := golden.Spent(t, func() {
		golden.Must(Run(&format.List{Events: events}, open, v))(t)
	})
	if v.n != n || v.ns != 10*n-3 {
		t.Errorf("%d idle times, %d ns, want %d, %d", v.n, v.ns, n, 10*n-3)
	}
	if took > patience { // minutes, if it were
		t.Errorf("took %v", took)
	}
}
