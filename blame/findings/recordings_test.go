package findings

import (
	"path/filepath"
	"slices"
	"testing"

	"contend/golden"
)

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
	"perf-python312-seed2.perf.txt.zst":   "sleep-while-holding blocked-while-holding descheduled-while-holding", // more threads than processors, as the kernel tells
	"perf-rust-seed1.perf.txt.zst":        "",
	"perf-truth-seed1.perf.txt.zst":       "sleep-while-holding blocked-while-holding",
	"perf-truth-seed2.perf.txt.zst":       "sleep-while-holding blocked-while-holding descheduled-while-holding", // two of its sections compute, on a machine with 40 others at work
	"phases-default-settings.jfr":         "",                                                                    // locks are free, and handed over
	"phases.jfr":                          "",
	"sampled-v2.bin":                      "blocked-while-holding", // a random program of the simulator, whose locks nest
	"sampled-v2.txt":                      "blocked-while-holding",
	"truth-8threads-dumps50ms.jfr":        "sleep-while-holding blocked-while-holding", // exportReport and auditScan sleep, nestedTransfer takes two
	"truth-8threads-jdk25.jfr":            "sleep-while-holding blocked-while-holding",
	"truth-8threads.jfr":                  "sleep-while-holding blocked-while-holding",
	"truth-light-8threads.jfr":            "sleep-while-holding",
	"truth-series-8dumps-jdk17.txt":       "sleep-while-holding blocked-while-holding",
	"virtual-jdk25.jfr":                   "", // whom virtual threads wait for is not recorded
	"xalan-8threads.jfr":                  "", // threads compute

	"findings/convoy-jdk17.jfr.gz":     "",                                                                                  // a fair lock held for 10 us, 32 threads that come every ms, one pause of 20 ms
	"findings/deadlock-jdk17.txt.gz":   "deadlock",                                                                          // two locks in both orders, each held when the other is asked for
	"findings/holding-jdk17.jfr.gz":    "sleep-while-holding file-while-holding socket-while-holding blocked-while-holding", // one lock for each
	"findings/meet-jdk25.jfr.gz":       "",                                                                                  // a barrier: all who are woken go on
	"findings/one-jdk17.jfr.gz":        "",                                                                                  // notify wakes one of those who wait
	"findings/orders-jdk17.txt.gz":     "lock-order sleep-while-holding blocked-while-holding",                              // two locks in both orders, in turns
	"findings/paused-jdk17.jfr.gz":     "sleep-while-holding paused-while-holding",                                          // 120 MB are kept by a collector that stops everything
	"findings/pipe-jdk17.txt.gz":       "io-while-holding",                                                                  // who has the lock reads from a pipe
	"findings/polling-jdk17.jfr.gz":    "polling",                                                                           // a lock made of compareAndSet and sleep(1), of which no wait is recorded
	"findings/spinning-jdk17.jfr.gz":   "polling",                                                                           // the same with onSpinWait
	"findings/readers-jdk17.jfr.gz":    "read-mostly",                                                                       // indexOf of a synchronized list
	"findings/starvation-jdk17.jfr.gz": "sleep-while-holding blocked-while-holding starvation",                              // HotSpot's monitor serves the last first, and one of four is always passed by two
	"findings/storm-jdk17.jfr.gz":      "notify-storm",                                                                      // notifyAll for a letter that one of six fetches
	"findings/storm-jdk25.jfr.gz":      "notify-storm",
	"pools/pools-jdk17.jfr":            "sleep-while-holding pool-exhausted", // 8 threads share the two objects of a Hikari pool, and an audit sleeps
	"pools/pools-jdk25.jfr":            "sleep-while-holding pool-exhausted",
}

// large are recordings that are read in .ci/run alone.
var large = []string{"derby-8clients.jfr", "hsqldb-6clients.jfr", "xalan-8threads.jfr", "truth-light-8threads.jfr", "lab-rw-jdk25-d1s.jfr"}

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
			if got := setOf(inRecording(t, name)); got != want {
				t.Errorf("%q, want %q", got, want)
			}
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
