package pass

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/owners"
	"contend/format"
	"contend/golden"
)

const (
	ofMonitor   = 1
	ofCondition = 2
	ofLock      = 3
	ofOther     = 4 // the same, as samples name it
	awaitStack  = 11
	queueStack  = 12
	againStack  = 13
)

// waitingLocks names a monitor, and a condition with its lock.
func waitingLocks() []format.Event {
	frame := func(class, method string) format.Frame { return format.Frame{Class: class, Method: method} }
	condition := frame(analysis.ConditionObject, "await")
	return []format.Event{
		{Kind: format.KindObject, Object: ofMonitor, Class: "app.Box", LockKind: format.KindMonitor},
		{Kind: format.KindObject, Object: ofCondition, Class: analysis.ConditionObject},
		{
			Kind:     format.KindObject,
			Object:   ofLock,
			Class:    "java.util.concurrent.locks.ReentrantLock$NonfairSync",
			LockKind: format.KindSynchronizer,
		},
		{
			Kind:  format.KindStack,
			Stack: awaitStack,
			Frames: []format.Frame{
				frame("java.util.concurrent.locks.LockSupport", "park"),
				condition,
				frame("app.Box", "take"),
			},
		},
		{
			Kind:  format.KindStack,
			Stack: queueStack,
			Frames: []format.Frame{
				condition,
				frame("java.util.concurrent.LinkedBlockingQueue", "take"),
				frame("app.Box", "take"),
			},
		},
		{
			Kind:  format.KindStack,
			Stack: againStack,
			Frames: []format.Frame{
				frame("java.util.concurrent.locks.AbstractQueuedSynchronizer", "acquire"),
				condition,
				frame("app.Box", "take"),
			},
		},
	}
}

