package findings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/blame/overview"
	"contend/decode"
	"contend/format"
	"contend/format/simulate"
)

// script is a trace in the making; times in ms.
type script struct {
	t      *testing.T
	list   format.List
	stacks format.StackID
}

func newScript(t *testing.T, threads, locks int) *script {
	s := &script{t: t}
	s.write(format.Event{Kind: format.KindRecording, Time: 0, End: 10000 * ms})
	for i := range threads {
		s.write(format.Event{Kind: format.KindThread, Thread: format.ThreadID(i + 1), Name: fmt.Sprintf("worker-%d", i)})
	}
	for i := range locks {
		s.write(format.Event{Kind: format.KindObject, Object: format.ObjectID(i + 1), Class: "Ledger", Hash: uint64(i + 1)})
	}
	return s
}

func (s *script) write(ev format.Event) {
	s.t.Helper()
	if err := s.list.Write(&ev); err != nil {
		s.t.Fatal(err)
	}
}

// stack returns a stack, written Class.method innermost first.
func (s *script) stack(frames ...string) format.StackID {
	s.stacks++
	ev := format.Event{Kind: format.KindStack, Stack: s.stacks}
	for _, f := range frames {
		dot := strings.LastIndexByte(f, '.')
		ev.Frames = append(ev.Frames, format.Frame{Class: f[:dot], Method: f[dot+1:], Line: 1})
	}
	s.write(ev)
	return s.stacks
}

// wait lets a thread wait for a lock, and then have it.
func (s *script) wait(thread, lock int, stack format.StackID, from, to, until int64) {
	t, l := format.ThreadID(thread), format.ObjectID(lock)
	s.write(format.Event{Kind: format.KindWait, Thread: t, Object: l, Time: from * ms, End: to * ms, Stack: stack})
	s.write(format.Event{Kind: format.KindTenure, Thread: t, Object: l, Time: to * ms, End: until * ms, Stack: stack})
}

func (s *script) kinds() string {
	s.t.Helper()
	return kindsOf(find(s.t, &s.list, 10000*ms))
}

// served lets threads take a lock in turns of a ms each, each as soon as it may
// again, in the order that pick makes of who waits.
func served(t *testing.T, pick func(turn int, waiting []int) int) *script {
	s := newScript(t, 4, 1)
	site := s.stack("Shop.sell")
	since, waiting, owner := map[int]int64{1: 0, 2: 0, 3: 0}, []int{1, 2, 3}, 4
	for turn := range 300 {
		i := pick(turn, waiting)
		next := waiting[i]
		waiting = append(slices.Delete(waiting, i, i+1), owner)
		now := int64(10 * (turn + 1))
		s.wait(next, 1, site, since[next], now, now+10)
		since[owner], owner = now, next
	}
	return s
}

// Who is always passed starves; a lock that serves the last first, or anyone,
// is unfair to all alike.
func TestStarvation(t *testing.T) {
	for _, c := range []struct {
		name string
		pick func(turn int, waiting []int) int
		want string
	}{
		{"in order", func(int, []int) int { return 0 }, ""},
		{"the first thread after all others have been twice", func(turn int, w []int) int {
			if at := slices.Index(w, 1); turn%8 != 7 {
				return slices.IndexFunc(w, func(id int) bool { return id != 1 })
			} else if at >= 0 {
				return at
			}
			return 0
		}, "starvation"},
		{"in any order", func(turn int, w []int) int { return int(uint32(turn*2654435761)>>7) % len(w) }, ""},
		{"backwards in turns", func(turn int, w []int) int {
			if turn/3%2 == 0 {
				return len(w) - 1
			}
			return 0
		}, ""},
	} {
		s := served(t, c.pick)
		got := find(t, &s.list, 10000*ms)
		if kindsOf(got) != c.want {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		} else if c.want != "" && (got[0].Thread != "worker-0" || got[0].Confidence != High) {
			t.Errorf("%s: %+v", c.name, got[0])
		}
	}
}

