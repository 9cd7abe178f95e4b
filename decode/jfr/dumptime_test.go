package jfr

import (
	"bytes"
	"reflect"
	"testing"

	"contend/decode/rules"
	"contend/decode/threaddump"
	"contend/format"
	"contend/golden"
)

func (d *dumpTimes) observe(waits ...recordedWait) {
	for _, w := range waits {
		d.waits.Append(w)
	}
}

// Of a dump that was asked for at 1000: worker 1 sleeps, 2 is blocked, 3 runs.
// Only from 5000 to 7000 was all of that so.
func TestDumpsGetTheInstantTheirThreadsAgreeWith(t *testing.T) {
	shows := []observation{
		{thread: 1, state: stateSleeps}, {thread: 2, class: 7, state: stateEnters}, {thread: 3}, {thread: 4},
	}
	waits := []recordedWait{
		{500, 2000, 1, 0, stateSleeps}, {4000, 9000, 1, 0, stateSleeps},
		{900, 1500, 2, 8, stateEnters}, {5000, 8000, 2, 7, stateEnters},
		{0, 4500, 3, 0, stateParks}, {7000, 9500, 3, 0, stateParks},
	}
	take := func(operations ...int64) int64 {
		var d dumpTimes
		var queue format.Queue
		d.observe(waits...)
		d.operations.list = operations
		d.dumps.list = []undatedDump{
			{asked: 1000, threads: shows, locks: []format.Event{{Kind: format.KindContention}}},
			{asked: 20_000},
		}
		d.advance(false, &queue)
		if !queue.Empty() {
			t.Error("delivered before the next chunk tells what was going on")
		}
		d.advance(false, &queue)
		var ev format.Event
		if !queue.Pop(&ev) {
			t.Fatal("not delivered")
		}
		if d.advance(false, &queue); d.before.Len()+d.waits.Len()+len(d.dumps.list)+len(d.operations.list) > 0 ||
			!queue.Empty() {
			t.Error("kept for longer than two chunks")
		}
		return ev.Time
	}
	golden.Equal(t, take(), 6000, "taken at")
	golden.Equal(t, take(900, 3000, 8000), 3000, "taken when the VM did it, at")
	golden.Equal(t, take(900, 30_000), 6000, "the next dump has an operation of its own: taken at")
}

// Of a dump that shows no lock the threads that could run are told all the same, at the
// instant the others agree with, if that is soon.
func TestRunnableThreadsOfDumps(t *testing.T) {
	for _, c := range []struct{ sleeps, at int64 }{{3e6, 3.5e6}, {9e6, 9.5e6}, {12e6, 0.5e6}} {
		var d dumpTimes
		var queue format.Queue
		d.observe(recordedWait{c.sleeps, c.sleeps + 50e6, 1, 0, stateSleeps})
		d.dumps.list = []undatedDump{
			{threads: []observation{{thread: 1, state: stateSleeps}}, running: []format.Party{{Thread: 2, Stack: 3}}},
		}
		d.advance(true, &queue)
		want := format.Event{
			Kind:     format.KindActivity,
			Activity: format.ActivityRunnable,
			Thread:   2,
			Stack:    3,
			Time:     c.at,
			End:      c.at,
		}
		var ev format.Event
		if !queue.Pop(&ev) || !reflect.DeepEqual(ev, want) {
			t.Errorf("asleep from %d on: %+v, want %+v", c.sleeps, ev, want)
		}
	}
}

// Who could run is told of Java code: in native code threads may wait, and where a class is
// initialised they do, though they are called runnable.
func TestWhoRunsInADump(t *testing.T) {
	java, native := []format.Frame{
		{Class: "A", Method: "m", Line: 3},
	}, []format.Frame{
		{Class: "A", Method: "n", Line: -1},
	}
	for _, c := range []struct {
		thread threaddump.Thread
		want   bool
	}{
		{threaddump.Thread{State: "RUNNABLE", Frames: java}, true},
		{threaddump.Thread{State: "RUNNABLE", Frames: native}, false},
		{threaddump.Thread{State: "RUNNABLE"}, false},
		{threaddump.Thread{State: "RUNNABLE", Frames: java, Wait: threaddump.Waiting}, false},
		{threaddump.Thread{State: "BLOCKED", Frames: java}, false},
	} {
		golden.Equal(t, runs(&c.thread), c.want, c.thread)
	}
}