// Getting a lock back after a wait is acquiring: for as long as the source shows it, or
// else estimated within a range.
func TestGettingALockBackIsAcquiring(t *testing.T) {
	const ms = int64(1e6)
	notified := func(thread, by int, from, to int64) format.Event {
		return format.Event{
			Kind:     format.KindActivity,
			Activity: format.ActivityWait,
			Object:   ofMonitor,
			Thread:   format.ThreadID(thread),
			Owner:    format.ThreadID(by),
			Time:     from,
			End:      to,
		}
	}
	notifies := func(by int, at int64) format.Event {
		return format.Event{
			Kind:     format.KindActivity,
			Activity: format.ActivityRun,
			Object:   ofMonitor,
			Thread:   format.ThreadID(by),
			Time:     at,
			End:      at + 1,
		}
	}
	awaits := func(thread int, stack format.StackID, from, to int64) format.Event {
		return format.Event{
			Kind:     format.KindActivity,
			Activity: format.ActivityPark,
			Object:   ofCondition,
			Stack:    stack,
			Thread:   format.ThreadID(thread),
			Time:     from,
			End:      to,
			Resource: true,
		}
	}
	idles := func(thread int, at int64) format.Event {
		return acts(format.ActivityPark, thread, at, at+1)
	}
	blocked := func(thread int, lock format.ObjectID, at int64) format.Event {
		return format.Event{
			Kind:    format.KindContention,
			Weight:  format.EvidenceOnly,
			Object:  lock,
			Time:    at,
			Waiters: []format.Party{{Thread: format.ThreadID(thread)}},
		}
	}
	for i, c := range []struct {
		events        []format.Event
		low, ns, high int64 // ms
		lock          string
	}{
		{[]format.Event{notified(2, 1, 0, 100*ms)}, 0, 0, 0, ""},
		// it is recorded when
		{[]format.Event{notified(2, 1, 0, 100*ms), notifies(1, 60*ms)}, 40, 40, 40, "app.Box"},
		// one of the two calls
		{[]format.Event{notified(2, 1, 0, 100*ms), notifies(1, 60*ms), notifies(1, 80*ms)}, 20, 30, 40, "app.Box"},
		// a sample shows it
		{[]format.Event{notified(2, 1, 0, 100*ms), idles(2, 50*ms), blocked(2, ofMonitor, 70*ms)}, 30, 40, 50,
			"app.Box"},
		// one after the other
		{[]format.Event{notified(2, 1, 0, 50*ms), notified(3, 1, 0, 70*ms), notified(4, 1, 0, 90*ms),
			blocked(3, ofMonitor, 52*ms), blocked(4, ofMonitor, 54*ms)}, 54, 57, 60, "app.Box"},
		// the notifier had it from 30 ms on
		{[]format.Event{notified(2, 1, 0, 50*ms), notified(3, 1, 0, 70*ms), notified(1, 2, 0, 30*ms)}, 0, 0, 60, ""},
		// the notifier got it after another at 20 ms
		{[]format.Event{notified(2, 1, 0, 50*ms), notified(3, 1, 0, 70*ms), notified(5, 9, 10*ms, 20*ms)}, 0, 0, 80,
			""},
		// not together
		{[]format.Event{notified(2, 1, 0, 50*ms), notified(3, 1, 60*ms, 70*ms)}, 0, 0, 0, ""},
		// perhaps signalled together
		{[]format.Event{awaits(2, awaitStack, 0, 50*ms), awaits(3, awaitStack, 0, 70*ms)}, 0, 0, 20, ""},
		// of a queue, which guards microseconds
		{[]format.Event{awaits(2, queueStack, 0, 50*ms), awaits(3, queueStack, 0, 70*ms)}, 0, 0, 0, ""},
		// a sample shows it in the lock's queue
		{[]format.Event{awaits(2, awaitStack, 0, 50*ms), awaits(3, awaitStack, 0, 70*ms), blocked(3, ofLock, 30*ms)},
			40, 55, 70, "java.util.concurrent.locks.ReentrantLock"},
		{[]format.Event{awaits(2, awaitStack, 0, 50*ms), awaits(3, awaitStack, 0, 70*ms),
			{Kind: format.KindWait, Thread: 3, Object: ofLock, Stack: againStack, Time: 70 * ms, End: 70*ms + 1},
			blocked(3, ofOther, 60*ms)}, 10, 15, 20, "java.util.concurrent.locks.ReentrantLock"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			locks := &lockedIn{}
			tr := golden.Must(
				Run(
					&format.List{Events: append(waitingLocks(), append(c.events, recorded(0, 200*ms))...)},
					open,
					locks,
				),
			)(
				t,
			)
			if r := tr.Reacquired; r.Low != c.low*ms || r.Ns != c.ns*ms || r.High != c.high*ms {
				t.Errorf("%v, between %v and %v; want %d, %d, %d ms", r.Ns, r.Low, r.High, c.ns, c.low, c.high)
			}
			if locks.ns/ms != c.ns || !strings.HasPrefix(locks.class, c.lock) || (locks.class == "") != (c.ns == 0) {
				t.Errorf("%v of waiting for %q, want %d ms for %q", locks.ns, locks.class, c.ns, c.lock)
			}
		})
	}
}

// Where the lock was followed, its wait after the notification is recorded, and counts once.
func TestARecordedReacquisitionIsNotEstimated(t *testing.T) {
	const ms = int64(1e6)
	locks := &lockedIn{}
	tr := golden.Must(Run(&format.List{Events: append(waitingLocks(),
		format.Event{
			Kind:     format.KindActivity,
			Activity: format.ActivityWait,
			Object:   ofMonitor,
			Thread:   2,
			Owner:    1,
			End:      100 * ms,
		},
		format.Event{
			Kind:     format.KindActivity,
			Activity: format.ActivityRun,
			Object:   ofMonitor,
			Thread:   1,
			Time:     50 * ms,
			End:      51 * ms,
		},
		format.Event{Kind: format.KindWait, Object: ofOther, Thread: 2, Time: 60 * ms, End: 101 * ms},
		recorded(0, 200*ms))}, open, locks))(t)
	golden.Equal(t, tr.Reacquired.High, 0)
	golden.Equal(t, locks.ns, 41*ms)
}

// lockedIn sums waiting, and keeps the class of the lock of the longest slice.
type lockedIn struct {
	sym     *analysis.Symbols
	ns, max int64
	class   string
}