// One stripe is hot that has most of the waiting, most of the time, of locks
// that are alike: not of two, of which one always has, not in one burst, and not
// among the parts of a lock that changed its address.
func TestHotStripe(t *testing.T) {
	even := func(i int) int { return 1 + i%4 }
	for _, c := range []struct {
		name string
		lock func(i int) int
		want string
	}{
		{"even", even, ""},
		{"hot", func(i int) int {
			if i%5 < 4 {
				return 1
			}
			return even(i / 5)
		}, "hot-stripe"},
		{"of two", func(i int) int { return 1 + i%5/4 }, ""},
		{"in a burst", func(i int) int {
			if i >= 40 && i < 80 {
				return 1
			}
			return 2 + i%3
		}, ""},
		{"one after the other", func(i int) int { return 1 + min(i, 10)/5 }, ""},
	} {
		s := newScript(t, 3, 4)
		site := s.stack("Shop.sell")
		for i := range 100 {
			at, l := int64(i*90), c.lock(i)
			long := int64(20)
			if c.name == "in a burst" && l == 1 {
				long = 80
			}
			s.write(format.Event{Kind: format.KindTenure, Thread: 1, Object: format.ObjectID(l), Time: at * ms, End: (at + long) * ms, Stack: site})
			s.wait(2, l, site, at, at+long, at+long+1)
		}
		if got := s.kinds(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Readers of the JDK's collections wait for readers; writers do not count.
func TestReadMostly(t *testing.T) {
	for _, c := range []struct{ owner, waiter, want string }{
		{"java.util.Hashtable.get", "java.util.Hashtable.containsKey", "read-mostly"},
		{"java.util.Hashtable.get", "java.util.Hashtable.put", ""},
		{"java.util.Hashtable.put", "java.util.Hashtable.get", ""},
		{"java.util.HashMap.get", "java.util.HashMap.get", ""},
	} {
		s := newScript(t, 2, 1)
		owner, waiter := s.stack(c.owner, "Shop.price"), s.stack(c.waiter, "Shop.price")
		s.write(format.Event{Kind: format.KindTenure, Thread: 1, Object: 1, Time: 0, End: 500 * ms, Stack: owner})
		s.wait(2, 1, waiter, 0, 500, 501)
		got := find(t, &s.list, 10000*ms)
		if kindsOf(got) != c.want || c.want != "" && (got[0].Confidence != Medium || got[0].WaitNs != 500*ms) {
			t.Errorf("%s, %s: %+v", c.owner, c.waiter, got)
		}
	}
}

func TestPausedHolding(t *testing.T) {
	for _, c := range []struct{ name, want string }{{format.PauseGC, "paused-while-holding"}, {"safepoint", ""}} {
		s := newScript(t, 2, 1)
		site := s.stack("Shop.sell")
		s.write(format.Event{Kind: format.KindPause, Name: c.name, Time: 100 * ms, End: 400 * ms})
		s.write(format.Event{Kind: format.KindWait, Thread: 2, Object: 1, Time: 0, End: 500 * ms, Stack: site, Owner: 1})
		got := find(t, &s.list, 10000*ms)
		if kindsOf(got) != c.want || c.want != "" && got[0].WaitNs != 300*ms {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// An owner that is ready to run, and does not, is told where the recorder says so,
// as perf does of the kernel's switches.
func TestDescheduledHolding(t *testing.T) {
	for activity, want := range map[format.Activity]string{format.ActivityReady: "descheduled-while-holding", format.ActivityRun: ""} {
		s := newScript(t, 3, 1)
		s.write(format.Event{Kind: format.KindSetting, Name: format.SettingReleases, Value: format.ReleasesWaking})
		sell := s.stack("Shop.sell")
		release := func(thread, woken format.ThreadID, at int64) {
			s.write(format.Event{Kind: format.KindRelease, Thread: thread, Woken: woken, Object: 1, Time: at * ms, Stack: sell})
		}
		s.write(format.Event{Kind: format.KindWait, Thread: 1, Object: 1, Time: 0, End: 50 * ms, Stack: sell})
		release(3, 1, 50)
		s.write(format.Event{Kind: format.KindActivity, Activity: activity, Thread: 1, Time: 100 * ms, End: 400 * ms, Stack: sell})
		s.write(format.Event{Kind: format.KindWait, Thread: 2, Object: 1, Time: 60 * ms, End: 500 * ms, Stack: sell})
		release(1, 2, 500)
		got := find(t, &s.list, 10000*ms)
		if kindsOf(got) != want || want != "" && (got[0].WaitNs != 300*ms || got[0].Owner != "Shop.sell:1") {
			t.Errorf("%v: %+v", activity, got)
		}
	}
}

// A pool is exhausted while anybody waits for it; a queue is no pool.
func TestPoolExhausted(t *testing.T) {
	for _, c := range []struct{ frame, want string }{
		{"com.zaxxer.hikari.pool.HikariPool.getConnection", "pool-exhausted"},
		{"org.apache.commons.pool2.impl.GenericObjectPool.borrowObject", "pool-exhausted"},
		{"java.util.concurrent.LinkedBlockingQueue.take", ""},
	} {
		s := newScript(t, 3, 1)
		site := s.stack("java.util.concurrent.locks.LockSupport.park", c.frame, "Shop.query")
		for i := range 2 {
			from := int64(100 * i)
			s.write(format.Event{Kind: format.KindActivity, Activity: format.ActivityPark, Resource: true, Thread: format.ThreadID(i + 1), Time: from * ms, End: (from + 300) * ms, Stack: site})
		}
		got := find(t, &s.list, 1000*ms)
		if kindsOf(got) != c.want {
			t.Errorf("%s: %+v", c.frame, got)
		} else if c.want != "" && (got[0].WaitNs != 600*ms || got[0].Threads != 2 || got[0].Evidence != "2 waits of 2 threads: nothing was left for 400 ms, 40 % of the time") {
			t.Errorf("%s: %+v", c.frame, got[0])
		}
	}
}

// simulated returns what is found in a program of the simulator.
func simulated(t *testing.T, c simulate.Config) []Finding {
	t.Helper()
	l := &format.List{}
	if _, err := simulate.Run(c, l, nil); err != nil {
		t.Fatal(err)
	}
	return find(t, l, c.Duration)
}

// A queue is a convoy where handing over keeps it, and not where the sections
// themselves do, or where the same hand-over comes so rarely that queues end.
func TestConvoy(t *testing.T) {
	short := simulate.Config{Scenario: "shards", Threads: 8, Locks: 1, Slow: "serve0", SlowBy: -95, Handoff: 1 * ms, Duration: 2e9, Seed: 1}
	got := simulated(t, short)
	if kindsOf(got) != "convoy" || got[0].Confidence != High {
		t.Errorf("%+v", got)
	}
	for name, change := range map[string]func(*simulate.Config){
		"hand-over takes no time": func(c *simulate.Config) { c.Handoff = 1000 },
		"sections are long":       func(c *simulate.Config) { c.Slow = "" },
		"few threads":             func(c *simulate.Config) { c.Threads = 2 },
	} {
		c := short
		change(&c)
		if got := simulated(t, c); kindsOf(got) != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// No program of the simulator has anything wrong but what its name says, or
// that owners wait for other locks.
func TestHealthyProgramsHaveNoFindings(t *testing.T) {
	names, _ := simulate.Scenarios()
	for _, name := range names {
		for _, handoff := range []int64{0, 1000} {
			for _, f := range simulated(t, simulate.Config{Scenario: name, Duration: 5e8, Handoff: handoff, Seed: 1}) {
				if f.Kind > BlockedHolding {
					t.Errorf("%s: %+v", name, f)
				}
			}
		}
	}
}

// inRecording returns what is found in a recording of testdata.
func inRecording(t *testing.T, name string) []Finding {
	t.Helper()
	tr, err := decode.Open([]string{filepath.Join("../../testdata", name)}, nil, decode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	c, v := overview.New(overview.Options{}), NewEvidence()
	res, err := analysis.Run(tr, analysis.Filter{From: format.NoTime, To: format.NoTime}, c, v)
	if err != nil {
		t.Fatal(err)
	}
	return Find(c, c.Locks(), v, Trace{Symbols: res.Symbols, Deadlocks: res.Deadlocks, ElapsedNs: res.ElapsedNs, Trust: res.Coverage.Calibration})
}

// speak are the recordings with something wrong that rests on more than what
// owners were at, and why that is true of the program.
var speak = map[string]string{
	"findings/convoy-jdk17.jfr.gz":      "convoy",               // a fair lock held for 10 us, 32 threads that come every ms, one pause of 20 ms
	"findings/starvation-jdk17.jfr.gz":  "starvation",           // HotSpot's monitor serves the last first, and one of four is always passed by two
	"findings/readers-jdk17.jfr.gz":     "read-mostly",          // indexOf of a synchronized list
	"findings/paused-jdk17.jfr.gz":      "paused-while-holding", // 120 MB are kept by a collector that stops everything
	"pools/pools-jdk17.jfr":             "pool-exhausted",       // 8 threads share the two objects of a Hikari pool
	"pools/pools-jdk25.jfr":             "pool-exhausted",
	"lab-striped-jdk17-profile.jfr":     "hot-stripe",                // one of 16 is hot
	"moved-locks-jdk25.jfr.gz":          "hot-stripe",                // the same
	"perf-python312-seed2.perf.txt.zst": "descheduled-while-holding", // more threads than processors, as the kernel tells
	"perf-truth-seed2.perf.txt.zst":     "descheduled-while-holding", // the same: two of its sections compute, on a machine with 40 others at work
	"derby-8clients.jfr":                "hot-stripe",                // most clients want one row's entry in Derby's table of locks
}

// Each kind is found in a real recording that has it, and no other recording has
// any of them.
func TestRecordingsWithFindings(t *testing.T) {
	for name, want := range speak {
		if filepath.Dir(name) == "." && os.Getenv("CONTEND_THOROUGH") == "" {
			continue // the large ones
		}
		var got []string
		for _, f := range inRecording(t, name) {
			if f.Kind > BlockedHolding && !slices.Contains(got, f.Kind.String()) {
				got = append(got, f.Kind.String())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestOtherRecordingsHaveNone(t *testing.T) {
	if os.Getenv("CONTEND_THOROUGH") == "" {
		t.Skip("CONTEND_THOROUGH is not set, as .ci/run sets it")
	}
	var files []string
	for _, kind := range []string{"*.jfr*", "*.trace", "*.zst"} {
		some, err := filepath.Glob("../../testdata/" + kind)
		if err != nil || len(some) == 0 {
			t.Fatalf("%s: %d recordings, %v", kind, len(some), err)
		}
		files = append(files, some...)
	}
	for _, file := range files {
		if name := filepath.Base(file); speak[name] == "" {
			for _, f := range inRecording(t, name) {
				if f.Kind > BlockedHolding {
					t.Errorf("%s: %+v", name, f)
				}
			}
		}
	}
}
