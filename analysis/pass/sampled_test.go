package pass

import (
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

func tick(at, intended int64, live, idle int) format.Event {
	return format.Event{
		Kind:        format.KindTick,
		Time:        at,
		Intended:    intended,
		Live:        uint32(live),
		IdleThreads: uint32(idle),
	}
}

func sample(at int64, lock, owner int, waiters ...int) format.Event {
	ev := dump(at, lock, owner, 0, waiters...)
	ev.Weight = format.WeightFromTicks
	return ev
}

func linked(at int64, lock, owner int, waiters ...int) format.Event {
	return dump(at, lock, owner, 0, waiters...)
}

func TestTicksReachHalfWayToTheirNeighbours(t *testing.T) {
	cases := []struct {
		name    string
		events  []format.Event
		direct  map[string]int64
		waits   int
		running int64
	}{
		{"even ticks",
			[]format.Event{
				tick(100, 100, 2, 0),
				sample(100, 1, 1, 2),
				tick(110, 110, 2, 0),
				sample(110, 1, 1, 2),
				tick(120, 120, 2, 0),
			},
			map[string]int64{"t1": 20}, 1, 60},
		{"the recorder stalled: actual time counts",
			[]format.Event{tick(100, 100, 3, 1), tick(110, 110, 3, 1), sample(110, 1, 1, 2), tick(150, 120, 3, 1)},
			map[string]int64{"t1": 5 + 20}, 1, 2 * 60},
		{"never further than ten periods",
			[]format.Event{tick(100, 100, 2, 0), tick(110, 110, 2, 0), sample(110, 1, 1, 2), tick(5000, 5000, 2, 0)},
			map[string]int64{"t1": 5 + 100}, 1, 2 * (10 + 105 + 105)},
		{"never across a gap",
			[]format.Event{
				tick(100, 100, 2, 0),
				{Kind: format.KindGap, Time: 104, End: 107},
				tick(110, 110, 2, 0),
				sample(110, 1, 1, 2),
				tick(120, 120, 2, 0),
			},
			map[string]int64{"t1": 3 + 5}, 1, 2 * (9 + 8 + 10)},
		{"a free lock is being handed off; two waits of one thread",
			[]format.Event{
				tick(100, 100, 2, 0),
				sample(100, 1, 0, 2),
				tick(110, 110, 2, 0),
				tick(120, 120, 2, 0),
				sample(120, 1, 1, 2),
			},
			map[string]int64{"handoff": 10, "t1": 10}, 2, 60},
		{"a waiter that is listed twice stands for two",
			[]format.Event{
				tick(100, 100, 4, 0),
				sample(100, 1, 1, 2, 2),
				tick(110, 110, 4, 0),
				sample(110, 1, 1, 2, 2),
				tick(120, 120, 4, 0),
			},
			map[string]int64{"t1": 40}, 2, 120},
		{"a waiter that stands for no time shows whom the owner waits for",
			[]format.Event{tick(100, 100, 3, 0), linked(100, 2, 3, 1), sample(100, 1, 1, 2), tick(110, 110, 3, 0)},
			map[string]int64{"t1": 10}, 1, 60},
		{"nested at one instant",
			[]format.Event{tick(100, 100, 3, 0), sample(100, 1, 1, 2), sample(100, 2, 2, 3), tick(110, 110, 3, 0)},
			map[string]int64{"t1": 10, "t2": 10}, 2, 60},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, _ := run(t, c.events, open)
			golden.Same(t, s.direct, c.direct, "direct")
			if strings.Contains(c.name, "the owner waits for") && s.root["t3"] != 10 {
				t.Errorf("root: %v, want t3", s.root)
			}
			golden.Equal(t, s.waits, c.waits)
			golden.Equal(t, s.running, c.running, "running")
		})
	}
}