func (l *lockedIn) Begin(sym *analysis.Symbols, _ int64) { l.sym = sym }

func (l *lockedIn) Slice(s *analysis.Slice) {
	ns := s.Ns()
	l.ns += ns
	if ns > l.max {
		l.max, l.class = ns, l.sym.ClassName(s.Lock)
	}
}

// seenAt returns samples, each 100 ms, that show threads waiting for a lock.
func seenAt(from, to int64, lock, owner int, waiters ...int) (out []format.Event) {
	for at := from; at <= to; at += 1e8 {
		out = append(out, dump(at, lock, owner, 70+owner, waiters...))
	}
	return out
}

// A wait is recorded when it ends, if it began in the recording: who hangs all the
// while is in none, and is counted from samples. What ends or begins in between is
// recorded, and counts once.
func TestWaitsThatDoNotEndAreSeen(t *testing.T) {
	const s = int64(1e9)
	recording := format.Event{Kind: format.KindRecording, Time: 0, End: 5 * s}
	gaveUp := waits(2, 2, 0, 15e7)
	gaveUp.Failed = true
	cases := []struct {
		name        string
		events      []format.Event
		waits       int
		total       int64
		direct      map[string]int64
		deadlocks   int
		atThreshold int64
	}{
		{
			name:   "all the while",
			events: seenAt(1e8, 49e8, 1, 9, 1, 2),
			waits:  2,
			total:  2 * 48e8,
			direct: map[string]int64{"t9": 2 * 48e8},
		},
		{
			name:   "to the end",
			events: append(seenAt(1e8, 49e8, 3, 9, 4), seenAt(2*s, 49e8, 1, 9, 2)...),
			waits:  2,
			total:  48e8 + 29e8,
		},
		{
			name:   "from before the beginning",
			events: append(seenAt(1e8, 3*s, 1, 9, 2), asleep(2, 5, 4*s, 5*s)),
			waits:  1,
			total:  29e8,
		},
		{
			name:   "in the midst, where it would be recorded",
			events: append(seenAt(2*s, 35e8, 1, 9, 2), dump(1e8, 2, 8, 0, 7), dump(49e8, 2, 8, 0, 7)),
			waits:  1,
			total:  48e8,
		},
		{name: "ran in between", events: append(seenAt(1e8, 49e8, 1, 9, 2), runs(2, 5, 45e8)), waits: 1, total: 43e8},
		{name: "recorded", events: append(seenAt(1e8, 49e8, 1, 9, 2), waits(2, 2, 0, 5*s)), waits: 1, total: 5 * s},
		{name: "a short one at the end", events: append(seenAt(1e8, 1e8, 1, 9, 3), seenAt(42e8, 49e8, 1, 9, 2)...)},
		{name: "where short ones are left out", events: seenAt(1e8, 49e8, 1, 9, 1, 2), atThreshold: 10e6},
		{
			name:   "a lock that is recorded under another name",
			events: append(seenAt(1e8, 49e8, 1, 9, 1), dump(1e8, 1, 9, 0, 2), gaveUp),
			waits:  2,
			total:  48e8 + 15e7,
			direct: map[string]int64{"t9": 48e8 + 15e7},
		},
		{
			name:      "a deadlock",
			events:    append(seenAt(1e8, 49e8, 1, 1, 2), seenAt(1e8, 49e8, 2, 2, 1)...),
			waits:     2,
			total:     2 * 48e8,
			deadlocks: 1,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			events := []format.Event{
				recording,
				{Kind: format.KindSetting, Name: "wait#threshold", Weight: c.atThreshold},
			}
			for lock := format.ObjectID(1); lock <= 3; lock++ {
				events = append(
					events,
					format.Event{Kind: format.KindObject, Object: lock, Class: "L", LockKind: format.KindMonitor},
				)
			}
			got, tr := run(t, append(events, c.events...), open)
			golden.Equal(t, int(got.waits), c.waits)
			golden.Equal(t, got.total, c.total)
			for owner, ns := range c.direct {
				golden.Equal(t, got.direct[owner], ns, "owners", got.direct, c.direct)
			}
			golden.Equal(t, len(tr.Deadlocks), c.deadlocks, "deadlocks", tr.Deadlocks)
			says := slices.ContainsFunc(
				tr.Coverage.Warnings,
				func(w format.Warning) bool { return w.Code == "unended" },
			)
			golden.Equal(t, says, c.waits > 0 && c.name != "recorded", "warnings", tr.Coverage.Warnings)
		})
	}
}

