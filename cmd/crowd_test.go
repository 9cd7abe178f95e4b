package cmd

import (
	"slices"
	"testing"

	"contend/analysis"
	"contend/blame"
	"contend/blame/locks"
	"contend/csp"
	"contend/format"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// single hides that a visitor takes crowds: it gets slices one by one.
type single struct {
	analysis.Visitor
	analysis.TickVisitor
}

// randomSamples draws a sampled trace: owners that wait themselves, readers,
// free locks, deadlocks, threads that change locks, locks renamed on the way,
// and instants that show what the one before showed.
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
	for range rapid.IntRange(1, 12).Draw(rt, "ticks") {
		at += rapid.Int64Range(1, 3e8).Draw(rt, "step")
		if rapid.IntRange(0, 3).Draw(rt, "define") == 0 {
			l.Write(&format.Event{Kind: format.KindObject, Object: format.ObjectID(rapid.IntRange(1, 3).Draw(rt, "object")), Class: rapid.SampledFrom([]string{"A", "B"}).Draw(rt, "class")})
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
		end := len(l.Events)
		for range rapid.IntRange(0, 4).Draw(rt, "repeated") {
			at += rapid.Int64Range(1, 1e8).Draw(rt, "step")
			for _, ev := range l.Events[shown:end] {
				ev.Time = at
				if ev.Kind == format.KindTick {
					ev.Intended, ev.Live = at, uint32(rapid.IntRange(8, 9).Draw(rt, "live"))
				}
				l.Write(&ev)
			}
		}
	}
	return l
}

// tables is what the visitors that take crowds make of a trace.
type tables struct {
	Locks  []locks.Row
	Total  locks.Row
	Blame  []*blame.Table
	Series []csp.Series
	Parts  [][]csp.Interval // of each
}

func tabulate(rt *rapid.T, l *format.List, byClass, one bool, f analysis.Filter) (a tables) {
	locks := locks.New(byClass)
	pivots := []*blame.Pivot{
		blame.New([]blame.Key{blame.ByOwnerStack, blame.ByClass}, false), blame.New([]blame.Key{blame.ByOwnerThread}, true),
		blame.New([]blame.Key{blame.ByWaiterThread, blame.ByWaiterMethod}, false), blame.New([]blame.Key{blame.ByLock, blame.ByOwnerMethod}, true),
	}
	meters := []*csp.Meter{csp.New(csp.Options{IntervalNs: 1e8}), csp.New(csp.Options{IntervalNs: 1e8, Root: true})}
	visitors := []analysis.Visitor{locks}
	for _, p := range pivots {
		visitors = append(visitors, p)
	}
	for _, m := range meters {
		visitors = append(visitors, m)
	}
	if one {
		for i, v := range visitors {
			visitors[i] = single{v, v.(analysis.TickVisitor)}
		}
	}
	l.Rewind()
	if _, err := analysis.Run(l, f, visitors...); err != nil {
		rt.Fatal(err)
	}
	a.Locks, a.Total = locks.Rows(), locks.Total()
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

func TestCrowdsSumToTheirSlices(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l, byClass := randomSamples(rt), rapid.Bool().Draw(rt, "by class")
		f := analysis.Filter{From: format.NoTime, To: format.NoTime}
		if rapid.Bool().Draw(rt, "cut") {
			f.From, f.To = rapid.Int64Range(0, 1e9).Draw(rt, "from"), rapid.Int64Range(1e9, 3e9).Draw(rt, "to")
		}
		want, got := tabulate(rt, l, byClass, true, f), tabulate(rt, l, byClass, false, f)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(blame.Table{}, blame.Row{}, csp.Series{}, csp.Pressure{}, csp.Phase{}, locks.Row{})); diff != "" {
			rt.Fatalf("slices and crowds differ (-slices +crowds):\n%s", diff)
		}
	})
}