// In a recording, who a dump shows waiting for a lock was recorded waiting for
// it at the instant the dump gets, nearly always.
func TestWaitersOfDumpsWaitThen(t *testing.T) {
	r := golden.Must(NewReader(bytes.NewReader(load(t, ours+"/truth-8threads-dumps50ms.jfr")), "", Options{}))(t)
	type shown struct {
		thread format.ThreadID
		at     int64
	}
	waits, dumps := map[format.ThreadID][]format.Event{}, []shown(nil)
	var ev format.Event
	for r.Read(&ev) == nil {
		switch ev.Kind {
		case format.KindWait:
			waits[ev.Thread] = append(waits[ev.Thread], ev)
		case format.KindContention:
			for _, w := range ev.Waiters {
				dumps = append(dumps, shown{w.Thread, ev.Time})
			}
		}
	}
	agree := 0
	for _, d := range dumps {
		for _, w := range waits[d.thread] {
			if w.Time <= d.at && d.at < w.End {
				agree++
				break
			}
		}
	}
	golden.AtLeast(t, len(dumps), 100)
	golden.AtLeast(t, float64(agree), 0.98*float64(len(dumps)))
	t.Logf("%d of %d", agree, len(dumps))
}

// Where nothing tells instants apart, the likeliest is soon after the dump was
// asked for; and no dump is taken as late as 1.5 s after.
func TestDumpsAreTakenSoon(t *testing.T) {
	for _, c := range []struct {
		waits []recordedWait
		want  int64
	}{
		{nil, 500_000},
		{[]recordedWait{{-5, 400_000, 1, 0, stateSleeps}}, 200_000},
		{[]recordedWait{{800_000_000, 900_000_000, 1, 0, stateSleeps}}, 800_500_000},
		{[]recordedWait{{1_500_000_000, 1_600_000_000, 1, 0, stateSleeps}}, 500_000},
	} {
		var d dumpTimes
		var queue format.Queue
		d.observe(c.waits...)
		d.dumps.list = []undatedDump{
			{
				threads: []observation{{thread: 1, state: stateSleeps}},
				locks:   []format.Event{{Kind: format.KindContention}},
			},
		}
		d.advance(true, &queue)
		var ev format.Event
		if queue.Pop(&ev); ev.Time != c.want {
			t.Errorf("%v: taken at %d, want %d", c.waits, ev.Time, c.want)
		}
	}
}

// A recording that goes on after its last dump may hide a deadlock that began then.
func TestARecordingMayGoOnBehindItsLastDump(t *testing.T) {
	const second = int64(1e9)
	for _, c := range []struct {
		last, end int64
		blind     bool
	}{{59, 60, false}, {58, 60, true}, {999, 1000, false}, {920, 1000, true}} {
		var r Reader
		r.symbols.chunk.head.durationNanos = c.end * second
		r.evidence.telling.addDump(0)
		r.evidence.telling.addDump(c.last * second)
		golden.Equal(t, r.blind() != "", c.blind, "the last dump at", c.last, "s of", c.end, "s")
		r.evidence.agent.follows = true
		golden.Equal(t, r.blind(), "", "samples show deadlocks, too")
	}
}