// Samples of one recording say nothing of the threads of another, and each has its
// own end and its own threshold.
func TestWaitsThatDoNotEndAreOfTheirRecording(t *testing.T) {
	input := format.Event{Kind: format.KindSetting, Name: format.SettingInput, Value: "a"}
	first := []format.Event{
		{Kind: format.KindSetting, Name: format.SettingInput, Value: "leaves out short waits"},
		{Kind: format.KindSetting, Name: "wait#threshold", Weight: 10e6},
	}
	events := append(
		append(first, input, format.Event{Kind: format.KindRecording, Time: 0, End: 5e9}),
		seenAt(1e8, 49e8, 1, 9, 1)...)
	second := input
	second.Value = "b"
	events = append(
		append(events, second, format.Event{Kind: format.KindRecording, Time: 8e9, End: 12e9}),
		seenAt(81e8, 119e8, 2, 8, 2)...)
	if got, _ := run(t, events, open); got.total != 48e8+38e8 {
		t.Errorf("%d ns of waiting, want %d", got.total, int64(48e8+38e8))
	}
}

type monitorLog []analysis.MonitorWaits

func (*monitorLog) Begin(*analysis.Symbols, int64) {}

func (*monitorLog) Slice(*analysis.Slice) {}

func (*monitorLog) NonLockWait(*analysis.NonLockWait) {}

func (l *monitorLog) Monitor(m *analysis.MonitorWaits) {
	one := *m
	one.Waits = append([]analysis.MonitorWait(nil), m.Waits...)
	*l = append(*l, one)
}

// Waits at monitors with a known notification come by end, if they lie wholly in the cut.
// Hides says whether short ones are missing.
func TestMonitorWaits(t *testing.T) {
	wait := func(thread, by format.ThreadID, monitor format.ObjectID, from, to int64) format.Event {
		return format.Event{
			Kind:     format.KindActivity,
			Activity: format.ActivityWait,
			Thread:   thread,
			Owner:    by,
			Object:   monitor,
			Time:     from,
			End:      to,
		}
	}
	l := format.List{Events: []format.Event{
		{Kind: format.KindSetting, Name: format.SettingIdle, Value: format.IdleLong},
		wait(
			1,
			3,
			7,
			0,
			30,
		), wait(2, 0, 7, 5, 20), wait(1, 0, 8, 40, 50), wait(2, 3, 7, 60, 100), wait(2, 3, 0, 30, 40),
	}}
	var got monitorLog
	golden.Must(Run(&l, analysis.Filter{From: format.NoTime, To: 90}, &got))(t)
	want := monitorLog{
		{
			Monitor: 7,
			Hides:   true,
			Waits:   []analysis.MonitorWait{{Start: 5, End: 20, Thread: 2}, {Start: 0, End: 30, Thread: 1, By: 3}},
		},
	}
	golden.Same(t, got, want)
}

// Whatever is resolved as an input ends looks at the waits of that one: many inputs would
// cost the square of their number else.
func TestWaitsOfTheInputAtHand(t *testing.T) {
	const many, few = 1 << 16, 3
	r := owners.NewRecord()
	wait := func(lock format.ObjectID) {
		r.AddEvent(&format.Event{Kind: format.KindWait, Time: 1, Object: lock, Thread: 1}, 2)
	}
	for range many {
		wait(1)
	}
	r.NextInput()
	for range few {
		wait(2)
	}
	own, met := 0, 0
	r.EachWaitOfInput(func(w *owners.Activity) {
		met++
		if w.Lock == 2 {
			own++
		}
	})
	if own != few || met >= many {
		t.Errorf("%d of %d waits, among %d", own, few, met)
	}
}
