package whatif

import "testing"

// one is a replay of threads that take one lock over and over.
func one(l lock, threads ...actor) replay {
	e := (&Collector{}).unchanged()
	e.gone, e.stripes = make([]bool, 1), []stripes{{0, 1}}
	return replay{length: 1000, change: e, locks: []lock{l}, threads: threads}
}

func rounds(away, busy int64) []step {
	return []step{{op: take, busy: away, inside: outside}, {op: give, busy: busy, inside: outside}, {op: turn, inside: outside}}
}

// As many have a semaphore at once as had it in the trace.
func TestReplayOfPermits(t *testing.T) {
	for permits, want := range map[int]int64{0: 100, 1: 100, 2: 200} {
		r := one(lock{permits: permits}, actor{steps: rounds(0, 10)}, actor{steps: rounds(0, 10)})
		if out := r.run(); sum(&out.taken) < want || sum(&out.taken) > want+2 {
			t.Errorf("%d permits: %d taken, want %d", permits, sum(&out.taken), want)
		}
	}
}

// All the times that handing over took come again, and while it lasts the lock
// is for who comes, if who comes may take it.
func TestReplayOfHandOver(t *testing.T) {
	waits := func(l lock, barges bool) (taken, waited int64) {
		r := one(l, actor{steps: rounds(0, 10)}, actor{steps: rounds(0, 10)}, actor{steps: rounds(5, 0)})
		r.barges = barges
		out := r.run()
		return sum(&out.taken), sum(&out.waited)
	}
	short, _ := waits(lock{handoff: []int64{0}}, false)
	mixed, _ := waits(lock{handoff: []int64{0, 0, 30}}, false) // the mean is 10
	mean, _ := waits(lock{handoff: []int64{10}}, false)
	if mixed >= short || mixed < mean*9/10 || mixed > mean*11/10 {
		t.Errorf("taken %d, with hand-over of a mean of 10 %d and %d", short, mean, mixed)
	}
	if barged, _ := waits(lock{handoff: []int64{30}}, true); barged <= mean {
		t.Errorf("who comes may take it: %d taken, else %d", barged, mean)
	}
}

// A thread that began late does not begin late again.
func TestThreadsBeginOnce(t *testing.T) {
	steps := append([]step{{op: take, busy: 500, inside: outside}, {op: give, busy: 10}}, rounds(20, 10)...)
	steps[3].inside = 0
	if got := late(steps); got != 480 {
		t.Errorf("late by %d, want 480", got)
	}
	r := one(lock{}, actor{steps: steps, late: late(steps)})
	if out := r.run(); sum(&out.taken) != 17 { // at 500 and every 30 from there on
		t.Errorf("%d taken, want 17: %v", sum(&out.taken), out.taken)
	}
}
