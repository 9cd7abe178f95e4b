package decode

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// Events at times that no clock gives are left out, counted and said; those beside them
// are kept, and no two that are admitted are further apart than int64 holds a few of.
func TestTimesAreAdmitted(t *testing.T) {
	for name, c := range map[string]struct {
		lines   string
		kept    int
		refused int64
	}{
		"as they are":    {"wait time=1795230297265689603 end=1795230297265689703 thread=1 lock=1\n", 1, 0},
		"from the start": {"wait time=0 end=5 thread=1 lock=1\nwait time=-5 end=5 thread=1 lock=1\n", 2, 0},
		"a limit": {"wait time=1 end=9223372036854775807 thread=1 lock=1\nwait time=1 end=2 thread=1 " +
			"lock=1\n", 1, 1},
		"both limits": {"recording time=-9223372036854775808 end=9223372036854775807\ntenure time=0 end=1 " +
			"thread=1 lock=1\n", 1, 1},
		"half of the limits": {"wait time=1795230297265689603 end=1795230297265689703 thread=1 lock=1\nwait " +
			"time=-4611686018427387904 end=4611686018427387903 thread=1 lock=1\n", 1, 1},
		"weights": {"tick time=5 intended=5 weight=9223372036854775807 live=1\ntick time=6 " +
			"intended=9223372036854775807 live=1\ntick time=7 intended=7 live=1\n", 1, 2},
	} {
		src, err := Open(
			[]string{Stdin},
			strings.NewReader(
				"contend 1\nthread thread=1 name=\"a\" group=\"a\"\nobject lock=1 class=\"c\" hash=7\n"+c.lines+"end\n",
			),
			Options{},
		)
		golden.OK(t, err)
		kept := 0
		var ev format.Event
		for err = src.Read(&ev); err == nil; err = src.Read(&ev) {
			if !ev.Kind.Timed() {
				continue
			}
			kept++
			for _, at := range []int64{ev.Time, ev.End} {
				golden.Within(t, at, -math.MaxInt64/2, math.MaxInt64/2, name)
			}
		}
		refused := int64(0)
		for _, d := range src.Stats().Damage.Places {
			refused += d.Events
		}
		if !errors.Is(err, io.EOF) || kept != c.kept || refused != c.refused {
			t.Errorf("%s: %d events, want %d; %d refused, want %d: %v", name, kept, c.kept, refused, c.refused, err)
		}
	}
}

// What an input names nowhere but as an owner, a waiter or in a sample is kept apart from
// what the next one calls the same; nothing stays nothing, and wild ids become small.
func TestIDsOfSeveralInputsStayApart(t *testing.T) {
	const wild = 4_000_000_000
	events := func() []format.Event {
		return []format.Event{
			{Kind: format.KindThread, Thread: 2},
			{
				Kind:    format.KindContention,
				Object:  3,
				Owners:  []format.Party{{Thread: 7, Stack: 9}},
				Waiters: []format.Party{{Thread: 8, Stack: 11}, {Thread: wild, Stack: 10}},
			},
			{Kind: format.KindWait, Thread: 2, Owner: 5, Object: 4, Stack: 1},
		}
	}
	threads, stacks, objects := map[format.ThreadID]int{}, map[format.StackID]int{}, map[format.ObjectID]int{}
	var s shift
	for input := range 3 {
		if input > 0 {
			s.advance()
		}
		for _, ev := range events() {
			s.apply(&ev)
			for _, id := range []format.ThreadID{ev.Thread, ev.Owner} {
				if id != format.NoThread {
					threads[id] |= 1 << input
				}
			}
			for _, p := range append(ev.Owners, ev.Waiters...) {
				threads[p.Thread] |= 1 << input
				stacks[p.Stack] |= 1 << input
				golden.AtMost(t, p.Thread, wild/2, "the id", "is not small")
			}
			if ev.Stack != format.NoStack {
				stacks[ev.Stack] |= 1 << input
			}
			if ev.Object != format.NoObject {
				objects[ev.Object] |= 1 << input
			}
			golden.Equal(t, ev.Woken, format.NoThread, "nobody became")
		}
	}
	for name, n := range map[string]int{"threads": len(threads) - 3*5, "stacks": len(stacks) - 3*4,
		"objects": len(objects) - 3*2} {
		golden.Equal(t, n, 0, name, "more than there are")
	}
}