// The length of a sampled wait is unknown: its samples stand for the interval between them,
// however long the wait was.
func TestTheLeastLengthOfWaitsLeavesOutNoSampledOne(t *testing.T) {
	events := []format.Event{
		tick(100, 100, 2, 0),
		sample(100, 1, 1, 2),
		tick(110, 110, 2, 0),
		sample(110, 1, 1, 2),
		tick(120, 120, 2, 0),
	}
	f := open
	f.MinWait = 15
	s, tr := run(t, events, f)
	golden.Equal(t, s.waits, 1)
	golden.Equal(t, s.direct["t1"], 20)
	if !slices.ContainsFunc(tr.Coverage.Warnings, func(w format.Warning) bool { return w.Code == "min-wait" }) {
		t.Errorf("no warning: %v", tr.Coverage.Warnings)
	}
}

// A recorder that draws its instants at random may take two close together. Their distance
// is not its period, and does not limit the reach of the others.
func TestTheRecorderStatesItsPeriod(t *testing.T) {
	var ticks []format.Event
	for _, at := range []int64{1000, 1001, 1100, 1200} {
		ticks = append(ticks, tick(at, at, 1, 0), sample(at, 1, 0, 1))
	}
	stated, _ := run(
		t,
		append([]format.Event{{Kind: format.KindSetting, Name: format.SettingPeriod, Value: "100"}}, ticks...),
		open,
	)
	if guessed, _ := run(t, ticks, open); stated.total != 250 || guessed.total < 200 {
		t.Errorf("%d ns of waiting, %d if the period is guessed", stated.total, guessed.total)
	}
}

// samples collects the samples of slices.
type samples struct{ list []analysis.Sample }

func (s *samples) Begin(*analysis.Symbols, int64) {}

func (s *samples) Slice(sl *analysis.Slice) { s.list = append(s.list, sl.Sample) }

func takenAt(before, t, after int64) analysis.Sample {
	return analysis.Sample{Taken: true, InOrder: true, Before: before, First: t, Last: t, After: after}
}

func lost(from, to int64) format.Event {
	return format.Event{Kind: format.KindGap, Time: from, End: to}
}

func ticked(events ...format.Event) []format.Event {
	var out []format.Event
	for _, ev := range events {
		if ev.Kind == format.KindContention {
			out = append(out, tick(ev.Time, ev.Time, 2, 0))
		}
		out = append(out, ev)
	}
	return out
}

func TestSlicesKnowTheSampleTheyRestOn(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []format.Event
		want   []analysis.Sample
	}{
		{"between two others", ticked(tick(100, 100, 2, 0), sample(110, 1, 1, 2), tick(120, 120, 2, 0)),
			[]analysis.Sample{takenAt(100, 110, 120)}},
		{"at both ends", ticked(sample(110, 1, 1, 2)), []analysis.Sample{takenAt(format.NoTime, 110, format.NoTime)}},
		{"a gap before it", ticked(tick(100, 100, 2, 0), lost(103, 105), sample(110, 1, 1, 2), tick(120, 120, 2, 0)),
			[]analysis.Sample{takenAt(format.NoTime, 110, 120)}},
		{"a gap after it", ticked(tick(100, 100, 2, 0), sample(110, 1, 1, 2), lost(113, 118), tick(120, 120, 2, 0)),
			[]analysis.Sample{takenAt(100, 110, format.NoTime)}},
		{"a gap elsewhere", ticked(tick(90, 90, 2, 0), lost(93, 95), tick(100, 100, 2, 0), sample(110, 1, 1, 2),
			tick(120, 120, 2, 0)), []analysis.Sample{takenAt(100, 110, 120)}},
		{"a wait recorded whole rests on none", []format.Event{waits(2, 1, 100, 130)}, []analysis.Sample{{}}},
	} {
		s := &samples{}
		golden.Must(Run(&format.List{Events: c.events}, open, s))(t)
		golden.Same(t, s.list, c.want, c.name)
	}
}

