package analysis

import (
	"math/rand/v2"
	"testing"

	"contend/format"
)

// blamed runs events and returns what each stack of an owner is charged, and all.
func blamed(t *testing.T, events []format.Event) (map[format.StackID]int64, int64) {
	t.Helper()
	s := &byStack{by: map[format.StackID]int64{}}
	if _, err := Run(&format.List{Events: events}, open, s); err != nil {
		t.Fatal(err)
	}
	return s.by, s.total
}

// waitedAt gives a wait the stack of a call site.
func waitedAt(stack int, ev format.Event) format.Event {
	ev.Stack = format.StackID(stack)
	return ev
}

// A thread that sleeps inside and never waits is the owner all the same where the lock
// names nobody, also if it does so several times, or those who wait are readers; one that
// sleeps as long at other times is not.
func TestWhoNeverWaitsIsMet(t *testing.T) {
	for _, c := range []struct {
		name   string
		mode   format.Mode
		pieces int64
	}{{"once", format.Exclusive, 1}, {"readers wait", format.Shared, 1}, {"piece by piece", format.Exclusive, 4}, {"piece by piece, and readers wait", format.Shared, 4}} {
		r := rand.New(rand.NewPCG(5, 6))
		events := []format.Event{kind(1, format.KindSynchronizer), stack(1, "use", "loop"), stack(5, "renew", "housekeeping"), stack(6, "doze", "other")}
		for i := range int64(60) {
			from := i*100*ms + r.Int64N(20*ms)
			doze := i*100*ms + r.Int64N(70*ms)
			for n := range c.pieces {
				at, until := n*14*ms/c.pieces, (n+1)*14*ms/c.pieces-min(n+1, c.pieces-1)%c.pieces*1e3
				events = append(events, sleeps(8, 5, from+at, from+until), sleeps(9, 6, doze+at, doze+until))
			}
			for w := range int64(3) {
				came := from + 100e3 + r.Int64N(3*ms)
				ev := waitedAt(1, after(int(1+w), 1, came, from+14*ms+100e3+w*60e3, 0))
				ev.Mode = c.mode
				events = append(events, ev)
			}
		}
		by, total := blamed(t, events)
		if by[5] < total*8/10 || by[6] > total/20 {
			t.Errorf("%s: who sleeps inside is charged %d, elsewhere %d, of %d", c.name, by[5], by[6], total)
		}
	}
}

// Of a thread that runs inside and never waits samples tell, of a recorder or of thread
// dumps: it is sampled there while others wait, and hardly ever otherwise. What runs at any
// time does not have the lock.
func TestWhoRunsInsideAndNeverWaitsIsMet(t *testing.T) {
	for _, sampled := range []format.Activity{format.ActivityRun, format.ActivityRunnable} {
		r := rand.New(rand.NewPCG(7, 6))
		events := []format.Event{kind(1, format.KindSynchronizer), stack(1, "use", "loop"), stack(5, "renew", "housekeeping"), stack(6, "count", "other"), stack(7, "rest", "loop")}
		sample := func(thread, st int, at int64) {
			events = append(events, format.Event{Kind: format.KindActivity, Activity: sampled, Thread: format.ThreadID(thread), Stack: format.StackID(st), Time: at, End: at})
		}
		for i := range int64(120) {
			from := i*100*ms + r.Int64N(20*ms)
			for w := range int64(3) {
				came := from + 100e3 + r.Int64N(2*ms)
				events = append(events, waitedAt(1, after(int(1+w), 1, came, from+14*ms+100e3+w*60e3, 0)))
				later := from + int64(30+10*w)*ms // and they wait for each other for a moment
				events = append(events, waitedAt(1, after(int(1+w), 1, later, later+50e3, 0)), sleeps(int(1+w), 7, later+300e3, later+5*ms))
			}
			for at := i*100*ms + 50*ms*r.Int64N(2); at < (i+1)*100*ms; at += 50 * ms {
				if at >= from && at < from+14*ms {
					sample(8, 5, at)
				}
				sample(9, 6, at)
			}
			at := from + r.Int64N(14*ms)
			if i%3 == 0 {
				sample(8, 5, at)
			}
		}
		by, total := blamed(t, events)
		if by[5] < total*6/10 || by[6] > total/20 {
			t.Errorf("%v: who runs inside is charged %d, elsewhere %d, of %d", sampled, by[5], by[6], total)
		}
	}
}