// Notations that people show in public; what they say must be read.
func TestNotations(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"Spark's threads in JSON", `[ {
  "threadId" : 46, "threadName" : "dispatcher", "threadState" : "BLOCKED",
  "stackTrace" : "a.B.get(B.java:4)\njava.lang.Thread.run(Thread.java:748)",
  "blockedByThreadId" : 47, "blockedByLock" : "Lock(a.B@350285679})", "holdingLocks" : [ ]
}, {
  "threadId" : 47, "threadName" : "rpc", "threadState" : "TIMED_WAITING",
  "stackTrace" : {"elems" : [ "java.lang.Thread.sleep(Native Method)", "a.B.put(B.java:9)" ]},
  "blockedByLock" : "", "holdingLocks" : [ "Monitor(a.B@350285679})" ]
} ]`, "a.B@350285679: rpc <- dispatcher\n"},
		{"a report with its title outside of the fence", "# Found one Java-level deadlock:\n\n```\n" +
			"\"a\":\n  waiting to lock monitor 0x1 (object 0x7a, a d.A),\n  which is held by \"b\"\n" +
			"\"b\":\n  waiting to lock monitor 0x2 (object 0x7b, a d.B),\n  which is held by \"a\"\n```\n",
			"d.A@7a: b <- a\nd.B@7b: a <- b\n"},
		{"remarks behind goroutines", "goroutine 19 [sync.Mutex.Lock, 3 minutes]:   <- waits for ever\n" +
			"sync.(*Mutex).lockSlow(0xc000108000)\n\t/sync/mutex.go:171 +0x15d\n" +
			"main.(*S).Write(0xc000108000)\n\t/app/s.go:89 +0x4f\n",
			"sync.Mutex@c000108000: ? <- main.(*S).Write #19\n"},
		{"goroutines without their frames", "goroutine 421 [sync.RWMutex.Lock, 11 minutes]:   # reconciler\n  " +
			"Reconcile -> Reset   store/store.go:68\n", "sync.RWMutex@0: ? <- sync.(*RWMutex).Lock #421\n"},
		{"bold lines", "**### \"main\" prio=5 tid=1 Blocked**\n  | held mutexes=\n  at a.B.get(B.java:4)\n  **- " +
			"waiting to lock <0x07> (a a.B) held by thread 5\n  at** a.B.run(B.java:3)\n\n" +
			"**\"w\" prio=5 tid=5 Native**\n  | held mutexes=\n  at a.B.put(B.java:9)\n  - locked <0x07> (a a.B)\n",
			"a.B@7: w <- main\n"},
		{"a console's words of states", "\"w\" tid=5 Timed Waiting\n  at java.lang.Thread.sleep (Native method)\n  " +
			"at a.B.put (B.java:9)\n  - locked <0x07> (a a.B)\n\n" +
			"\"main\" tid=1 Blocked\n  at a.B.get (B.java:4)\n" +
			"  - waiting to lock <0x07> (a a.B) held by thread 5\n\n", "a.B@7: w <- main\n"},
		{"a quote of code", "`\"main\" prio=5 tid=1 Blocked\n  | held mutexes=\n  at a.B.get (B.java:4)\n- waiting " +
			"to lock <0x07> (a a.B) held by thread 5\n\n" +
			"\"w\" prio=5 tid=5 Sleeping\n  at a.B.put (B.java:9)\n- locked <0x07> (a a.B)\n`\n", "a.B@7: w <- main\n"},
	} {
		if got := shown(t, []byte(c.text)); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s shows\n%swant\n%s", c.name, got, c.want)
		}
	}
	for _, text := range []string{`{"threadName":"main","threadState":"x","message":"no dump"}`, "[]",
		`[{"threadName":1,"threadState":2}]`} {
		golden.Holds(t, shown(t, []byte(text)), "not a thread dump")
	}
}

