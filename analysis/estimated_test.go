package analysis

import (
	"math/rand/v2"
	"testing"

	"contend/format"
)

const ms = int64(1e6)

func kind(lock int, k format.LockKind) format.Event {
	return format.Event{Kind: format.KindObject, Object: format.ObjectID(lock), Class: "L", LockKind: k}
}

func stack(id int, methods ...string) format.Event {
	ev := format.Event{Kind: format.KindStack, Stack: format.StackID(id)}
	for _, m := range methods {
		ev.Frames = append(ev.Frames, format.Frame{Class: "app", Method: m, Line: len(m)})
	}
	return ev
}

func runs(thread, stack int, at int64) format.Event {
	return format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Thread: format.ThreadID(thread), Stack: format.StackID(stack), Time: at, End: at}
}

// Sleeps that have nothing to do with a lock end at any time.
func TestSleepsElsewhereAreNotInside(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	events := []format.Event{kind(1, format.KindSynchronizer), stack(5, "doze", "loop")}
	for i := range int64(200) {
		at := i*20*ms + r.Int64N(5*ms)
		events = append(events, after(2, 1, at, at+7*ms+r.Int64N(5*ms), 0))
		from := i*20*ms + r.Int64N(15*ms)
		events = append(events, sleeps(1, 5, from, from+2*ms+r.Int64N(3*ms)), after(1, 2, from+6*ms, from+6*ms+1000, 0))
	}
	s, _ := run(t, events, open)
	if s.direct["t1"] > s.total/20 {
		t.Errorf("a thread that sleeps elsewhere is charged %d of %d", s.direct["t1"], s.total)
	}
}

// byStack sums waiting by the stack of its owner.
type byStack struct {
	by    map[format.StackID]int64
	total int64
}

func (s *byStack) Begin(*Symbols, int64) {}
func (s *byStack) Slice(sl *Slice) {
	for _, sh := range sl.Shares {
		s.by[sh.Direct.Stack] += sh.Ns * int64(len(sl.Waiters))
		s.total += sh.Ns * int64(len(sl.Waiters))
	}
}

// What is inferred is held against dumps that it did not know.
func TestDumpsAreHidden(t *testing.T) {
	events := []format.Event{kind(1, format.KindMonitor), stack(1, "use", "loop"), stack(2, "audit", "loop")}
	var dumps []format.Event
	at, last := int64(0), map[int]int64{}
	for i := range 120 {
		thread, st, hold := 1+i%3, 1, 2*ms
		if i%4 == 3 {
			st, hold = 2, 9*ms
		}
		if i > 2 {
			ev := after(thread, 1, last[thread], at, 1+(i+2)%3)
			ev.Stack = format.StackID(st)
			events = append(events, ev)
			if i%10 == 3 || i%10 == 6 {
				dumps = append(dumps, dump(at+hold/2, 1, thread, st, 1+(i+1)%3, 1+(i+2)%3))
			}
		}
		last[thread] = at + hold + 10e3
		at += hold + 100e3
	}
	_, tr := run(t, append(events, dumps...), open)
	trust := tr.Coverage.Trust()
	if e := trust.Seen; e.Dumps < 15 || e.Share() < 0.9 {
		t.Errorf("%+v", trust)
	}
	if share, ok := trust.Expected(); !ok || share < 0.8 {
		t.Errorf("expected %.2f", share)
	}
}
