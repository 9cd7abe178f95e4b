package whatif

import (
	"slices"
	"testing"

	"contend/format/simulate"
	"contend/golden"
)

// one is a replay of threads that take one lock over and over; how they got it in
// the trace is the same each time.
func one(l lock, got acquisition, threads ...program) replay {
	r := replay{length: 1000, change: (&Collector{}).unchanged(), locks: []lock{l}, stripes: []stripes{{0, 1}}}
	for i := range threads {
		for j := range threads[i].steps {
			threads[i].steps[j].hold = &hold{acquired: got}
		}
		r.threads = append(r.threads, actor{program: &threads[i]})
	}
	return r
}

func rounds(away, busy int64) []step {
	return []step{
		{op: acquire, busy: away, inside: outside},
		{op: release, busy: busy, inside: outside},
		{op: restart, inside: outside},
	}
}

// As many have a semaphore at once as had it in the trace.
func TestReplayOfPermits(t *testing.T) {
	for permits, want := range map[int]int64{0: 100, 1: 100, 2: 200} {
		r := one(lock{permits: permits}, acquisition{}, program{steps: rounds(0, 10)}, program{steps: rounds(0, 10)})
		if out := r.run(); sum(&out.taken) < want || sum(&out.taken) > want+2 {
			t.Errorf("%d permits: %d taken, want %d", permits, sum(&out.taken), want)
		}
	}
}

// A hand-over takes as long as in the trace, or the typical time if the trace has none.
// Meanwhile a thread that barged in the trace may acquire the lock.
func TestReplayOfHandOver(t *testing.T) {
	waits := func(l lock, g acquisition) (taken int64) {
		r := one(l, g, program{steps: rounds(0, 10)}, program{steps: rounds(0, 10)}, program{steps: rounds(5, 0)})
		out := r.run()
		return sum(&out.taken)
	}
	short := waits(lock{}, acquisition{waited: true})
	long := waits(lock{typical: 1000}, acquisition{waited: true, free: 10})
	if typical := waits(lock{typical: 10}, acquisition{}); long >= short || typical != long {
		t.Errorf("taken %d, with hand-over of 10 %d, where that is typical %d", short, long, typical)
	}
	if barged := waits(lock{}, acquisition{waited: true, free: 10, barges: true}); barged <= long {
		t.Errorf("with barging %d taken, without %d", barged, long)
	}
}

// A thread that began late does not begin late again.
func TestThreadsBeginOnce(t *testing.T) {
	steps := append([]step{{op: acquire, busy: 500, inside: outside}, {op: release, busy: 10}}, rounds(20, 10)...)
	steps[3].inside = 0
	golden.Equal(t, startDelayOf(steps), 480, "late by")
	r := one(lock{}, acquisition{}, program{steps: steps, startDelay: startDelayOf(steps)})
	if out := r.run(); sum(&out.taken) != 17 { // at 500 and every 30 from there on
		t.Errorf("%d taken, want 17: %v", sum(&out.taken), out.taken)
	}
}

// Independent parts replay to the same sums as the whole program, and a change is replayed
// only in the parts that it touches.
func TestPartsAreTheWhole(t *testing.T) {
	for scenario, want := range map[string]int{"shards": 4, "nested": 1} {
		c, _, _ := collected(t, simulate.Config{Scenario: scenario, Duration: 5e8, Handoff: 1000, Seed: 3}, recorded)
		m, whole := newReplays(c), &part{}
		for l := range c.locks.List {
			whole.locks = append(whole.locks, int32(l))
		}
		for _, p := range m.parts {
			for _, one := range p.programs {
				one.steps = slices.Clone(one.steps)
				for i := range one.steps {
					if s := &one.steps[i]; s.op != restart {
						s.lock = s.hold.lock
					}
				}
				whole.addThread(one, whole.locks)
			}
		}
		e, touched := c.unchanged(), 0
		set := golden.Must(c.findSections(c.Sections()[0].Method))(t)
		e.section, e.keep = set, .5
		for _, p := range m.parts {
			if e.touches(p) {
				touched++
			}
		}
		golden.Equal(t, len(m.parts), want, scenario)
		golden.Equal(t, touched, 1, scenario)
		now, _ := m.changed(e)
		for i, got := range now[:len(now)-1] { // the last loop is of inferred holds
			if all := m.replayPart(whole, e, loops[i]); got != all || sum(&got.taken) == 0 {
				t.Errorf("%s: parts come to %v, the whole to %v", scenario, got, all)
			}
		}
	}
}

// A negligible change has a negligible effect, also for inferred holds, whose replay follows
// the trace only until something is changed. From there on chance decides: each change is one draw.
func TestNegligibleChange(t *testing.T) {
	changes := []float64{.0001, .0003, .001}
	for _, name := range []string{"truth-8threads.jfr", "truth-8threads-jdk25.jfr", "go126-truth-12goroutines.trace"} {
		c, mean := fromFile(t, name), map[string]float64{}
		for _, by := range changes {
			for _, r := range golden.Must(c.Rank(by, 4))(t).Rows {
				if mean[r.Change.Section] += r.Throughput.Middle() / float64(len(changes)); !r.Throughput.holds(1) {
					t.Errorf("%s: %s shorter by %g: throughput %.2f", name, r.Change.Section, by, r.Throughput)
				}
			}
		}
		for section, middle := range mean {
			golden.Within(golden.Labelled(t, name+" "+section), middle, 0.92, 1.1)
		}
	}
}

// A replay in which threads acquire locks in opposite orders ends and reports the deadlock.
func TestDeadlockOfAReplay(t *testing.T) {
	take := func(lock int32, busy int64) step { return step{op: acquire, lock: lock, busy: busy, inside: outside} }
	give := func(lock int32, busy int64) step { return step{op: release, lock: lock, busy: busy, inside: outside} }
	end := step{op: restart, busy: 1, inside: outside}
	run := func(second []step) outcome {
		r := one(
			lock{},
			acquisition{},
			program{steps: []step{take(0, 1), take(1, 5), give(1, 1), give(0, 1), end}},
			program{steps: second},
		)
		r.locks, r.stripes = make([]lock, 2), []stripes{{0, 1}, {1, 1}}
		return r.run()
	}
	if out := run([]step{take(1, 2), take(0, 5), give(0, 1), give(1, 1), end}); !out.stuck || sum(&out.taken) != 2 {
		t.Errorf("opposite orders: %+v", out)
	}
	if out := run([]step{take(0, 2), take(1, 5), give(1, 1), give(0, 1), end}); out.stuck || sum(&out.taken) < 100 {
		t.Errorf("one order: %+v", out)
	}
}
