package whatif

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A lock is held once at a time: those who need it least take it as often as they can
// alone, and the others share what is left.
func TestALockBoundsThoseWhoUseIt(t *testing.T) {
	for _, c := range []struct {
		alone []float64 // of three threads, of which the last does without the lock
		want  float64
	}{{[]float64{20, 20, 5}, 20 + 8 + 5}, {[]float64{80, 20, 5}, 50 + 5}, {[]float64{3, 2, 5}, 10}} {
		if got := heldOnce([]need{{1, 75}, {0, 20}}, c.alone, 1000); got != c.want {
			t.Errorf("%v: %v, want %v", c.alone, got, c.want)
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
	late := (&thread{}).inOrder([]tenure{{asked: 1000, start: 5000, end: 6000}}, 10000)
	if came := (&thread{}).programOf(late, 10000).steps[0].busy; came < 1100 || came > 1250 {
		t.Errorf("who waited from 1000 on for one who was there comes at %d", came)
	}
}

// What a thread did with another lock, six tenures ago, bounds when it may have taken
// one that the five since lie within; of twelve ago nobody looks.
func TestHowFarBackATenureIsLookedFor(t *testing.T) {
	const outer, inner, other = int32(0), int32(1), int32(2)
	for within, want := range map[int]int64{5: 50, 11: 0} {
		all := []tenure{{asked: 10, start: 20, end: 50, lock: other}}
		for i := range int64(within) {
			all = append(all, tenure{asked: 100 + 10*i, start: 101 + 10*i, end: 105 + 10*i, lock: inner})
		}
		all = append(all, tenure{asked: 300, start: 300, end: 320, lock: outer, section: 1})
		extendStarts(all, map[uint32]int64{1: 320}, map[order]int{{outer, inner}: 1}, 1, make([]bool, 3))
		if got := all[len(all)-1].start; got != want {
			t.Errorf("%d tenures within: it begins at %d, want %d", within, got, want)
		}
	}
}

// What is due comes by its time, and at one
// instant by its turn and as it was asked for.
func TestWhatIsDueComesInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	q := newQueue(10, 1000)
	var due, came []event
	push := func(from int64) {
		at, turn := from+random.Int64N(50), []uint32{giving, granting, coming}[random.IntN(3)]
		id := int32(len(due))
		due = append(due, event{at, q.push(at, turn, id), id})
	}
	for range 40 {
		push(0)
	}
	for e, ok := q.pop(); ok; e, ok = q.pop() {
		if came = append(came, e); len(due) < 600 && e.at < 900 {
			push(e.at + 1)
		}
	}
	slices.SortFunc(due, func(a, b event) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	if len(due) < 400 || !slices.Equal(came, due) {
		t.Errorf("%d events came, or in another order than the %d due", len(came), len(due))
	}
}

// Who comes while another waits for a lock, and has it at once, is let through by that
// one; where there are two permits the other may have had his own.
func TestWhoIsLetThrough(t *testing.T) {
	for permits, want := range map[int]int32{0: 1, 1: 1, 2: 0} {
		waits, comes := tenure{asked: 10, start: 50, end: 60}, tenure{asked: 20, start: 20, end: 30}
		handovers([]*tenure{&waits, &comes}, permits)
		if !waits.got.waited || waits.got.yields != want {
			t.Errorf("%d permits: %+v, want %d", permits, waits.got, want)
		}
	}
}
