package cmd

import (
	"slices"
	"testing"

	"contend/analysis"
	"contend/blame"
	"contend/blame/locks"
	"contend/blame/stacks"
	"contend/csp"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// pieces cuts every slice into as small ones as there are: one waiter each, and
// of two halves in time if it has one share. Time split among readers is not
// the same wherever it is cut.
type pieces struct {
	analysis.Visitor
	analysis.TickVisitor
}

func (p pieces) Running(from, to, ns int64) {
	if v, ok := p.Visitor.(analysis.RunningVisitor); ok {
		v.Running(from, to, ns)
	}
}

func (p pieces) Slice(s *analysis.Slice) {
	for i := range s.Waiters {
		one := *s
		one.Waiters = s.Waiters[i : i+1]
		if len(s.Shares) == 1 && s.Length() > 1 {
			one.Shares = slices.Clone(s.Shares)
			one.Waiters = slices.Clone(one.Waiters)
			one.End = s.Start + s.Length()/3
			one.Shares[0].Ns = one.Length()
			if one.Length() > 0 {
				p.Visitor.Slice(&one)
				one.Waiters[0].First = false
			}
			one.Start, one.End = one.End, s.End
			one.Shares[0].Ns = one.Length()
		}
		p.Visitor.Slice(&one)
	}
}

// randomSamples draws a sampled trace: owners that wait themselves, readers,
// free locks, deadlocks, threads that change locks, both renamed on the way,
// and instants that show what one before showed.
func randomSamples(rt *rapid.T) *format.List {
	l := &format.List{}
	thread := func() format.ThreadID { return format.ThreadID(rapid.IntRange(1, 9).Draw(rt, "thread")) }
	party := func() format.Party {
		return format.Party{Thread: thread(), Stack: format.StackID(rapid.IntRange(0, 3).Draw(rt, "stack")), Mode: format.Mode(rapid.IntRange(0, 1).Draw(rt, "mode"))}
	}
	for s := range 3 {
		l.Write(&format.Event{Kind: format.KindStack, Stack: format.StackID(s + 1), Frames: []format.Frame{{Class: "app.Main", Method: string(rune('a' + s/2)), Line: 1}}})
	}
	at := int64(0)
	var before [][]format.Event // what instants showed
	for range rapid.IntRange(1, 30).Draw(rt, "ticks") {
		at += rapid.Int64Range(1, 3e8).Draw(rt, "step")
		switch rapid.IntRange(0, 5).Draw(rt, "define") {
		case 0:
			l.Write(&format.Event{Kind: format.KindThread, Time: at, Thread: thread(), Name: rapid.SampledFrom([]string{"acceptor-1", "worker-2"}).Draw(rt, "name")})
		case 1:
			l.Write(&format.Event{Kind: format.KindObject, Object: format.ObjectID(rapid.IntRange(1, 3).Draw(rt, "object")), Class: rapid.SampledFrom([]string{"A", "B"}).Draw(rt, "class")})
		}
		if len(before) > 0 && rapid.IntRange(0, 3).Draw(rt, "again") > 0 {
			repeat(rt, l, rapid.SampledFrom(before).Draw(rt, "like"), at)
			continue
		}
		shown := len(l.Events)
		l.Write(&format.Event{Kind: format.KindTick, Time: at, Intended: at, Live: 9})
		for lock := range rapid.IntRange(0, 3).Draw(rt, "locks") {
			ev := &format.Event{Kind: format.KindContention, Time: at, Object: format.ObjectID(lock + 1)}
			for range rapid.IntRange(0, 2).Draw(rt, "owners") {
				ev.Owners = append(ev.Owners, party())
			}
			for range rapid.IntRange(0, 5).Draw(rt, "waiters") {
				ev.Waiters = append(ev.Waiters, party())
			}
			l.Write(ev)
		}
		seen := slices.Clone(l.Events[shown:])
		before = append(before, seen)
		for range rapid.IntRange(0, 4).Draw(rt, "repeated") {
			at += rapid.Int64Range(1, 1e8).Draw(rt, "step")
			repeat(rt, l, seen, at)
		}
	}
	return l
}

// repeat writes what was seen at another instant.
func repeat(rt *rapid.T, l *format.List, seen []format.Event, at int64) {
	for _, ev := range seen {
		ev.Time = at
		if ev.Kind == format.KindTick {
			ev.Intended, ev.Live = at, uint32(rapid.IntRange(8, 9).Draw(rt, "live"))
		}
		l.Write(&ev)
	}
}

// tables is what the visitors make of a trace.
type tables struct {
	Locks  []locks.Row
	Total  locks.Row
	Blame  []*blame.Table
	Series []csp.Series
	Parts  [][]csp.Interval // of each
	Chains *blame.Table
	Flames [][]stacks.Sample
}

// deaf hears no ticks.
type deaf struct{}

func (deaf) Ticks(_, _ int64) {}

func ticks(v analysis.Visitor) analysis.TickVisitor {
	if t, ok := v.(analysis.TickVisitor); ok {
		return t
	}
	return deaf{}
}

func tabulate(rt *rapid.T, events []format.Event, byClass, small bool, f analysis.Filter) (a tables) {
	locks := locks.New(byClass)
	pivots := []*blame.Pivot{
		blame.New([]blame.Key{blame.ByOwnerStack, blame.ByClass}, false), blame.New([]blame.Key{blame.ByOwnerThread}, true),
		blame.New([]blame.Key{blame.ByWaiterThread, blame.ByWaiterMethod}, false), blame.New([]blame.Key{blame.ByOwnerGroup, blame.ByOwnerBlockedOn}, false),
		blame.New([]blame.Key{blame.ByWaiterGroup, blame.ByOwnerSite}, true), blame.New([]blame.Key{blame.ByLock, blame.ByOwnerMethod}, true),
	}
	meters := []*csp.Meter{csp.New(csp.Options{IntervalNs: 1e8}), csp.New(csp.Options{IntervalNs: 1e8, Root: true})}
	paths, flames := blame.NewChains(), []*stacks.Builder{stacks.New(stacks.Blame, nil), stacks.New(stacks.Chain, nil)}
	visitors := []analysis.Visitor{locks, paths, flames[0], flames[1]}
	for _, p := range pivots {
		visitors = append(visitors, p)
	}
	for _, m := range meters {
		visitors = append(visitors, m)
	}
	if small {
		for i, v := range visitors {
			visitors[i] = pieces{v, ticks(v)}
		}
	}
	if _, err := analysis.Run(&format.List{Events: events}, f, visitors...); err != nil {
		rt.Fatal(err)
	}
	a.Locks, a.Total, a.Chains = locks.Rows(), locks.Total(), paths.Table()
	for _, f := range flames {
		a.Flames = append(a.Flames, f.Samples())
	}
	for _, p := range pivots {
		a.Blame = append(a.Blame, p.Table())
	}
	for _, m := range meters {
		s, err := m.Series()
		if err != nil {
			rt.Fatal(err)
		}
		a.Series = append(a.Series, *s)
		a.Parts = append(a.Parts, slices.Collect(s.Intervals()))
	}
	return a
}

// What many waiters have in common is summed together, and what several instants
// show alike; the sums are those of the pieces.
func TestSlicesSumToTheirPieces(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	names, _ := simulate.Scenarios()
	rapid.Check(t, func(rt *rapid.T) {
		l, byClass := randomSamples(rt), rapid.Bool().Draw(rt, "by class")
		if rapid.Bool().Draw(rt, "exact") {
			l = &format.List{}
			c := simulate.Config{Scenario: rapid.SampledFrom(names).Draw(rt, "scenario"), Threads: rapid.IntRange(2, 9).Draw(rt, "threads"), Locks: 3,
				Duration: rapid.Int64Range(1e6, 5e7).Draw(rt, "duration"), Handoff: rapid.Int64Range(0, 5000).Draw(rt, "handoff"), Seed: rapid.Uint64().Draw(rt, "seed")}
			if _, err := simulate.Run(c, l, nil); err != nil {
				rt.Fatal(err)
			}
		}
		f := analysis.Filter{From: format.NoTime, To: format.NoTime}
		if rapid.Bool().Draw(rt, "cut") {
			f.From, f.To = rapid.Int64Range(0, 1e9).Draw(rt, "from"), rapid.Int64Range(1e9, 3e9).Draw(rt, "to")
		}
		want, got := tabulate(rt, l.Events, byClass, true, f), tabulate(rt, l.Events, byClass, false, f)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(blame.Table{}, blame.Row{}, csp.Series{}, csp.Pressure{}, csp.Phase{}, locks.Row{}, stacks.Sample{}, stacks.Key{})); diff != "" {
			rt.Fatalf("slices and their pieces differ (-pieces +slices):\n%s", diff)
		}
	})
}