// Each of four sessions is kept while its thread waits for the one database: such waits
// are inside one of them each, though somebody waits for all of them.
func TestWaitsInsideOneOfSeveralLocks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	events := []format.Event{kind(1, format.KindMonitor), stack(1, "read", "loop"), stack(2, "commit", "loop")}
	for lock := range 6 {
		events = append(events, format.Event{Kind: format.KindObject, Object: format.ObjectID(2 + lock), Class: "Session", LockKind: format.KindMonitor})
	}
	var truth int64
	for i := range int64(50) {
		from := i * 60 * ms
		done := from + 12*ms // when the database is free
		for k := range 6 {
			owner, reader := 10+2*k, 11+2*k
			asked, got := from+r.Int64N(8*ms), done+int64(k)*200e3
			events = append(events, waitedAt(2, after(owner, 1, asked, got, 9)))
			came := asked + 100e3 + r.Int64N(2*ms)
			events = append(events, waitedAt(1, after(reader, 2+k, came, got+120e3, owner)))
			truth += got - came
			short := from + 30*ms + r.Int64N(20*ms) // both wait for the session now and then, too
			events = append(events, waitedAt(1+int(i)%2, after(owner, 2+k, short, short+20e3, reader)))
		}
	}
	s := &inferredOf{but: 1}
	if _, err := Run(&format.List{Events: events}, open, s); err != nil {
		t.Fatal(err)
	}
	if s.by[2] < truth*9/10 {
		t.Errorf("who waits inside is known to have %d of %d", s.by[2], truth)
	}
}

// To buy, threads only ever try the windows, and wait for the plan of the seats with one:
// those who wait for a window get it after that. Who looks at the plan has no window, though who had
// both lets go of them together.
func TestWhoOnlyTriesWaitsInside(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	events := []format.Event{kind(1, format.KindMonitor), stack(1, "refund", "loop"), stack(2, "seat", "buy", "loop"), stack(3, "seat", "look", "loop")}
	for lock := range 3 {
		events = append(events, format.Event{Kind: format.KindObject, Object: format.ObjectID(2 + lock), Class: "Window", LockKind: format.KindSynchronizer})
	}
	var truth int64
	for i := range int64(120) {
		from, k := i*20*ms, r.IntN(3)
		done := from + 3*ms
		if i%2 == 0 {
			for n := range int64(2) {
				window, got := 2+(k+int(n))%3, done+n*400e3
				events = append(events, waitedAt(2, after(10+int(n), 1, from+300e3, got, 9)))
				asked := from + 500e3 + r.Int64N(ms)
				events = append(events, waitedAt(1, after(20+int(n), window, asked, got+80e3, 0)))
				truth += got - asked
			}
			continue
		}
		got := done + 60e3
		events = append(events, waitedAt(3, after(12, 1, from+300e3, got, 9)))
		events = append(events, waitedAt(1, after(22, 2+k, from+500e3, got-60e3+r.Int64N(120e3), 0)))
		for n := range 3 { // all wait for windows now and then
			asked := from + int64(10+n)*ms
			events = append(events, waitedAt(1, after(10+n, 2+(k+n)%3, asked, asked+40e3, 0)))
		}
	}
	s := &inferredOf{but: 1}
	if _, err := Run(&format.List{Events: events}, open, s); err != nil {
		t.Fatal(err)
	}
	if s.by[2] < truth*9/10 || s.by[3] > truth/50 {
		t.Errorf("who waits inside is known to have %d of %d, who has none %d", s.by[2], truth, s.by[3])
	}
}

// inferredOf sums waiting for all locks but one whose owner is inferred, by the owner's
// stack.
type inferredOf struct {
	but format.ObjectID
	by  [10]int64
}

func (s *inferredOf) Begin(*Symbols, int64) {}
func (s *inferredOf) Slice(sl *Slice) {
	for _, sh := range sl.Shares {
		if sl.Lock != s.but && sh.Direct.Prov == Inferred {
			s.by[sh.Direct.Stack] += sh.Ns * int64(len(sl.Waiters))
		}
	}
}