// What records a program is in none of its answers: an owner that is a recorder is not told,
// its waits, samples and releases are left out; a flight recorder's idle time stays.
func TestRecordersAreLeftOut(t *testing.T) {
	const trace = `contend 1
thread thread=1 name="main"
thread thread=2 name="contend-sampler"
thread thread=3 name="JFR Periodic Tasks"
thread thread=4 name="contend-worker"
object lock=1 class="L" kind=monitor
stack stack=1 frames="app.A":"a":"A.java":1
stack stack=2 frames="contend.agent.Pace":"program":"":0,"contend.agent.Recorder":"run":"":0
wait time=10 end=20 thread=1 lock=1 stack=1 owner=2
wait time=10 end=20 thread=2 lock=1
wait time=10 end=20 thread=3 lock=1
wait time=10 end=20 thread=4 lock=1 stack=2
wait time=10 end=20 thread=4 lock=1 stack=1
activity time=30 end=30 thread=2 activity=run
activity time=30 end=30 thread=3 activity=run
activity time=30 end=40 thread=2 activity=park
activity time=30 end=40 thread=3 activity=park
tick time=50 intended=50
contention time=50 lock=1 owners=2/1/x waiters=1/1/x,3/1/x
contention time=50 lock=1 owners=4/2/x waiters=2/1/x
contention time=50 lock=1 owners=4/1/x waiters=1/1/x
release time=60 thread=3 lock=1 woken=1
release time=60 thread=1 lock=1 woken=3
end
`
	src, err := Open([]string{Stdin}, strings.NewReader(trace), Options{})
	golden.OK(t, err)
	defer src.Close()
	var b strings.Builder
	w := format.NewTextWriter(&b)
	var ev format.Event
	for err = src.Read(&ev); err == nil; err = src.Read(&ev) {
		if ev.Kind.Timed() || ev.Kind == format.KindThread {
			golden.OK(t, w.Write(&ev))
		}
	}
	want := `thread thread=1 name="main"
thread thread=3 name="JFR Periodic Tasks"
thread thread=4 name="contend-worker"
wait time=10 end=20 thread=1 lock=1 stack=1
wait time=10 end=20 thread=4 lock=1 stack=1
activity time=30 end=40 thread=3 activity=park
tick time=50 intended=50
contention time=50 lock=1 owners=0/0/x waiters=1/1/x
contention time=50 lock=1 owners=4/1/x waiters=1/1/x
release time=60 thread=1 lock=1
`
	golden.OK(t, w.Close())
	golden.Holds(t, b.String(), want)
}

// An input that cannot be opened ends those before it: nobody reads on in them.
func TestFailedOpenEndsTheOthers(t *testing.T) {
	var events []*format.Event
	for i := range 20_000 {
		events = append(events, &format.Event{Kind: format.KindThreadStart, Time: int64(i), Thread: format.ThreadID(i)})
	}
	dir := t.TempDir()
	trace, none := filepath.Join(dir, "trace"), filepath.Join(dir, "none")
	for path, data := range map[string][]byte{trace: nativeTrace(t, events...),
		trace + ".zst": packed(t, nativeTrace(t, events...)), none: []byte("\x00none")} {
		golden.OK(t, os.WriteFile(path, data, 0o600))
	}
	before := runtime.NumGoroutine()
	for _, path := range []string{trace, trace + ".zst", "../testdata/go126-truth-12goroutines.trace",
		"../testdata/truth-8threads.jfr"} {
		for _, last := range []string{none, filepath.Join(dir, "missing")} {
			if _, err := Open([]string{path, last}, nil, Options{Labels: []string{"a", "b"}}); err == nil {
				// an input with a label is not left out
				t.Fatal("what is no trace was opened")
			}
			if left := golden.WaitForGoroutines(before); left > before {
				stacks := make([]byte, 1<<16)
				t.Fatalf(
					"%s: %d goroutines for %d before\n%s",
					path,
					left,
					before,
					stacks[:runtime.Stack(stacks, true)],
				)
			}
		}
	}
}

func TestMain(m *testing.M) { golden.Main(m) }
