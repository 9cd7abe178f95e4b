package pass

import (
	"math/rand/v2"
	"testing"

	"contend/analysis"
	"contend/analysis/owners"
	"contend/format"
	"contend/golden"
)

// blamed runs events and returns what each stack of an owner is charged, and all.
func blamed(t *testing.T, events []format.Event) (map[format.StackID]int64, int64) {
	t.Helper()
	s := &byStack{by: map[format.StackID]int64{}}
	golden.Must(Run(&format.List{Events: events}, open, s))(t)
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
	}{{"once", format.Exclusive, 1}, {"readers wait", format.Shared, 1}, {"piece by piece", format.Exclusive, 4},
		{"piece by piece, and readers wait", format.Shared, 4}} {
		r := rand.New(rand.NewPCG(5, 6))
		events := []format.Event{
			kind(1, format.KindSynchronizer),
			stack(1, "use", "loop"),
			stack(5, "renew", "housekeeping"),
			stack(6, "doze", "other"),
		}
		for i := range int64(60) {
			from := i*100*ms + r.Int64N(20*ms)
			doze := i*100*ms + r.Int64N(70*ms)
			for n := range c.pieces {
				at, until := n*14*ms/c.pieces, (n+1)*14*ms/c.pieces-min(n+1, c.pieces-1)%c.pieces*1e3
				events = append(events, asleep(8, 5, from+at, from+until), asleep(9, 6, doze+at, doze+until))
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
		events := []format.Event{
			kind(1, format.KindSynchronizer),
			stack(1, "use", "loop"),
			stack(5, "renew", "housekeeping"),
			stack(6, "count", "other"),
			stack(7, "rest", "loop"),
		}
		sample := func(thread, st int, at int64) {
			events = append(
				events,
				format.Event{
					Kind:     format.KindActivity,
					Activity: sampled,
					Thread:   format.ThreadID(thread),
					Stack:    format.StackID(st),
					Time:     at,
					End:      at,
				},
			)
		}
		for i := range int64(120) {
			from := i*100*ms + r.Int64N(20*ms)
			for w := range int64(3) {
				came := from + 100e3 + r.Int64N(2*ms)
				events = append(events, waitedAt(1, after(int(1+w), 1, came, from+14*ms+100e3+w*60e3, 0)))
				later := from + int64(30+10*w)*ms // and they wait for each other for a moment
				events = append(
					events,
					waitedAt(1, after(int(1+w), 1, later, later+50e3, 0)),
					asleep(int(1+w), 7, later+300e3, later+5*ms),
				)
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
		events = append(
			events,
			format.Event{
				Kind:     format.KindObject,
				Object:   format.ObjectID(2 + lock),
				Class:    "Session",
				LockKind: format.KindMonitor,
			},
		)
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
	golden.Must(Run(&format.List{Events: events}, open, s))(t)
	golden.AtLeast(t, s.by[2], truth*8/10, "who waits inside is known to have", truth)
}

// inferredOf sums waiting for all locks but one whose owner is inferred, by the owner's
// stack.
type inferredOf struct {
	but format.ObjectID
	by  [10]int64
}

func (s *inferredOf) Begin(*analysis.Symbols, int64) {}

func (s *inferredOf) Slice(sl *analysis.Slice) {
	for _, sh := range sl.Shares {
		if sl.Lock != s.but && sh.Direct.Prov.Word() == owners.Inferred {
			s.by[sh.Direct.Stack] += sh.Ns * int64(len(sl.Waiters))
		}
	}
}

// Short waits are not recorded, and so the name of who slept inside is mostly replaced by
// that of one who then waited for less: who never waits has what those who wait long get
// just when it ends.
func TestWhoNeverWaitsIsSeldomNamed(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	events := []format.Event{
		kind(1, format.KindMonitor),
		stack(1, "use", "loop"),
		stack(5, "sweep", "housekeeping"),
		stack(6, "doze", "other"),
	}
	for i := range int64(60) {
		from := i*100*ms + r.Int64N(20*ms)
		events = append(events, asleep(8, 5, from, from+12*ms))
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
		events = append(events, asleep(9, 6, doze, doze+12*ms))
		alone := from + 40*ms
		events = append(events, waitedAt(1, after(1, 1, alone, alone+30e3, 9)))
	}
	by, total := blamed(t, events)
	if by[5] < total*8/10 || by[6] > total/20 {
		t.Errorf("who sleeps inside is charged %d, elsewhere %d, of %d", by[5], by[6], total)
	}
}
