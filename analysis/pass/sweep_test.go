package pass

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/internal/deliver"
	"contend/analysis/internal/record"
	"contend/analysis/internal/sweep"
	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sums is a visitor that adds everything up and checks the invariants of each slice.
type sums struct {
	totalOnly
	t            testing.TB
	sym          *analysis.Symbols
	waits        int
	total        int64
	cutNs        int64 // CutNs of the first slice of each wait
	running      int64
	direct, root map[string]int64
	byThread     map[format.ThreadID]int64
	lastEnd      int64
	threads      map[string]format.ThreadID // by the names the sums use
}

func newSums(t testing.TB) *sums {
	return &sums{
		t:        t,
		direct:   map[string]int64{},
		root:     map[string]int64{},
		byThread: map[format.ThreadID]int64{},
		lastEnd:  -math.MaxInt64,
		threads:  map[string]format.ThreadID{},
	}
}

func (s *sums) Begin(sym *analysis.Symbols, start int64) { s.sym = sym }

// totalOnly is the part of a RunningVisitor that asks for one sum.
type totalOnly struct{}

func (totalOnly) Intervals() (from, length int64) { return -math.MaxInt64 / 2, 0 }

func (totalOnly) Ticks(_, _ int64) {}

func (s *sums) Running(from, to, ns int64) { s.running += ns }

func (s *sums) Slice(sl *analysis.Slice) {
	if sl.End < s.lastEnd {
		s.t.Fatalf("slice ending at %d after one ending at %d", sl.End, s.lastEnd)
	}
	s.lastEnd = sl.End
	sum := int64(0)
	for _, sh := range sl.Shares {
		sum += sh.Ns
		s.direct[s.owner(sh.Direct)] += sh.Ns * int64(len(sl.Waiters))
		s.root[s.owner(sh.Root)] += sh.Ns * int64(len(sl.Waiters))
		last, hops := sl.Lock, 1
		for h := range sh.Further() {
			last = h.Lock
			hops++
		}
		if hops != min(sh.Hops, analysis.MaxPath+1) || !sh.Far() && last != sh.Last {
			s.t.Fatalf("share of %d hops to lock %d has a path of %d to %d", sh.Hops, sh.Last, hops, last)
		}
	}
	if sum != sl.Length() || len(sl.Waiters) == 0 {
		s.t.Fatalf("shares sum to %d over a slice of %d, of %d waiters", sum, sl.Length(), len(sl.Waiters))
	}
	for _, w := range sl.Waiters {
		if w.First {
			s.waits++
			s.cutNs += w.CutNs
		}
		s.total += sum
		s.byThread[w.Thread] += sum
	}
}

func (s *sums) owner(o analysis.Owner) string {
	switch o.Kind {
	case analysis.OwnerThread:
		name := fmt.Sprintf("t%d", o.Thread)
		s.threads[name] = o.Thread
		return name
	case analysis.OwnerDeadlock:
		return fmt.Sprintf("deadlock%d", o.Cycle)
	}
	return [...]string{analysis.OwnerHandoff: "handoff", analysis.OwnerUnknown: "unknown",
		analysis.OwnerExternal: "external"}[o.Kind]
}

func run(t testing.TB, events []format.Event, f analysis.Filter) (*sums, *analysis.Trace) {
	t.Helper()
	s := newSums(t)
	tr := golden.Must(Run(&format.List{Events: events}, f, s))(t)
	return s, tr
}

var open = analysis.Filter{From: format.NoTime, To: format.NoTime}

func waits(thread, lock int, from, to int64) format.Event {
	return format.Event{
		Kind:   format.KindWait,
		Thread: format.ThreadID(thread),
		Object: format.ObjectID(lock),
		Time:   from,
		End:    to,
	}
}

func holds(thread, lock int, from, to int64) format.Event {
	return format.Event{
		Kind:   format.KindTenure,
		Thread: format.ThreadID(thread),
		Object: format.ObjectID(lock),
		Time:   from,
		End:    to,
	}
}