// Samples outside of the cut are ignored: whether a wait continued there is unknown.
func TestTheCutHidesTheSamplesBeyondIt(t *testing.T) {
	events := ticked(
		sample(100, 1, 1, 2),
		sample(110, 1, 1, 3),
		sample(120, 1, 1, 2),
		sample(130, 1, 1, 3),
	) // no two alike
	for _, c := range []struct {
		name     string
		from, to int64
		want     []analysis.Sample
	}{
		{"between two samples", 105, 125, []analysis.Sample{takenAt(format.NoTime, 110, 120),
			takenAt(110, 120, format.NoTime)}},
		{"within what a sample stands for", 112, 123,
			[]analysis.Sample{takenAt(format.NoTime, 110, 120), takenAt(110, 120, format.NoTime)}},
		{"from the start, to the end", 95, 135,
			[]analysis.Sample{takenAt(format.NoTime, 100, 110), takenAt(100, 110, 120), takenAt(110, 120, 130),
				takenAt(120, 130, format.NoTime)}},
	} {
		s := &samples{}
		golden.Must(Run(&format.List{Events: events}, analysis.Filter{From: c.from, To: c.to}, s))(t)
		golden.Same(t, s.list, c.want, c.name)
	}
}

// A wait that began before the cut counts in it, recorded or sampled.
func TestAWaitGoingOnWhereTheCutBeginsCounts(t *testing.T) {
	for name, events := range map[string][]format.Event{
		"recorded": {waits(2, 1, 100, 130)},
		"sampled":  ticked(sample(100, 1, 1, 2), sample(110, 1, 1, 2), sample(120, 1, 1, 2), sample(130, 1, 1, 2)),
	} {
		s, _ := run(t, events, analysis.Filter{From: 115, To: format.NoTime})
		golden.Equal(t, s.waits, 1, name, "waits")
	}
}

// A gap hides whether a wait continued: a thread that waits after it begins a new wait.
func TestNoWaitIsKnownToGoOnAcrossAGap(t *testing.T) {
	s, _ := run(
		t,
		ticked(
			sample(100, 1, 1, 2),
			sample(110, 1, 1, 2),
			lost(113, 9000),
			sample(9010, 1, 1, 2),
			sample(9020, 1, 1, 2),
		),
		open,
	)
	golden.Equal(t, s.waits, 2, "waits, want one before the gap and one behind it")
}

// bookings counts and sums what it receives.
type bookings struct {
	totalOnly
	slices, waiters, runs     int
	firsts, waitNs, runningNs int64
}

func (b *bookings) Begin(*analysis.Symbols, int64) {}

func (b *bookings) Running(_, _, ns int64) {
	b.runs++
	b.runningNs += ns
}

func (b *bookings) Slice(s *analysis.Slice) {
	b.slices++
	b.waiters += len(s.Waiters)
	b.waitNs += s.Ns()
	b.firsts += s.Firsts()
}

// alike returns ticks 10 ns apart at which the same locks are contended.
func alike(n int, locks ...format.Event) (events []format.Event) {
	for i := range n {
		at := int64(1000 + 10*i)
		events = append(events, tick(at, at, 9, 1))
		for _, ev := range locks {
			ev.Time = at
			events = append(events, ev)
		}
	}
	return events
}

func TestInstantsThatShowTheSame(t *testing.T) {
	held := sample(0, 1, 1, 2, 3)
	readers := sample(0, 1, 1, 2)
	readers.Owners = append(readers.Owners, format.Party{Thread: 5})
	threads := alike(100, held)
	for i := 50; i < len(threads); i++ {
		threads[i].Live++ // of ticks: from the 26th on
	}
	renamed := append(alike(50, held), format.Event{Kind: format.KindObject, Object: 1, Class: "Renamed"})
	renamed = append(renamed, alike(100, held)[2*50:]...)
	gap := append(alike(50, held), format.Event{Kind: format.KindGap, Time: 1491, End: 1499})
	gap = append(gap, alike(100, held)[2*50:]...)
	changes := append(alike(50, held), alike(100, sample(0, 1, 1, 2))[2*50:]...)
	for _, c := range []struct {
		name           string
		events         []format.Event
		from           int64
		firsts, waitNs int64
	}{
		{"nothing changes", alike(100, held), format.NoTime, 2, 2 * 1000},
		{"nobody waits", alike(100), format.NoTime, 0, 0},
		{"another thread lives", threads, format.NoTime, 2, 2 * 1000},
		{"a lock is renamed", renamed, format.NoTime, 2, 2 * 1000},
		{"not across a gap", gap, format.NoTime, 4, 2 * (1000 - 8)},
		{"a waiter leaves", changes, format.NoTime, 2, 2*500 + 500},
		{"readers share each instant anew", alike(100, readers), format.NoTime, 1, 1000},
		{"a deadlock", alike(100, sample(0, 1, 1, 2), sample(0, 2, 2, 1), sample(0, 3, 1, 3)), format.NoTime, 3,
			3 * 1000},
		{"cut: what lies before is not charged", alike(100, held), 1500, 2, 2 * 495},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bookings
			f := open
			if c.from != format.NoTime {
				f.From = c.from
			}
			golden.Must(Run(&format.List{Events: c.events}, f, &b))(t)
			golden.Equal(t, b.firsts, c.firsts)
			golden.Equal(t, b.waitNs, c.waitNs)
		})
	}
}

