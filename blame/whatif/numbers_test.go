package whatif

import (
	"math"
	"testing"

	"contend/format"
)

// A lock that threads use for as long as each other bounds them: one that three
// times as much is no longer like the others.
func TestALockBoundsThoseWhoUseItAlike(t *testing.T) {
	for _, c := range []struct{ first, second, want float64 }{{250, 100, 1000. / 350}, {300, 75, math.Inf(1)}} {
		d := &Collector{start: 0, end: 1000, takers: 2, locks: make([]format.ObjectID, 1), demand: &demand{owned: []owned{{0, 0}, {1, 0}}}}
		now := []float64{c.first, c.second}
		if got := d.heldAtMost(now, now); got != c.want {
			t.Errorf("%v: %v, want %v", now, got, c.want)
		}
	}
}

// A semaphore has as many permits out as it has for half of the time in which anybody
// waits.
func TestPermitsOfHalfTheTime(t *testing.T) {
	for one, want := range map[int64]int{60: 1, 40: 2} {
		if most, half := heldAtOnce([]change{{0, 1, 1}, {one, 1, 0}, {100, -2, -1}}); most != 2 || half != want {
			t.Errorf("one was out for %d, two for %d: %d at most, %d for half of the time; want 2 and %d", one, 100-one, most, half, want)
		}
	}
}

// A replay that misses its own trace by a tenth is not believed.
func TestHowFarAReplayMayMiss(t *testing.T) {
	for miss, want := range map[float64]bool{0.08: true, 0.12: false} {
		if a, b := (&Misfit{Waiting: miss}).Fits(), (&Misfit{Throughput: miss}).Fits(); a != want || b != want {
			t.Errorf("a misfit of %v of the waiting, of the throughput: believed %v, %v", miss, a, b)
		}
	}
}

// Who took a lock at once while another was the next to have it does so again though
// he comes 0.8 us later, and not if he comes 1.5 us later.
func TestHowLateOneMayCome(t *testing.T) {
	r := one(lock{}, getting{waited: true, free: 10, yields: 1}, program{steps: rounds(0, 10)})
	l := &r.locks[0]
	l.first = 1
	if free := r.needs(l, 0); free < 800 || free > 1500 {
		t.Errorf("the lock is left to others for %d ns", free)
	}
	late := thread{holds: []hold{{asked: 1000, start: 5000, end: 6000}}}
	if came := late.program(10000)[0].busy; came < 1100 || came > 1250 {
		t.Errorf("who waited from 1000 on for one who was there comes at %d", came)
	}
}