func TestBlameFollowsThePointers(t *testing.T) {
	cases := []struct {
		name         string
		events       []format.Event
		direct, root map[string]int64
		deadlocks    int
	}{
		{"one lock", []format.Event{holds(1, 1, 0, 100), waits(2, 1, 20, 100)},
			map[string]int64{"t1": 80}, map[string]int64{"t1": 80}, 0},
		{"hand-off", []format.Event{holds(1, 1, 0, 90), waits(2, 1, 20, 100)},
			map[string]int64{"t1": 70, "handoff": 10}, map[string]int64{"t1": 70, "handoff": 10}, 0},
		{
			"nested: 3 waits for 2, which waits for 1",
			[]format.Event{holds(1, 1, 0, 100), holds(2, 2, 0, 200), waits(2, 1, 50, 100), waits(3, 2, 10, 200)},
			map[string]int64{"t1": 50, "t2": 190},
			map[string]int64{"t1": 100, "t2": 140},
			0,
		},
		{
			"three readers share",
			[]format.Event{
				holds(1, 1, 0, 100),
				holds(2, 1, 0, 100),
				holds(3, 1, 0, 100),
				waits(4, 1, 0, 90),
				holds(9, 9, 0, 100),
			},
			map[string]int64{"t1": 30, "t2": 30, "t3": 30},
			map[string]int64{"t1": 30, "t2": 30, "t3": 30},
			0,
		},
		{
			"two wait for one lock",
			[]format.Event{holds(1, 1, 0, 50), holds(2, 1, 50, 80), waits(2, 1, 10, 50), waits(3, 1, 20, 80)},
			map[string]int64{"t1": 70, "t2": 30},
			map[string]int64{"t1": 70, "t2": 30},
			0,
		},
		{"no owner recorded", []format.Event{waits(2, 1, 20, 100)},
			map[string]int64{"unknown": 80}, map[string]int64{"unknown": 80}, 0},
		{
			"owner gone",
			[]format.Event{
				holds(1, 1, 0, 100),
				waits(2, 1, 20, 100),
				{Kind: format.KindThreadEnd, Thread: 1, Time: 60},
			},
			map[string]int64{"t1": 40, "external": 40},
			map[string]int64{"t1": 40, "external": 40},
			0,
		},
		{
			"deadlock with one queued",
			[]format.Event{
				holds(1, 1, 0, 100),
				holds(2, 2, 0, 100),
				waits(1, 2, 20, 100),
				waits(2, 1, 30, 100),
				waits(3, 1, 40, 100),
			},
			map[string]int64{"t1": 70 + 60, "t2": 80},
			map[string]int64{"t2": 10, "deadlock1": 70 + 70 + 60},
			1,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, tr := run(t, c.events, open)
			golden.Same(t, s.direct, c.direct, "direct")
			golden.Same(t, s.root, c.root, "root")
			golden.Equal(t, len(tr.Deadlocks), c.deadlocks)
		})
	}
}

func TestDeadlockListsItsMembersAndItsQueueApart(t *testing.T) {
	_, tr := run(
		t,
		[]format.Event{
			holds(1, 1, 0, 100),
			holds(2, 2, 0, 100),
			waits(1, 2, 20, 100),
			waits(2, 1, 30, 100),
			waits(3, 1, 40, 100),
		},
		open,
	)
	d := tr.Deadlocks[0]
	want := []analysis.Link{{Thread: 1, Lock: 2}, {Thread: 2, Lock: 1}}
	if !slices.Equal(d.Cycle, want) || !slices.Equal(d.Queued, []format.ThreadID{3}) || d.Since != 30 {
		t.Errorf("got %+v", d)
	}
}

// workload draws disjoint waits for each thread and holds of random locks, some of which
// have several owners at once.
func workload(t *rapid.T) []format.Event {
	var events []format.Event
	threads := rapid.IntRange(2, 6).Draw(t, "threads")
	locks := rapid.IntRange(1, 4).Draw(t, "locks")
	for th := 1; th <= threads; th++ {
		at := int64(0)
		for range rapid.IntRange(0, 6).Draw(t, "waits") {
			from := at + rapid.Int64Range(0, 40).Draw(t, "pause")
			to := from + rapid.Int64Range(0, 60).Draw(t, "wait")
			events = append(events, waits(th, rapid.IntRange(1, locks).Draw(t, "lock"), from, to))
			at = to
		}
		for range rapid.IntRange(0, 5).Draw(t, "tenures") {
			from := rapid.Int64Range(0, 300).Draw(t, "from")
			events = append(
				events,
				holds(th, rapid.IntRange(1, locks).Draw(t, "held"), from, from+rapid.Int64Range(0, 90).Draw(t, "hold")),
			)
		}
	}
	return events
}

