package pass

import (
	"math/rand/v2"
	"slices"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// A thread asleep inside a critical section runs: two threads that exclude each other all
// the time have a pressure of 50 %, whatever they do inside. One asleep outside is idle,
// and where nothing tells its time is a range.
func TestAsleepInsideOfASectionRuns(t *testing.T) {
	const s, ms = int64(1e9), int64(1e6)
	frame := func(class, method string, line int) format.Frame {
		return format.Frame{Class: class, Method: method, Line: line}
	}
	outer := frame("app.Main", "run", 9)
	stacks := []format.Event{
		{Kind: format.KindObject, Object: 1, Class: "app.Box", LockKind: format.KindMonitor},
		{
			Kind:   format.KindStack,
			Stack:  1,
			Frames: []format.Frame{frame("app.Box", "put", 3), outer},
		}, // enters
		{
			Kind:   format.KindStack,
			Stack:  2,
			Frames: []format.Frame{frame("java.lang.Thread", "sleep", 0), frame("app.Box", "put", 4), outer},
		}, // sleeps
		{
			Kind:   format.KindStack,
			Stack:  3,
			Frames: []format.Frame{frame("java.lang.Thread", "sleep", 0), outer},
		}, // sleeps in its caller
		{
			Kind:   format.KindStack,
			Stack:  5,
			Frames: []format.Frame{frame("java.lang.Thread", "sleep", 0), frame("app.Main", "rest", 2)},
		}, // sleeps elsewhere
		{
			Kind:   format.KindStack,
			Stack:  4,
			Frames: []format.Frame{frame("app.Box", "put", 4), outer},
		}, // holds the lock, as a dump shows
	}
	sleeps := func(thread int, stack format.StackID, from, to int64) format.Event {
		return format.Event{
			Kind:     format.KindActivity,
			Activity: format.ActivitySleep,
			Stack:    stack,
			Thread:   format.ThreadID(thread),
			Time:     from,
			End:      to,
		}
	}
	enters := func(thread int, from, to int64) format.Event {
		ev := waits(thread, 1, from, to)
		ev.Stack = 1
		return ev
	}
	excluding := func(stack format.StackID) (list []format.Event) {
		for at := int64(0); at < s; at += 20 * ms { // one waits while the other sleeps inside
			list = append(
				list,
				enters(1, at, at+10*ms),
				sleeps(2, stack, at, at+10*ms-1),
				enters(2, at+10*ms, at+20*ms),
				sleeps(1, stack, at+10*ms, at+20*ms-1),
			)
		}
		return list
	}
	passing := []format.Event{enters(1, 0, ms), sleeps(1, 2, ms, s-ms)}
	for at := ms; at < s-20*ms; at += 20 * ms { // others get the lock while it sleeps
		passing = append(passing, enters(2, at, at+ms), enters(3, at+ms, at+2*ms))
	}
	beside := append(
		[]format.Event{{Kind: format.KindObject, Object: 2, Class: "app.Other", LockKind: format.KindMonitor},
			{
				Kind:   format.KindStack,
				Stack:  6,
				Frames: []format.Frame{frame("app.Other", "get", 3), outer},
			}},
		excluding(2)...)
	for at := s; at < 2*s; at += 20 * ms { // nobody waits for it then, and another lock of its caller is acquired
		ev := waits(3, 2, at+ms, at+2*ms)
		ev.Stack = 6
		beside = append(beside, sleeps(2, 2, at, at+20*ms-1), ev)
	}
	unrelated := excluding(2)
	for at := 3 * ms; at < s-30*ms; at += 30 * ms { // others get the lock while it sleeps
		unrelated = append(unrelated, sleeps(3, 5, at, at+20*ms))
	}
	// 1 reads for 15 of 20 ms, 2 writes in between
	reading := func(inside, outside format.StackID) (list []format.Event) {
		for at := int64(0); at < s; at += 20 * ms {
			reads := enters(1, at, at+ms)
			reads.Object, reads.Mode = 3, format.Shared
			other := reads
			other.Thread, other.Time, other.End = 3, at+3*ms, at+5*ms // reads together with it
			writes := enters(2, at+4*ms, at+17*ms)
			writes.Object, writes.Stack = 3, 4
			within, between := sleeps(1, inside, at+ms, at+16*ms), sleeps(1, outside, at+16*ms, at+20*ms)
			list = append(list, reads, other, writes, within, between)
		}
		book := format.Event{Kind: format.KindObject, Object: 3, Class: "app.Book", LockKind: format.KindReadWriteLock}
		return append(list, book)
	}
	early := []format.Event{ // a lock is used for 100 ms, and a thread then sleeps where it took it
		{Kind: format.KindStack, Stack: 7, Frames: []format.Frame{frame("app.Start", "load", 3), outer}},
		{Kind: format.KindStack, Stack: 8, Frames: []format.Frame{frame("app.Start", "load", 7), outer}},
		{Kind: format.KindObject, Object: 4, Class: "app.Start", LockKind: format.KindMonitor},
	}
	for at := int64(0); at < 100*ms; at += 10 * ms {
		ev := enters(2, at+ms, at+9*ms)
		ev.Object, ev.Stack = 4, 7
		early = append(early, ev, sleeps(1, 8, at, at+2*ms))
	}
	for at := 100 * ms; at < s; at += 20 * ms {
		early = append(early, sleeps(1, 8, at, at+20*ms))
	}
	for _, c := range []struct {
		name      string
		events    []format.Event
		low, high int64 // running
	}{
		{"reading", reading(2, 5), 2775 * ms, 2800 * ms},
		{"reading and not, at one place", reading(2, 2), 2025 * ms, 3 * s},
		{"unrelated", unrelated, 2320 * ms, 2320 * ms},
		{"long after", early, 178 * ms, 2 * s},
		{"inside", excluding(2), 2 * s, 2 * s},
		{"inside of a lock of the program's own", excluding(3), 2 * s, 2 * s},
		{"in the caller, which tells nothing", []format.Event{enters(1, 0, ms), sleeps(1, 3, ms, s)}, ms, ms},
		{"elsewhere, but others wait until it ends", excluding(5), 2 * s, 2 * s},
		{"outside", append(passing, sleeps(1, 2, s, s+ms)), 1924 * ms, 2002 * ms},
		{"inside, while others get a lock of its caller", beside, 3963 * ms, 5946 * ms},
		{"not known", []format.Event{enters(1, 0, ms), sleeps(1, 2, ms, s)}, ms, s},
		{
			"a dump shows it",
			[]format.Event{
				enters(1, 0, ms),
				sleeps(1, 2, ms, s),
				{Kind: format.KindActivity, Activity: format.ActivityTook, Stack: 4, Object: 1},
			},
			s,
			s,
		},
	} {
		_, tr := run(t, append(append(stacks, c.events...), recorded(0, s), tellsIdle(format.IdleEnded)), open)
		if d := tr.RunningNs - c.low; d < -ms || d > ms || tr.RunningHigh-c.high > ms {
			t.Errorf("%s: running %v to %v, want %v to %v", c.name, tr.RunningNs, tr.RunningHigh, c.low, c.high)
		}
	}
}

// Samples that show no owner tell a sleep inside a section by who else could own the lock
// meanwhile: nobody if all others wait.
func TestSampledSleepInsideASectionRuns(t *testing.T) {
	const ms, period, instants, threads = int64(1e6), int64(20e6), 100, 4
	frame := func(class, method string) format.Frame { return format.Frame{Class: class, Method: method} }
	outer := frame("app.Main", "run")
	start := []format.Event{
		{Kind: format.KindObject, Object: 1, Class: "app.Box.lock", LockKind: format.KindMutex},
		{Kind: format.KindStack, Stack: 1, Frames: []format.Frame{frame("app.Box", "lock"), outer}},
		{Kind: format.KindStack, Stack: 2, Frames: []format.Frame{frame("java.lang.Thread", "sleep"), outer}},
	}
	for _, c := range []struct {
		name      string
		asleep    func(i int) []int // at each instant; the others wait, but for
		free      func(i int) int   // so many, which run
		low, high int64             // threads that run
	}{
		{"inside", func(i int) []int { return []int{i / 3 % threads} }, func(int) int { return 0 }, 4, 4},
		{
			"inside, while some are elsewhere",
			func(i int) []int { return []int{i / 3 % threads} },
			func(i int) int { return i % 2 },
			4,
			4,
		},
		{
			"outside, while another has the lock",
			func(i int) []int { return []int{i / 3 % threads} },
			func(int) int { return 1 },
			3,
			4,
		},
		{
			"two together",
			func(i int) []int { return []int{i % threads, (i + 1) % threads} },
			func(int) int { return 0 },
			2,
			4,
		},
		{"always the same thread", func(i int) []int { return []int{0} }, func(int) int { return 0 }, 3, 4},
	} {
		events := start
		for i := range instants {
			at, asleep := period*int64(i), c.asleep(i)
			waiting := format.Event{Kind: format.KindContention, Time: at, Object: 1, Weight: format.WeightFromTicks}
			for w := range threads {
				if !slices.Contains(asleep, w) && len(waiting.Waiters) < threads-len(asleep)-c.free(i) {
					waiting.Waiters = append(waiting.Waiters, format.Party{Thread: format.ThreadID(w + 1), Stack: 1})
				}
			}
			events = append(events, tick(at, at, threads, len(asleep)), waiting)
			for _, w := range asleep {
				events = append(
					events,
					format.Event{
						Kind:     format.KindActivity,
						Activity: format.ActivitySleep,
						Stack:    2,
						Thread:   format.ThreadID(w + 1),
						Time:     at,
						End:      at,
					},
				)
			}
		}
		v := &nonLockSums{sums: newSums(t)}
		tr := golden.Must(Run(&format.List{Events: events}, open, v))(t)
		idle, all := threads-c.low, tr.ElapsedNs
		if c.low == c.high {
			idle = 0
		}
		if all < (instants-1)*period || tr.RunningNs != c.low*all || tr.RunningHigh != c.high*all ||
			v.running != tr.RunningNs ||
			v.ns != idle*all {
			t.Errorf(
				"%s: running %d to %d ms, %d asleep, of %d; want %d to %d times that",
				c.name,
				tr.RunningNs/ms,
				tr.RunningHigh/ms,
				v.ns/ms,
				all/ms,
				c.low,
				c.high,
			)
		}
	}
}

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
	return format.Event{
		Kind:     format.KindActivity,
		Activity: format.ActivityRun,
		Thread:   format.ThreadID(thread),
		Stack:    format.StackID(stack),
		Time:     at,
		End:      at,
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
		events = append(events, asleep(1, 5, from, from+2*ms+r.Int64N(3*ms)), after(1, 2, from+6*ms, from+6*ms+1000, 0))
	}
	s, _ := run(t, events, open)
	golden.AtMost(t, s.direct["t1"], s.total/20, "a thread that sleeps elsewhere is charged", s.total)
}

