package findings

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/blame"
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
	Deadlock: {
		planned(plan{held: 400, waiters: 1, blocked: true, circle: true}),
		planned(plan{held: 400, waiters: 1, blocked: true}),
		[]string{"findings/deadlock-jdk17.txt.gz"},
	},
	LockOrder: {
		planned(plan{held: 400, waiters: 3, blocked: true, turned: true}),
		planned(plan{held: 400, waiters: 3, blocked: true}),
		[]string{"findings/orders-jdk17.txt.gz"},
	},
	AsleepHolding: {
		inside("java.lang.Thread", "sleep"),
		computes,
		[]string{"findings/holding-jdk17.jfr.gz", "findings/starvation-jdk17.jfr.gz"},
	},
	FileHolding: {
		inside("sun.nio.ch.FileChannelImpl", "force"),
		computes,
		[]string{"findings/holding-jdk17.jfr.gz"},
	},
	SocketHolding: {
		inside("java.net.Socket$SocketInputStream", "read"),
		computes,
		[]string{"findings/holding-jdk17.jfr.gz"},
	},
	IOHolding: {inside("syscall", "read"), computes, []string{"findings/pipe-jdk17.txt.gz"}},
	BlockedHolding: {
		simulates(simulate.Config{Scenario: "nested"}),
		simulates(simulate.Config{Scenario: "shards"}),
		[]string{"findings/holding-jdk17.jfr.gz", "findings/orders-jdk17.txt.gz"},
	},
	DescheduledHolding: {
		stopped(format.ActivityReady),
		stopped(format.ActivityRun),
		[]string{"perf-truth-seed2.perf.txt.zst", "perf-python312-seed2.perf.txt.zst"},
	},
	Convoy: {
		simulates(convoying),
		simulates(simulate.Config{Scenario: "shards", Threads: 8, Locks: 1, Handoff: 1000}),
		nil,
	},
	Starvation: {serves(passesOne), serves(inOrder), []string{"findings/starvation-jdk17.jfr.gz"}},
	HotStripe:  {spreads(hot), spreads(evenly), []string{"moved-locks-jdk25.jfr.gz"}},
	ReadMostly: {
		reads("java.util.Hashtable.get", "java.util.Hashtable.containsKey"),
		reads("java.util.Hashtable.put", "java.util.Hashtable.get"),
		[]string{"findings/readers-jdk17.jfr.gz"},
	},
	PausedHolding: {pauses(format.PauseGC), pauses("safepoint"), []string{"findings/paused-jdk17.jfr.gz"}},
	PoolExhausted: {
		borrows("com.zaxxer.hikari.pool.HikariPool.getConnection"),
		borrows("java.util.concurrent.LinkedBlockingQueue.take"),
		[]string{"pools/pools-jdk17.jfr", "pools/pools-jdk25.jfr"},
	},
	NotifyStorm: {
		mail{sleepers: 6, inVain: true, work: ms, by: 1}.run,
		mail{sleepers: 6, work: ms, by: 1}.run,
		[]string{"findings/storm-jdk17.jfr.gz", "findings/storm-jdk25.jfr.gz"},
	},
	Polling: {
		pollsBySleep,
		sleepsAtWill,
		[]string{"findings/polling-jdk17.jfr.gz", "findings/spinning-jdk17.jfr.gz"},
	},
}