// barged is a lock two threads wait for in turns, each of which has it for a
// millisecond. A third one then takes it for eight, and never waits: only samples,
// which fall into one gap of five, show it.
func barged(samples bool) []format.Event {
	events := []format.Event{
		kind(1, format.KindSynchronizer),
		stack(1, "use", "loop"),
		stack(2, "use", "other"),
		stack(3, "audit", "loop"),
	}
	var dumps []format.Event
	for i := 1; i <= 240; i++ {
		at, thread := int64(i)*10*ms, 1+i%2
		events = append(events, after(thread, 1, at-9*ms-900e3, at, 0))
		if in := int64(i) * 613 % 9900 * 1e3; i%5 == 0 {
			owner := 3
			if in < 1*ms {
				owner = thread
			}
			dumps = append(dumps, dump(at+in, 1, owner, owner, 3-thread))
		}
	}
	if !samples {
		return events
	}
	return append(events, dumps...)
}

// What samples show of stretches that are claimed alike holds for those, too,
// into which none fell.
func TestSamplesTellOfStretchesLikeTheirs(t *testing.T) {
	share := func(samples bool) float64 {
		s := &byStack{by: map[format.StackID]int64{}}
		golden.Must(Run(&format.List{Events: barged(samples)}, open, s))(t)
		return float64(s.by[3]) / float64(s.total)
	}
	if without, with := share(false), share(true); without != 0 || with < 0.6 || with > 0.95 {
		t.Errorf(
			"audit has %.2f of the waiting without samples, want none, and %.2f with, want about 0.8",
			without,
			with,
		)
	}
}

// inTurn sums up the waiting with a stack as owner, by whether the interval of 10 ms in which
// it is is an odd one.
type inTurn struct {
	stack     format.StackID
	even, odd int64
}

func (s *inTurn) Begin(*analysis.Symbols, int64) {}

func (s *inTurn) Slice(sl *analysis.Slice) {
	for _, sh := range sl.Shares {
		if sh.Direct.Stack == s.stack && sl.Start/(10*ms)%2 == 0 {
			s.even += sh.Ns
		} else if sh.Direct.Stack == s.stack {
			s.odd += sh.Ns
		}
	}
}

// A dump shows the owner at its own time, also if it shows a thread as a waiter whose wait, for
// another lock of the class, had just ended.
func TestADumpWithAWaiterOfAnotherLock(t *testing.T) {
	events := []format.Event{
		kind(1, format.KindSynchronizer),
		kind(2, format.KindSynchronizer),
		kind(9, format.KindSynchronizer),
		stack(1, "use", "loop"),
		stack(2, "use", "other"),
		stack(3, "audit", "loop"),
		stack(4, "use", "else"),
	}
	var dumps []format.Event
	for i := 1; i <= 100; i++ {
		at, thread := int64(i)*10*ms, 1+i%2
		owner := thread
		if i%2 == 1 {
			owner = 3
		}
		events = append(events, after(thread, 1, at-9*ms-900e3, at, 0), after(4, 2, at-2*ms, at-ms, 0))
		dumps = append(dumps, dump(at+5*ms, 9, owner, owner, 3-thread, 4))
	}
	s := &inTurn{stack: 3}
	golden.Must(Run(&format.List{Events: append(events, dumps...)}, open, s))(t)
	if s.odd < 9*s.even || s.odd < 200*ms {
		t.Errorf("audit has %d ms of the intervals in which dumps show it, %d ms of others", s.odd/ms, s.even/ms)
	}
}
