package whatif

import (
	"testing"

	"contend/format/simulate"
)

// one is a replay of threads that take one lock over and over.
func one(l lock, threads ...program) replay {
	r := replay{length: 1000, change: (&Collector{}).unchanged(), locks: []lock{l}, stripes: []stripes{{0, 1}}}
	for i := range threads {
		r.threads = append(r.threads, actor{program: &threads[i]})
	}
	return r
}

func rounds(away, busy int64) []step {
	return []step{{op: take, busy: away, inside: outside}, {op: give, busy: busy, inside: outside}, {op: turn, inside: outside}}
}

// As many have a semaphore at once as had it in the trace.
func TestReplayOfPermits(t *testing.T) {
	for permits, want := range map[int]int64{0: 100, 1: 100, 2: 200} {
		r := one(lock{permits: permits}, program{steps: rounds(0, 10)}, program{steps: rounds(0, 10)})
		if out := r.run(); sum(&out.taken) < want || sum(&out.taken) > want+2 {
			t.Errorf("%d permits: %d taken, want %d", permits, sum(&out.taken), want)
		}
	}
}

// All the times that handing over took come again, and while it lasts the lock
// is for who comes, if who comes may take it.
func TestReplayOfHandOver(t *testing.T) {
	waits := func(l lock, barges bool) (taken, waited int64) {
		r := one(l, program{steps: rounds(0, 10)}, program{steps: rounds(0, 10)}, program{steps: rounds(5, 0)})
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
	r := one(lock{}, program{steps: steps, late: late(steps)})
	if out := r.run(); sum(&out.taken) != 17 { // at 500 and every 30 from there on
		t.Errorf("%d taken, want 17: %v", sum(&out.taken), out.taken)
	}
}

// The parts of a program that never meet come to what the whole comes to, and a
// change is replayed in those alone that it is about.
func TestPartsAreTheWhole(t *testing.T) {
	for scenario, want := range map[string]int{"shards": 4, "nested": 1} {
		c, _, _ := collected(t, simulate.Config{Scenario: scenario, Duration: 5e8, Handoff: 1000, Seed: 3}, recorded)
		c.number()
		m, whole, local := newReplays(c), &part{}, make([]int32, len(c.locks))
		for l := range local {
			local[l] = int32(l)
		}
		whole.locks = local
		for _, p := range programs(c.threads, m.length) {
			whole.add(p, local)
		}
		e, touched := c.unchanged(), 0
		set, err := c.find(c.Sections()[0].Method)
		if err != nil {
			t.Fatal(err)
		}
		e.section, e.keep = set, .5
		for _, p := range m.parts {
			if e.touches(p) {
				touched++
			}
		}
		if len(m.parts) != want || touched != 1 {
			t.Errorf("%s: a change touches %d of %d parts, want 1 of %d", scenario, touched, len(m.parts), want)
		}
		for i, got := range m.replay(e) {
			if all := m.once(whole, e, m.handing, i == 1); got != all || sum(&got.taken) == 0 {
				t.Errorf("%s: parts come to %v, the whole to %v", scenario, got, all)
			}
		}
	}
}