func waitingIn(events []format.Event, from, to int64) (total int64) {
	for _, ev := range events {
		if ev.Kind == format.KindWait {
			total += max(0, min(ev.End, to)-max(ev.Time, from))
		}
	}
	return total
}

func total(m map[string]int64) (sum int64) {
	for _, ns := range m {
		sum += ns
	}
	return sum
}

func TestLawsOnRandomWorkloads(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		events := workload(rt)
		s, tr := run(t, events, open)
		want := waitingIn(events, -math.MaxInt64, math.MaxInt64)
		if s.total != want || total(s.direct) != want || total(s.root) != want {
			rt.Fatalf("total %d, direct %d, root %d, recorded %d", s.total, total(s.direct), total(s.root), want)
		}
		prov := int64(0)
		for _, ns := range tr.Coverage.ByProvenance {
			prov += ns
		}
		golden.Equal(rt, prov, want, "provenance sums to")
		golden.AtMost(rt, s.total, s.running, "waiting")
		shuffled, _ := run(t, rapid.Permutation(events).Draw(rt, "order"), open)
		if diff := cmp.Diff(positive(s.direct), positive(shuffled.direct)) + cmp.Diff(s.byThread,
			shuffled.byThread); diff != "" {
			rt.Fatalf("the order of events changes blame:\n%s", diff)
		}
		cut := rapid.Int64Range(0, 400).Draw(rt, "cut")
		left, _ := run(t, events, analysis.Filter{From: format.NoTime, To: cut})
		right, _ := run(t, events, analysis.Filter{From: cut, To: format.NoTime})
		for _, part := range []*sums{s, left, right} {
			golden.Equal(rt, part.cutNs, part.total, "waits have")
		}
		for o, ns := range right.direct {
			left.direct[o] += ns
		}
		for o, ns := range right.root {
			left.root[o] += ns
		}
		golden.Same(rt, positive(left.direct), positive(s.direct), "cutting at", cut, "changes direct blame")
		golden.Same(rt, withoutNumbers(left.root), withoutNumbers(s.root), "cutting at", cut, "changes root blame")
	})
}

// positive drops zero entries.
func positive(m map[string]int64) map[string]int64 {
	maps.DeleteFunc(m, func(_ string, ns int64) bool { return ns == 0 })
	return m
}

// withoutNumbers merges the deadlocks, because each half of a cut trace numbers its own.
func withoutNumbers(m map[string]int64) map[string]int64 {
	out := map[string]int64{}
	for o, ns := range m {
		if strings.HasPrefix(o, "deadlock") {
			o = "deadlock"
		}
		out[o] += ns
	}
	return positive(out)
}

// chained returns waits in a chain: each thread holds a lock and waits for that of the next
// one. The last one releases its lock once all wait.
func chained(depth int) (events []format.Event) {
	for i := 1; i <= depth; i++ {
		events = append(events, waits(i, i+1, int64(i), int64(2*depth+depth-i)))
	}
	for i := 1; i <= depth+1; i++ {
		events = append(events, holds(i, i, 0, int64(2*depth+depth+1-i)))
	}
	return events
}

// swept returns the sweep over some events, without visitors.
func swept(events []format.Event, f analysis.Filter) *sweep.Sweep {
	sym := analysis.NewSymbols()
	e := deliver.NewEmitter(sym, f, deliver.NewDispatcher(nil, nil))
	rec := record.New()
	for i := range events {
		rec.Keep(&events[i])
	}
	e.Begin(0)
	w := rec.Complete(sym.Kind)
	owned, inferred := w.Activities.Timelines(sym, nil)
	inferred()
	s := sweep.New(w, owned, e)
	s.Run()
	return s
}

// Waiters of one lock that began together are one slice. Later ones have slices of their
// own until the owner changes.
func TestWaitersOfOneLockAreOneSlice(t *testing.T) {
	const waiters = 1000
	events := []format.Event{holds(1, 1, 0, 5000), holds(2, 1, 5000, 6000), holds(3, 1, 6000, 7000)}
	for i := range waiters {
		events = append(events, waits(10+i, 1, int64(i), 7000))
	}
	var b bookings
	golden.Must(Run(&format.List{Events: events}, open, &b))(t)
	golden.Equal(t, b.slices, waiters+2)
	golden.Equal(t, b.waiters, 3*waiters)
}