// A dump shows that nobody has a monitor. It does not show who has a synchronizer, the
// JDK's or a library's own: that nobody is shown to have it tells nothing.
func TestDumpsShowMonitorsFreeOnly(t *testing.T) {
	const head = "Full thread dump OpenJDK 64-Bit Server VM (17+35 mixed mode):\n\n"
	waits := func(state, how, class, frame string) string {
		return head + "\"waiter\" #20 prio=5 tid=0x1 nid=0x101 waiting [0x1]\n   java.lang.Thread.State: " + state +
			"\n\tat jdk.internal.misc.Unsafe.park(java.base@17/Native Method)\n\t- " + how + " <0x1f> (a " + class +
			")\n\tat " + frame + "\n\tat App.a(App.java:1)\n\nJNI global refs: 5\n"
	}
	const aqs = "java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire(java.base@17/" +
		"AbstractQueuedSynchronizer.java:938)"
	for _, c := range []struct {
		what, text string
		locks      int
	}{
		{"a monitor", head + "\"waiter\" #20 prio=5 tid=0x1 nid=0x101 waiting for monitor entry [0x1]\n   " +
			"java.lang.Thread.State: BLOCKED (on object monitor)\n\tat App.a(App.java:1)\n\t- waiting to lock " +
			"<0x1f> (a App$Lock)\n\nJNI global refs: 5\n", 1},
		{"the JDK's lock", waits("WAITING (parking)", "parking to wait for ",
			"java.util.concurrent.locks.ReentrantLock$NonfairSync", aqs), 0},
		{"a lock of one's own", waits("WAITING (parking)", "parking to wait for ", "App$Mutex$Sync", aqs), 0},
	} {
		r := &Reader{
			symbols:  resolver{rules: rules.Default(), ids: newIdentities()},
			evidence: evidence{dumps: threaddump.NewHotSpot()},
		}
		r.threadDump(1, c.text)
		if got := r.evidence.dumpTimes.dumps.list[0]; len(got.locks) != c.locks || len(got.threads) != 1 {
			t.Errorf("%s: %d locks free, want %d", c.what, len(got.locks), c.locks)
		}
	}
}

// A sample gets the time at which the threads stood still for it: the JVM's own
// word, where that is recorded, since whoever asked may have waited long.
func TestSamplesGetTheTimeOfTheirStop(t *testing.T) {
	s := agentSamples{stops: []int64{10e6, 60e6, 175e6}}
	for asked, want := range map[int64]int64{
		10e6 + 300e3:  10e6, // the clocks differ by a millisecond at most
		10e6 + 800e3:  10e6,
		10e6 + 1500e3: 60e6,
		45e6:          60e6,
		62e6:          175e6,
		180e6:         180e6, // not recorded
	} {
		golden.Equal(t, s.stopped(asked), want, "asked at", asked)
	}
	golden.Equal(
		t,
		(&agentSamples{stops: []int64{5e9}}).stopped(1e9),
		1e9,
		"a stop seconds later was taken for that of the sample",
	)
}

// A thread that an agent shows running has its id and its stack in the recording, and the time
// of the stop; in native code it may as well wait.
func TestThreadsAreShownRunning(t *testing.T) {
	r := golden.Must(
		NewReader(bytes.NewReader(load(t, ours+"/hsqldb-6clients.jfr")), "test.jfr", Options{AgentSamples: true}),
	)(
		t,
	)
	r.evidence.agent.stops = []int64{60e6}
	for _, ev := range []format.Event{
		{Kind: format.KindThread, Thread: 7, Name: "worker"},
		{Kind: format.KindStack, Stack: 1, Frames: []format.Frame{{Class: "A", Method: "compute", Line: 5}}},
		{Kind: format.KindStack, Stack: 2, Frames: []format.Frame{{Class: "A", Method: "read", Line: -1},
			{Class: "A", Method: "serve", Line: 5}}},
		{Kind: format.KindActivity, Activity: format.ActivityRunnable, Thread: 7, Stack: 2, Time: 59e6, End: 59e6},
		{Kind: format.KindActivity, Activity: format.ActivityRunnable, Thread: 7, Stack: 1, Time: 59e6, End: 59e6},
	} {
		r.Show(&ev)
	}
	var got []format.Event
	for ev := (format.Event{}); r.Next(&ev); {
		if ev.Kind == format.KindActivity {
			got = append(got, ev)
		}
	}
	want := format.Event{
		Kind:     format.KindActivity,
		Activity: format.ActivityRunnable,
		Thread:   r.symbols.ids.byJava[7],
		Stack:    r.evidence.agent.stacks[1],
		Time:     60e6,
		End:      60e6,
	}
	if len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("shown: %+v, want %+v", got, want)
	}
}
