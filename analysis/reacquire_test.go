package analysis

import (
	"fmt"
	"strings"
	"testing"

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
	condition := frame(conditionObject, "await")
	return []format.Event{
		{Kind: format.KindObject, Object: ofMonitor, Class: "app.Box", LockKind: format.KindMonitor},
		{Kind: format.KindObject, Object: ofCondition, Class: conditionObject},
		{Kind: format.KindObject, Object: ofLock, Class: "java.util.concurrent.locks.ReentrantLock$NonfairSync", LockKind: format.KindSynchronizer},
		{Kind: format.KindStack, Stack: awaitStack, Frames: []format.Frame{frame("java.util.concurrent.locks.LockSupport", "park"), condition, frame("app.Box", "take")}},
		{Kind: format.KindStack, Stack: queueStack, Frames: []format.Frame{condition, frame("java.util.concurrent.LinkedBlockingQueue", "take"), frame("app.Box", "take")}},
		{Kind: format.KindStack, Stack: againStack, Frames: []format.Frame{frame("java.util.concurrent.locks.AbstractQueuedSynchronizer", "acquire"), condition, frame("app.Box", "take")}},
	}
}

// Getting a lock back after a wait is acquiring: for as long as the source shows it, or
// else estimated within a range.
func TestGettingALockBackIsAcquiring(t *testing.T) {
	const ms = int64(1e6)
	notified := func(thread, by int, from, to int64) format.Event {
		return format.Event{Kind: format.KindActivity, Activity: format.ActivityWait, Object: ofMonitor, Thread: format.ThreadID(thread), Owner: format.ThreadID(by), Time: from, End: to}
	}
	notifies := func(by int, at int64) format.Event {
		return format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Object: ofMonitor, Thread: format.ThreadID(by), Time: at, End: at + 1}
	}
	awaits := func(thread int, stack format.StackID, from, to int64) format.Event {
		return format.Event{Kind: format.KindActivity, Activity: format.ActivityPark, Object: ofCondition, Stack: stack, Thread: format.ThreadID(thread), Time: from, End: to, Resource: true}
	}
	idles := func(thread int, at int64) format.Event {
		return acts(format.ActivityPark, thread, at, at+1)
	}
	blocked := func(thread int, lock format.ObjectID, at int64) format.Event {
		return format.Event{Kind: format.KindContention, Weight: format.EvidenceOnly, Object: lock, Time: at, Waiters: []format.Party{{Thread: format.ThreadID(thread)}}}
	}
	for i, c := range []struct {
		events        []format.Event
		low, ns, high int64 // ms
		lock          string
	}{
		{[]format.Event{notified(2, 1, 0, 100*ms)}, 0, 0, 0, ""},
		{[]format.Event{notified(2, 1, 0, 100*ms), notifies(1, 60*ms)}, 40, 40, 40, "app.Box"},                                                                                            // it is recorded when
		{[]format.Event{notified(2, 1, 0, 100*ms), notifies(1, 60*ms), notifies(1, 80*ms)}, 20, 30, 40, "app.Box"},                                                                        // one of the two calls
		{[]format.Event{notified(2, 1, 0, 100*ms), idles(2, 50*ms), blocked(2, ofMonitor, 70*ms)}, 30, 40, 50, "app.Box"},                                                                 // a sample shows it
		{[]format.Event{notified(2, 1, 0, 50*ms), notified(3, 1, 0, 70*ms), notified(4, 1, 0, 90*ms), blocked(3, ofMonitor, 52*ms), blocked(4, ofMonitor, 54*ms)}, 54, 57, 60, "app.Box"}, // one after the other
		{[]format.Event{notified(2, 1, 0, 50*ms), notified(3, 1, 0, 70*ms), notified(1, 2, 0, 30*ms)}, 0, 0, 60, ""},                                                                      // the notifier had it from 30 ms on
		{[]format.Event{notified(2, 1, 0, 50*ms), notified(3, 1, 0, 70*ms), notified(5, 9, 10*ms, 20*ms)}, 0, 0, 80, ""},                                                                  // the notifier got it after another at 20 ms
		{[]format.Event{notified(2, 1, 0, 50*ms), notified(3, 1, 60*ms, 70*ms)}, 0, 0, 0, ""},                                                                                             // not together
		{[]format.Event{awaits(2, awaitStack, 0, 50*ms), awaits(3, awaitStack, 0, 70*ms)}, 0, 0, 20, ""},                                                                                  // perhaps signalled together
		{[]format.Event{awaits(2, queueStack, 0, 50*ms), awaits(3, queueStack, 0, 70*ms)}, 0, 0, 0, ""},                                                                                   // of a queue, which guards microseconds
		{[]format.Event{awaits(2, awaitStack, 0, 50*ms), awaits(3, awaitStack, 0, 70*ms), blocked(3, ofLock, 30*ms)}, 40, 55, 70, "java.util.concurrent.locks.ReentrantLock"},             // a sample shows it in the lock's queue
		{[]format.Event{awaits(2, awaitStack, 0, 50*ms), awaits(3, awaitStack, 0, 70*ms), {Kind: format.KindWait, Thread: 3, Object: ofLock, Stack: againStack, Time: 70 * ms, End: 70*ms + 1}, blocked(3, ofOther, 60*ms)}, 10, 15, 20, "java.util.concurrent.locks.ReentrantLock"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			locks := &lockedIn{}
			tr := golden.Must(Run(&format.List{Events: append(waitingLocks(), append(c.events, recorded(0, 200*ms))...)}, open, locks))(t)
			if r := tr.Reacquired; r.Low != c.low*ms || r.Ns != c.ns*ms || r.High != c.high*ms {
				t.Errorf("%v, between %v and %v; want %d, %d, %d ms", r.Ns, r.Low, r.High, c.ns, c.low, c.high)
			}
			if locks.ns/ms != c.ns || !strings.HasPrefix(locks.class, c.lock) || (locks.class == "") != (c.ns == 0) {
				t.Errorf("%v of waiting for %q, want %d ms for %q", locks.ns, locks.class, c.ns, c.lock)
			}
		})
	}
}

// lockedIn sums waiting, and keeps the class of the lock of the longest slice.
type lockedIn struct {
	sym     *Symbols
	ns, max int64
	class   string
}

func (l *lockedIn) Begin(sym *Symbols, _ int64) { l.sym = sym }

func (l *lockedIn) Slice(s *Slice) {
	ns := s.Ns()
	l.ns += ns
	if ns > l.max {
		l.max, l.class = ns, l.sym.ClassName(s.Lock)
	}
}
