package analysis

import (
	"testing"

	"contend/format"
	"contend/golden"
)

// idles sums what is beside contention.
type idles struct {
	*sums
	n, ns int64
}

func (i *idles) Aside(a *Aside) { i.n, i.ns = i.n+a.Waits, i.ns+a.Ns }

// A thread that is idle most of the time costs as much for each time: the wait
// behind it, which may be far, is not looked for each time.
func TestManyIdleTimesOfOneThread(t *testing.T) {
	n := manyTimes()
	events := []format.Event{recorded(0, 20*n+5), waits(1, 1, 42, 45), waits(1, 1, 20*n, 20*n+5)}
	for i := range n {
		events = append(events, acts(format.ActivitySleep, 1, 20*i, 20*i+10))
	}
	v := &idles{sums: newSums(t)}
	took := golden.Spent(t, func() {
		if _, err := Run(&format.List{Events: events}, open, v); err != nil {
			t.Fatal(err)
		}
	})
	if v.n != n || v.ns != 10*n-3 {
		t.Errorf("%d idle times, %d ns, want %d, %d", v.n, v.ns, n, 10*n-3)
	}
	if took > patience { // minutes, if it were
		t.Errorf("took %v", took)
	}
}
