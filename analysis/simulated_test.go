package analysis

import (
	"math"
	"testing"
	"unsafe"

	"contend/format"
	"contend/format/simulate"
	"contend/golden"

	"pgregory.net/rapid"
)

// simulated runs a scenario through the analysis, from its exact and from its
// sampled trace.
func simulated(t testing.TB, c simulate.Config) (truth *simulate.Truth, exact, sampled *sums) {
	t.Helper()
	var e, s format.List
	truth = golden.Must(simulate.Run(c, &e, &s))(t)
	exact, _ = run(t, e.Events, open)
	sampled, _ = run(t, s.Events, open)
	return truth, exact, sampled
}

// byName turns the sums by owner into the simulator's terms.
func (s *sums) byName(m map[string]int64) map[string]float64 {
	out := map[string]float64{}
	for o, ns := range m {
		name := "[" + o + "]"
		if id, ok := s.threads[o]; ok {
			name = s.sym.ThreadName(id)
		} else if o == "deadlock1" {
			name = "[deadlock]"
		}
		out[name] += float64(ns)
	}
	return out
}

// farthest returns the largest difference between two sums.
func farthest(a, b map[string]float64) (worst float64) {
	for o, ns := range a {
		worst = max(worst, math.Abs(ns-b[o]))
	}
	for o, ns := range b {
		worst = max(worst, math.Abs(ns-a[o]))
	}
	return worst
}

func check(t interface{ Errorf(string, ...any) }, truth *simulate.Truth, s *sums, slack float64) {
	if s.total != truth.WaitNs || int64(s.waits) != truth.Waits || s.running != truth.RunningNs {
		t.Errorf("waits %d, %d ns, running %d; truth %d, %d, %d", s.waits, s.total, s.running, truth.Waits, truth.WaitNs, truth.RunningNs)
	}
	if d := farthest(s.byName(s.direct), truth.DirectByOwner); d > slack {
		t.Errorf("direct blame is %.0f ns off:\n%v\n%v", d, s.byName(s.direct), truth.DirectByOwner)
	}
	if d := farthest(s.byName(s.root), truth.RootByOwner); d > slack {
		t.Errorf("root blame is %.0f ns off:\n%v\n%v", d, s.byName(s.root), truth.RootByOwner)
	}
}

func TestExactTracesGiveTheSimulatorsTruth(t *testing.T) {
	golden.Unhurried(t)
	names, _ := simulate.Scenarios()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			truth, exact, _ := simulated(t, simulate.Config{Scenario: name, Threads: 6, Duration: 2e9, Handoff: 20_000, Seed: 7})
			slack := 0.0
			if name == "reader-writer" || name == "random" {
				slack = float64(truth.Waits) * 10 // readers share whole nanoseconds
			}
			check(t, truth, exact, slack)
		})
	}
}

func TestExactTracesOfRandomRuns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := simulate.Config{Scenario: "random", Threads: rapid.IntRange(1, 9).Draw(rt, "threads"), Locks: rapid.IntRange(1, 5).Draw(rt, "locks"),
			Duration: 50e6, Handoff: rapid.Int64Range(0, 50_000).Draw(rt, "handoff"), Seed: rapid.Uint64().Draw(rt, "seed")}
		truth, exact, _ := simulated(t, c)
		check(rt, truth, exact, float64(truth.Waits+10)*20)
	})
}

func TestSampledTwinAgreesWithinItsError(t *testing.T) {
	golden.Unhurried(t)
	for _, name := range []string{"reader-writer", "ping-pong", "nested", "convoy", "phases", "random"} {
		t.Run(name, func(t *testing.T) {
			truth, _, sampled := simulated(t, simulate.Config{Scenario: name, Threads: 6, Duration: golden.Depth[int64](15e9, 15e9, 60e9), Period: 3_137_000, Stall: 30e6, Seed: 3}) // no multiple of any section's length
			near := func(what string, got, want float64) {
				if math.Abs(got-want) > 0.05*float64(truth.WaitNs) { // 20,000 samples, or 5,000
					t.Errorf("%s: %.3g, truth %.3g", what, got, want)
				}
			}
			near("waiting", float64(sampled.total), float64(truth.WaitNs))
			near("direct", farthest(sampled.byName(sampled.direct), truth.DirectByOwner), 0)
			near("root", farthest(sampled.byName(sampled.root), truth.RootByOwner), 0)
			if math.Abs(float64(sampled.running-truth.RunningNs)) > 0.02*float64(truth.RunningNs) {
				t.Errorf("running %d, truth %d", sampled.running, truth.RunningNs)
			}
		})
	}
}

func TestPingPongHasHalfOfRunningTimeWaiting(t *testing.T) {
	for threads, want := range map[int]float64{1: 0, 2: 0.5} {
		_, exact, sampled := simulated(t, simulate.Config{Scenario: "ping-pong", Threads: threads, Duration: 10e9})
		for _, s := range []*sums{exact, sampled} {
			if got := float64(s.total) / float64(s.running); math.Abs(got-want) > 0.005 {
				t.Errorf("%d threads: pressure %.4f, want %.4f", threads, got, want)
			}
		}
	}
}

func BenchmarkSweep(b *testing.B) {
	var l format.List
	golden.Must(simulate.Run(simulate.Config{Scenario: "bulk", Threads: 32, Duration: 1e9}, &l, nil))(b)
	b.SetBytes(int64(len(l.Events)) * int64(unsafe.Sizeof(format.Event{})))
	b.ReportAllocs()
	for b.Loop() {
		l.Rewind()
		golden.Must(Run(&l, open))(b)
	}
	b.ReportMetric(float64(len(l.Events))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