// byStack sums waiting by the stack of its owner.
type byStack struct {
	by    map[format.StackID]int64
	total int64
}

func (s *byStack) Begin(*analysis.Symbols, int64) {}

func (s *byStack) Slice(sl *analysis.Slice) {
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
	if e := tr.Coverage.SeenOfAll(); e.Dumps < 15 || e.Share() < 0.9 {
		t.Errorf("%+v", e)
	}
	if share, ok := expectedRight(&tr.Coverage.ByProvenance); !ok || share < 0.6 {
		t.Errorf("expected %.2f", share)
	}
}

// expectedRight returns the share of the inferred waiting that is expected to be right; ok is false if there is
// none.
func expectedRight(k *analysis.Known) (share float64, ok bool) {
	inferred := k[analysis.ByInference]
	if inferred == 0 {
		return 0, false
	}
	recorded := k[analysis.ByTenure] + k[analysis.BySample]
	return float64(k.Right()-recorded) / float64(inferred), true
}

// A thread computes and sleeps with four locks now and then, and lets go of them together: those who
// wait for one get it just when others get another, and have had none of those meanwhile.
func TestLocksReleasedTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	events := []format.Event{stack(5, "audit", "loop"), stack(6, "evict", "loop"), stack(7, "deposit", "loop")}
	for lock := range 4 {
		events = append(events, kind(1+lock, format.KindSynchronizer))
	}
	waits := func(thread, lock int, from, to int64) {
		w := after(thread, lock, from, to, 0)
		w.Stack = 7
		events = append(events, w)
	}
	const rounds = 60
	for i := range int64(rounds) {
		at := i * 60 * ms
		events = append(events, asleep(1, 5, at, at+8*ms))
		for place, lock := range r.Perm(4) {
			waits(2+lock, 1+lock, at-4*ms+r.Int64N(3*ms), at+8*ms+50e3+int64(place)*40e3)
			from := at + 20*ms + int64(lock)*4*ms + r.Int64N(12*ms)
			events = append(events, asleep(10+lock, 6, from, from+8*ms))
			waits(2+lock, 1+lock, from+ms, from+8*ms+50e3)
		}
	}
	for lock := range 4 { // owners wait, too, now and then
		waits(1, 1+lock, 9000*ms, 9000*ms+1000)
		waits(10+lock, 1+lock, 9100*ms, 9100*ms+1000)
	}
	s, _ := run(t, events, open)
	others := int64(0)
	for _, waiter := range []string{"t2", "t3", "t4", "t5"} {
		others += s.direct[waiter]
	}
	golden.AtMost(t, float64(others), 0.05*float64(s.total))
	golden.AtLeast(t, float64(s.direct["t1"]), 0.4*float64(s.total))
}