// Each kind of finding is found in a trace made for it and in a recording, and not in
// what is like it and healthy. A new kind has to have all three.
func TestEveryKindHasItsThreeTests(t *testing.T) {
	if len(tests) != len(kinds) {
		t.Fatalf("%d kinds have tests, of %d", len(tests), len(kinds))
	}
	for k, c := range tests {
		t.Run(Kind(k).String(), func(t *testing.T) {
			if c.made == nil || c.healthy == nil ||
				len(c.recorded) == 0 &&
					Kind(k) != Convoy { // of waits alone nobody tells who was quick from a lock that was free
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
	wrong := map[string]string{
		"nested":   "blocked-while-holding",
		"random":   "blocked-while-holding",
		"deadlock": "deadlock",
	}
	names, _ := simulate.Scenarios()
	seeds := []uint64{1, 2}[:golden.Depth(1, 1, 2)]
	for _, name := range names {
		for _, handoff := range []int64{0, 1000} {
			for _, seed := range seeds {
				if got := setOf(simulated(t, simulate.Config{Scenario: name, Duration: 5e8, Handoff: handoff,
					Seed: seed})); got != "" &&
					got != wrong[name] {
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

// told are the findings of each recording, and why they are true of the program;
// of those without any it is known that nothing of the kind is wrong with them, or
// that the recording does not tell.
var told = map[string]string{
	"agent-small.bin":                     "sleep-while-holding", // both of its sections
	"class-circle-jdk17.jfr.gz":           "deadlock",
	"class-init-jdk25.jfr.gz":             "sleep-while-holding", // a static initialiser sleeps
	"deadlock-monitors-and-juc-jdk17.txt": "deadlock",
	"derby-8clients.jfr":                  "hot-stripe", // most clients want one row's entry in Derby's table of locks
	"go126-debug2-dump.txt":               "",           // who has a lock no dump of Go tells
	"go126-sigquit-dump.txt":              "",
	"go126-truth-12goroutines.trace":      "sleep-while-holding",            // reconcile and flush sleep in theirs
	"hsqldb-6clients.jfr":                 "",                               // threads compute
	"lab-convoy-jdk25-d1s.jfr":            "file-while-holding",             // a log that is flushed now and then
	"lab-cpu-jdk25-d1s.jfr":               "",                               // sections compute
	"lab-rw-jdk25-d1s.jfr":                "sleep-while-holding",            // scanIndex and writeConfig
	"lab-striped-jdk17-profile.jfr":       "sleep-while-holding hot-stripe", // one of 16 is hot
	"lab-sync4-exact-jdk25.jfr":           "sleep-while-holding",
	"lab-virtual-exact-jdk25.jfr":         "sleep-while-holding",
	"moved-locks-jdk17.jfr.gz":            "",
	"moved-locks-jdk25.jfr.gz":            "hot-stripe", // one of several is taken by most
	"notify-jdk25.jfr":                    "",           // short sections, and seldom more than one who waits is woken
	"perf-python312-seed1.perf.txt.zst":   "sleep-while-holding blocked-while-holding",
	// more threads than processors, as the kernel tells
	"perf-python312-seed2.perf.txt.zst": "sleep-while-holding blocked-while-holding descheduled-while-holding",
	"perf-rust-seed1.perf.txt.zst":      "",
	"perf-truth-seed1.perf.txt.zst":     "sleep-while-holding blocked-while-holding",
	// two of its sections compute, on a machine with 40 others at work
	"perf-truth-seed2.perf.txt.zst": "sleep-while-holding blocked-while-holding descheduled-while-holding",
	// locks are free, and handed over
	"phases-default-settings.jfr": "",
	"phases.jfr":                  "",
	// a random program of the simulator, whose locks nest
	"sampled-v2.bin": "blocked-while-holding",
	"sampled-v2.txt": "blocked-while-holding",
	// exportReport and auditScan sleep, nestedTransfer takes two
	"truth-8threads-dumps50ms.jfr":  "sleep-while-holding blocked-while-holding",
	"truth-8threads-jdk25.jfr":      "sleep-while-holding blocked-while-holding",
	"truth-8threads.jfr":            "sleep-while-holding blocked-while-holding",
	"truth-light-8threads.jfr":      "sleep-while-holding",
	"truth-series-8dumps-jdk17.txt": "sleep-while-holding blocked-while-holding",
	"virtual-jdk25.jfr":             "", // whom virtual threads wait for is not recorded
	"xalan-8threads.jfr":            "", // threads compute

	// a fair lock held for 10 us, 32 threads that come every ms, one pause of 20 ms
	"findings/convoy-jdk17.jfr.gz": "",
	// two locks in both orders, each held when the other is asked for
	"findings/deadlock-jdk17.txt.gz": "deadlock",
	// one lock for each
	"findings/holding-jdk17.jfr.gz": "sleep-while-holding file-while-holding socket-while-holding " +
		"blocked-while-holding",
	// a barrier: all who are woken go on
	"findings/meet-jdk25.jfr.gz": "",
	// notify wakes one of those who wait
	"findings/one-jdk17.jfr.gz": "",
	// two locks in both orders, in turns
	"findings/orders-jdk17.txt.gz": "lock-order sleep-while-holding blocked-while-holding",
	// 120 MB are kept by a collector that stops everything
	"findings/paused-jdk17.jfr.gz": "sleep-while-holding paused-while-holding",
	// who has the lock reads from a pipe
	"findings/pipe-jdk17.txt.gz": "io-while-holding",
	// a lock made of compareAndSet and sleep(1), of which no wait is recorded
	"findings/polling-jdk17.jfr.gz": "polling",
	// the same with onSpinWait
	"findings/spinning-jdk17.jfr.gz": "polling",
	// indexOf of a synchronized list
	"findings/readers-jdk17.jfr.gz": "read-mostly",
	// HotSpot's monitor serves the last first, and one of four is always passed by two
	"findings/starvation-jdk17.jfr.gz": "sleep-while-holding blocked-while-holding starvation",
	// notifyAll for a letter that one of six fetches
	"findings/storm-jdk17.jfr.gz": "notify-storm",
	"findings/storm-jdk25.jfr.gz": "notify-storm",
	// 8 threads share the two objects of a Hikari pool, and an audit sleeps
	"pools/pools-jdk17.jfr": "sleep-while-holding pool-exhausted",
	"pools/pools-jdk25.jfr": "sleep-while-holding pool-exhausted",
}

// large are recordings that are read in .ci/run alone.
var large = []string{
	"derby-8clients.jfr",
	"hsqldb-6clients.jfr",
	"xalan-8threads.jfr",
	"truth-light-8threads.jfr",
	"lab-rw-jdk25-d1s.jfr",
}

// In each recording is found what is wrong with its program, and nothing else: no
// detector speaks of those that are healthy.
func TestRecordings(t *testing.T) {
	for _, name := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, ok := told[name]
			if !ok {
				t.Fatal("a new recording: say what is found in it, and whether that is true")
			}
			if slices.Contains(large, name) {
				golden.Thorough(t)
			}
			golden.Equal(t, setOf(inRecording(t, name)), want)
		})
	}
}

// recordings are those of testdata, by their names there.
func recordings(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{"*.jfr*", "*.trace", "*.zst", "*.txt", "*.bin", "findings/*.gz", "pools/*.jfr"} {
		some, err := filepath.Glob("../../testdata/" + pattern)
		if err != nil || len(some) == 0 {
			t.Fatalf("%s: %d recordings, %v", pattern, len(some), err)
		}
		for _, f := range some {
			name := golden.Must(filepath.Rel("../../testdata", f))(t)
			names = append(names, filepath.ToSlash(name))
		}
	}
	return names
}

// A lock that the JVM has while a class is initialised can be neither given back nor taken
// in another order.
func TestInitialisationIsNoLockOfTheProgram(t *testing.T) {
	const class = "initialisation of shop.Catalog"
	for k := range kinds {
		kind := Kind(k)
		fix, title := kind.Fix("shop.Cart"), kind.Titled("shop.Cart", "", "")
		if fix != kinds[k].remedy[0] || strings.ContainsAny(title, "{}") {
			t.Errorf("%s of another lock: %q, %q", kind, title, fix)
		}
		title = kind.Titled(class, "", "")
		if whole := whole(kind, class); strings.Contains(whole, " lock") ||
			strings.Contains(title, "holding the lock") ||
			!strings.Contains(whole, "initialised") {
			t.Errorf("%s: %q, %q", kind, title, whole)
		}
		if whole := whole(kind, "sync.Once"); kinds[k].doing != blame.DoingUnknown &&
			!strings.Contains(whole, "what runs once") {
			t.Errorf("%s: %q", kind, whole)
		}
		golden.Equal(
			t,
			k >= int(AsleepHolding) && k <= int(DescheduledHolding),
			strings.HasSuffix(title, " holding up the "+class),
			kinds[k].name,
			title,
		)
	}
}

func TestMain(m *testing.M) { golden.Main(m) }

// whole is the remedy of a kind, both parts.
func whole(k Kind, class string) string {
	fix, details := k.remedy(class)
	return fix + details
}
