package findings

import (
	"slices"
	"strings"
	"testing"

	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

// tests are the three of each kind of finding: a trace made so that it is found, the
// like of it that is healthy, where it is not, and recordings of a program that has
// it, whose source is in testdata beside.
var tests = [...]struct {
	made, healthy func(t *testing.T) []Finding
	recorded      []string
}{
	Deadlock:           {planned(plan{held: 400, waiters: 1, blocked: true, circle: true}), planned(plan{held: 400, waiters: 1, blocked: true}), []string{"findings/deadlock-jdk17.txt.gz"}},
	LockOrder:          {planned(plan{held: 400, waiters: 3, blocked: true, turned: true}), planned(plan{held: 400, waiters: 3, blocked: true}), []string{"findings/orders-jdk17.txt.gz"}},
	AsleepHolding:      {inside("java.lang.Thread", "sleep"), computes, []string{"findings/holding-jdk17.jfr.gz", "findings/starvation-jdk17.jfr.gz"}},
	FileHolding:        {inside("sun.nio.ch.FileChannelImpl", "force"), computes, []string{"findings/holding-jdk17.jfr.gz"}},
	SocketHolding:      {inside("java.net.Socket$SocketInputStream", "read"), computes, []string{"findings/holding-jdk17.jfr.gz"}},
	IOHolding:          {inside("syscall", "read"), computes, []string{"findings/pipe-jdk17.txt.gz"}},
	BlockedHolding:     {simulates(simulate.Config{Scenario: "nested"}), simulates(simulate.Config{Scenario: "shards"}), []string{"findings/holding-jdk17.jfr.gz", "findings/orders-jdk17.txt.gz"}},
	DescheduledHolding: {stopped(format.ActivityReady), stopped(format.ActivityRun), []string{"perf-truth-seed2.perf.txt.zst", "perf-python312-seed2.perf.txt.zst"}},
	Convoy:             {simulates(convoying), simulates(simulate.Config{Scenario: "shards", Threads: 8, Locks: 1, Handoff: 1000}), nil},
	Starvation:         {serves(passesOne), serves(inOrder), []string{"findings/starvation-jdk17.jfr.gz"}},
	HotStripe:          {spreads(hot), spreads(evenly), []string{"moved-locks-jdk25.jfr.gz"}},
	ReadMostly:         {reads("java.util.Hashtable.get", "java.util.Hashtable.containsKey"), reads("java.util.Hashtable.put", "java.util.Hashtable.get"), []string{"findings/readers-jdk17.jfr.gz"}},
	PausedHolding:      {pauses(format.PauseGC), pauses("safepoint"), []string{"findings/paused-jdk17.jfr.gz"}},
	PoolExhausted:      {borrows("com.zaxxer.hikari.pool.HikariPool.getConnection"), borrows("java.util.concurrent.LinkedBlockingQueue.take"), []string{"pools/pools-jdk17.jfr", "pools/pools-jdk25.jfr"}},
	NotifyStorm:        {mail{sleepers: 6, inVain: true, work: ms, by: 1}.run, mail{sleepers: 6, work: ms, by: 1}.run, []string{"findings/storm-jdk17.jfr.gz", "findings/storm-jdk25.jfr.gz"}},
	Polling:            {pollsBySleep, sleepsAtWill, []string{"findings/polling-jdk17.jfr.gz", "findings/spinning-jdk17.jfr.gz"}},
}

// Each kind of finding is found in a trace made for it and in a recording, and not in
// what is like it and healthy. A new kind has to have all three.
func TestEveryKindHasItsThreeTests(t *testing.T) {
	if len(tests) != len(kinds) {
		t.Fatalf("%d kinds have tests, of %d", len(tests), len(kinds))
	}
	for k, c := range tests {
		t.Run(Kind(k).String(), func(t *testing.T) {
			if c.made == nil || c.healthy == nil || len(c.recorded) == 0 && Kind(k) != Convoy { // of waits alone nobody tells who was quick from a lock that was free
				t.Fatal("one of the three tests is missing")
			}
			if got := c.made(t); !has(got, Kind(k)) {
				t.Errorf("made for it: %q", setOf(got))
			}
			if got := c.healthy(t); has(got, Kind(k)) {
				t.Errorf("healthy: %+v", got)
			}
			for _, name := range c.recorded {
				if !slices.Contains(strings.Fields(told[name]), Kind(k).String()) || slices.Contains(large, name) {
					t.Errorf("%s is not tested to have it each time", name)
				}
			}
		})
	}
}

// No program of the simulator has anything wrong but what its name says, or
// that owners wait for other locks.
func TestHealthyProgramsHaveNoFindings(t *testing.T) {
	wrong := map[string]string{"nested": "blocked-while-holding", "random": "blocked-while-holding", "deadlock": "deadlock"}
	names, _ := simulate.Scenarios()
	seeds := []uint64{1, 2}[:golden.Depth(1, 1, 2)]
	for _, name := range names {
		for _, handoff := range []int64{0, 1000} {
			for _, seed := range seeds {
				if got := setOf(simulated(t, simulate.Config{Scenario: name, Duration: 5e8, Handoff: handoff, Seed: seed})); got != "" && got != wrong[name] {
					t.Errorf("%s, seed %d: %q, want %q", name, seed, got, wrong[name])
				}
			}
		}
	}
}

func has(list []Finding, k Kind) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Kind == k })
}

func planned(p plan) func(*testing.T) []Finding { return p.run }

// inside returns what is found where owners are in a frame of the platform.
func inside(class, method string) func(*testing.T) []Finding {
	return planned(plan{inner: one(class, method), held: 400, waiters: 3})
}

// computes is what is found where owners only do that.
var computes = planned(plan{held: 900, waiters: 9})

func simulates(c simulate.Config) func(*testing.T) []Finding {
	if c.Duration == 0 {
		c.Duration, c.Seed = 1e9, 1
	}
	return func(t *testing.T) []Finding { return simulated(t, c) }
}