// Two permits: who is quick is never seen inside, and who is woken gets a processor late.
// Both are known from when they got one, and from when they are seen elsewhere.
func TestPermitsOfThoseWhoWaited(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	events := []format.Event{kind(1, format.KindSemaphore), stack(1, "scan", "loop"), stack(2, "look", "loop"), stack(5, "scan", "loop"), stack(7, "loop")}
	type request struct {
		thread int
		came   int64
	}
	queue := []request{}
	for thread := range 6 {
		queue = append(queue, request{1 + thread, int64(thread) * 100e3})
	}
	free := [2]int64{ms, ms}
	var looked, scanned float64
	for range 600 {
		n := 0
		if free[1] < free[0] {
			n = 1
		}
		q := queue[0]
		late := 20e3 + r.Int64N(20e3)
		if r.IntN(2) == 0 {
			late = 300e3 + r.Int64N(900e3)
		}
		got := max(q.came, free[n]) + late
		busy, st := 2*ms+r.Int64N(ms), 2
		if r.IntN(4) == 0 {
			busy, st = 6*ms+r.Int64N(ms), 1
			events = append(events, sleeps(q.thread, 5, got+10e3, got+busy-10e3))
			scanned += float64(busy)
		} else {
			looked += float64(busy)
		}
		events = append(events, waitedAt(st, after(q.thread, 1, q.came, got, 0)))
		free[n] = got + busy
		rest := ms + r.Int64N(ms)
		events = append(events, sleeps(q.thread, 7, free[n]+20e3, free[n]+rest))
		queue = append(queue[1:], request{q.thread, free[n] + rest + 10e3})
		for i := len(queue) - 1; i > 0 && queue[i].came < queue[i-1].came; i-- {
			queue[i], queue[i-1] = queue[i-1], queue[i]
		}
	}
	by, total := blamed(t, events)
	known := float64(by[1] + by[2] + by[5])
	if known < float64(total)*8/10 {
		t.Errorf("%.0f of %d are known: %v", known, total, by)
	}
	if got, want := float64(by[2])/known, looked/(looked+scanned); got < want-.1 || got > want+.1 {
		t.Errorf("the quick have %.2f, by the log %.2f: %v", got, want, by)
	}
}

// Three connections that a method hands out and returns with: its callers' sleeps are
// inside, though their stacks lead through nothing that takes a connection. What threads do
// before they come is not, though others get one as often when that ends.
func TestPermitsThatAMethodReturnsWith(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	events := []format.Event{kind(1, format.KindSemaphore), stack(1, "borrow", "query", "loop"), stack(2, "borrow", "report", "loop"), stack(5, "query", "loop"), stack(6, "report", "loop"), stack(7, "loop")}
	var came [9]int64
	free := [3]int64{}
	type span struct{ from, to int64 }
	var asked []span
	holds := map[bool][]span{}
	for range 900 {
		who, n := 0, 0
		for i := range came {
			if came[i] < came[who] {
				who = i
			}
		}
		for i := range free {
			if free[i] < free[n] {
				n = i
			}
		}
		got := max(came[who], free[n]) + 20e3 + r.Int64N(60e3)
		st, long := 1, 2*ms+r.Int64N(100e3)
		if r.IntN(5) == 0 {
			st, long = 2, 7*ms+r.Int64N(100e3)
		}
		holds[st == 2] = append(holds[st == 2], span{got, got + long})
		if free[n] > came[who] {
			asked = append(asked, span{came[who], got})
			events = append(events, waitedAt(st, after(1+who, 1, came[who], got, 0)))
		}
		events = append(events, sleeps(1+who, 4+st, got+10e3, got+long-10e3))
		free[n] = got + long
		came[who] = free[n] + 3*ms + r.Int64N(6*ms)
		events = append(events, sleeps(1+who, 7, free[n]+10e3, came[who]-5e3))
	}
	by, total := blamed(t, events)
	if by[7] > 0 || by[1]+by[2]+by[5]+by[6] < total*8/10 {
		t.Errorf("who has one is charged %d, who has none %d, of %d: %v", by[1]+by[2]+by[5]+by[6], by[7], total, by)
	}
	together := func(holds []span) (ns int64) {
		for _, w := range asked {
			for _, h := range holds {
				ns += max(min(w.to, h.to)-max(w.from, h.from), 0)
			}
		}
		return ns
	}
	queried, reported := together(holds[false]), together(holds[true])
	got, want := float64(by[2]+by[6])/float64(total), float64(reported)/float64(queried+reported)
	if got < want-.05 || got > want+.05 {
		t.Errorf("reports have %.2f, by the log %.2f: %v", got, want, by)
	}
}

