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

// Threads sleep at one place of the program, in either of two locks of a
// class: each sleep overlaps acquisitions of the other lock.
func TestSleepsInOneOfSeveralLocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	events := []format.Event{kind(1, format.KindSynchronizer), kind(2, format.KindSynchronizer), stack(5, "evict", "loop")}
	for i := range int64(40) {
		for lock := range int64(2) {
			from := i*30*ms + lock*5*ms + r.Int64N(10*ms)
			owner, waiter := int(1+2*lock), int(2+2*lock)
			events = append(events, sleeps(owner, 5, from, from+8*ms), after(waiter, int(1+lock), from+ms, from+8*ms+50e3+i*100, 0))
		}
	}
	events = append(events, after(1, 1, 5000*ms, 5000*ms+1000, 0), after(3, 2, 5000*ms, 5000*ms+1000, 0)) // owners wait, too, now and then
	s, _ := run(t, events, open)
	for _, owner := range []string{"t1", "t3"} {
		if float64(s.direct[owner]) < 0.44*float64(s.total) {
			t.Errorf("%s is charged %d of %d", owner, s.direct[owner], s.total)
		}
	}
}

// Where locks of a class are taken in another method than threads sleep in, the sleeps
// that end just when others get them are no sections: pauses before a thread comes do.
func TestPausesBeforeALockAreNotInside(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	events := []format.Event{kind(1, format.KindSynchronizer), kind(2, format.KindSynchronizer), stack(1, "use", "loop"), stack(5, "pause", "loop")}
	for i := range int64(40) {
		for lock := range int64(2) {
			from := i*30*ms + lock*5*ms + r.Int64N(10*ms)
			wait := after(int(2+2*lock), int(1+lock), from+ms, from+8*ms+50e3+i*100, 0)
			wait.Stack = 1
			events = append(events, sleeps(int(1+2*lock), 5, from, from+8*ms), wait)
		}
	}
	events = append(events, after(1, 1, 5000*ms, 5000*ms+1000, 0), after(3, 2, 5000*ms, 5000*ms+1000, 0))
	by := map[format.StackID]int64{}
	if _, err := Run(&format.List{Events: events}, open, &byStack{by: by}); err != nil {
		t.Fatal(err)
	}
	if by[5] != 0 {
		t.Errorf("pauses are charged %d", by[5])
	}
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

// After what is known of a stretch between acquisitions, nobody is known to have had the
// lock; but who came when nobody waited met somebody, and had what such threads have.
func TestWhoComesAfterAllThatIsKnownMeetsSomebody(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	events := []format.Event{kind(1, format.KindSynchronizer), stack(1, "use", "loop"), stack(5, "evict", "use", "loop"), stack(6, "doze", "loop")}
	waits := func(thread int, from, to int64) {
		wait := after(thread, 1, from, to, 0)
		wait.Stack = 1
		events = append(events, wait)
	}
	for i := range int64(60) {
		at := i * 40 * ms
		waits(2, at, at+2*ms)
		waits(3, at+ms, at+3*ms+r.Int64N(ms)) // the second has it for a millisecond or two
		events = append(events, sleeps(1, 5, at+10*ms, at+18*ms))
		waits(4, at+11*ms, at+18*ms+50e3)
		events = append(events, sleeps(1, 5, at+24*ms, at+26*ms), sleeps(1, 6, at+27*ms, at+28*ms)) // inside, and elsewhere
		waits(2, at+30*ms, at+35*ms)
	}
	events = append(events, after(1, 1, 5000*ms, 5000*ms+1000, 0)) // owners wait, too, now and then
	_, tr := run(t, events, open)
	if by := tr.Coverage.ByProvenance; by[Unknown] != 0 {
		t.Errorf("known %v", by)
	}
}

// Two permits are out at a time: both owners are blamed, in equal parts, and then who
// got the first of them while another one still waits.
func TestPermitsHaveSeveralOwners(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	events := []format.Event{kind(1, format.KindSemaphore), stack(5, "fetch", "loop")}
	for i := range int64(60) {
		from := i*30*ms + r.Int64N(10*ms)
		events = append(events, sleeps(1, 5, from, from+10*ms), sleeps(2, 5, from+4*ms, from+15*ms),
			after(3, 1, from+ms, from+10*ms+60e3+i%7*10e3, 0), after(4, 1, from+2*ms, from+15*ms+60e3+i%5*10e3, 0))
	}
	events = append(events, after(1, 1, 5000*ms, 5000*ms+1000, 0), after(2, 1, 6000*ms, 6000*ms+1000, 0)) // owners wait, too, now and then
	s, tr := run(t, events, open)
	a, b := s.direct["t1"], s.direct["t2"]
	if c := s.direct["t3"]; a+b < s.total*8/10 || a < s.total/3 || b < s.total/3 || a+b+c < s.total*9/10 {
		t.Errorf("%v of %d, known %v", s.direct, s.total, tr.Coverage.ByProvenance)
	}
}

// A thread that never waits, named as the last owner, is known by its samples:
// by what it does more often when it owns the lock than otherwise.
func TestSamplesShowWhatOwnersDo(t *testing.T) {
	events := []format.Event{kind(1, format.KindMonitor), stack(1, "use", "loop"), stack(2, "work", "rebuild", "loop"), stack(3, "idle", "think", "loop")}
	for i := range int64(60) {
		at := i * 40 * ms
		events = append(events, after(1, 1, at, at+10*ms, 9), runs(9, 2, at+7*ms), after(2, 1, at+ms, at+20*ms, 9), runs(9, 2, at+17*ms),
			runs(9, 3, at+25*ms), runs(9, 3, at+30*ms), runs(9, 3, at+35*ms), after(9, 2, at+36*ms, at+36*ms+1000, 0))
	}
	for i := range events {
		if ev := &events[i]; ev.Kind == format.KindWait {
			ev.Stack = 1
		}
	}
	by := map[format.StackID]int64{}
	s := &byStack{by: by}
	tr, err := Run(&format.List{Events: events}, open, s)
	if err != nil {
		t.Fatal(err)
	}
	if by[2] < s.total/2 || by[3] != 0 || tr.Coverage.ByProvenance[ThreadOnly] > s.total/20 {
		t.Errorf("%v of %d, known %v", by, s.total, tr.Coverage.ByProvenance)
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

// What is estimated is held against dumps that it did not know.
func TestDumpsAreHeldBack(t *testing.T) {
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
	c := &tr.Coverage.Calibration
	e := c[Estimated].Seen
	if e.Dumps < 15 || e.Share() < 0.9 {
		t.Errorf("%+v", c[Estimated])
	}
	if share, ok := c[Estimated].Expected(); !ok || share < 0.8 {
		t.Errorf("expected %.2f", share)
	}
}