// Short waits are not recorded, and so the name of who slept inside is mostly replaced by
// that of one who then waited for less: who never waits has what those who wait long get
// just when it ends.
func TestWhoNeverWaitsIsSeldomNamed(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	events := []format.Event{kind(1, format.KindMonitor), stack(1, "use", "loop"), stack(5, "sweep", "housekeeping"), stack(6, "doze", "other")}
	for i := range int64(60) {
		from := i*100*ms + r.Int64N(20*ms)
		events = append(events, sleeps(8, 5, from, from+12*ms))
		last := 8
		if i%10 > 0 {
			last = 4 // came late, and went first
		}
		for w := range int64(2) {
			came := from + 100e3 + r.Int64N(ms)
			events = append(events, waitedAt(1, after(int(1+w), 1, came, from+12*ms+100e3+w*60e3, last)))
			last = int(1 + w)
		}
		doze := i*100*ms + r.Int64N(70*ms)
		events = append(events, sleeps(9, 6, doze, doze+12*ms))
		alone := from + 40*ms
		events = append(events, waitedAt(1, after(1, 1, alone, alone+30e3, 9)))
	}
	by, total := blamed(t, events)
	if by[5] < total*8/10 || by[6] > total/20 {
		t.Errorf("who sleeps inside is charged %d, elsewhere %d, of %d", by[5], by[6], total)
	}
}

// A dump that shows the lock free tells of its instant: before that another one had it,
// who did not have to wait.
func TestSeenFreeIsAnInstant(t *testing.T) {
	events := []format.Event{kind(1, format.KindMonitor), stack(1, "use", "loop"), stack(2, "rest", "loop")}
	for i := range int64(100) {
		at := i * 20 * ms
		events = append(events, waitedAt(1, after(1, 1, at, at+ms, 3)), sleeps(1, 2, at+2*ms, at+12*ms),
			waitedAt(1, after(2, 1, at+500e3, at+6*ms, 4)), waitedAt(1, after(3, 1, at+800e3, at+11*ms, 2)))
		if i%5 == 0 {
			events = append(events, dump(at+6*ms-20e3, 1, 0, 0, 2, 3))
		}
	}
	by, total := blamed(t, events)
	if by[1] < total*9/10 {
		t.Errorf("sections are charged %d of %d: %v", by[1], total, by)
	}
}

// Those who look things up keep a cache and wait inside it for the disk, which somebody has
// who never asks for the cache: what he sleeps at ends just when others get the cache, too, but
// it is kept by who waits for the disk.
func TestWhoHasWhatTheOwnerWaitsForIsNoOwner(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	events := []format.Event{kind(1, format.KindSynchronizer), kind(2, format.KindMonitor), stack(1, "lookup", "loop"), stack(2, "read", "lookup", "loop"), stack(5, "compact", "housekeeping")}
	var truth int64
	for i, from := 0, int64(0); i < 60; i, from = i+1, from+50*ms+r.Int64N(40*ms) {
		free := from + 40*ms
		events = append(events, sleeps(8, 5, from, free))
		came := from + r.Int64N(5*ms) // gets the cache at once, and waits for the disk
		events = append(events, waitedAt(2, after(1+i%4, 2, came, free+50e3, 8)))
		for w := range 3 {
			asked, got := came+200e3+r.Int64N(20*ms), free+400e3+int64(w)*350e3
			events = append(events, waitedAt(1, after(1+(i+1+w)%4, 1, asked, got, 0)))
			truth += free - asked
		}
	}
	s := &inferredOf{but: 2}
	if _, err := Run(&format.List{Events: events}, open, s); err != nil {
		t.Fatal(err)
	}
	if s.by[2] < truth*9/10 || s.by[5] > truth/20 {
		t.Errorf("who waits for the disk is known to have the cache for %d of %d, who has the disk for %d", s.by[2], truth, s.by[5])
	}
}
