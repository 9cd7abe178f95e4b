package csp

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"

	"pgregory.net/rapid"
)

var (
	ann  = analysis.Owner{Thread: 1, Stack: 1, Prov: analysis.Exact}
	bob  = analysis.Owner{Thread: 2, Stack: 1, Prov: analysis.Likely(1)} // the same call chain
	cleo = analysis.Owner{Thread: 3, Stack: 2, Prov: analysis.Sampled}
)

// meter is ready for slices over locks 1 and 2.
func meter(o Options, start int64) *Meter {
	stack := func(id format.StackID, method string) *format.Event {
		return &format.Event{
			Kind:   format.KindStack,
			Stack:  id,
			Frames: []format.Frame{{Class: "A", Method: method, Line: 3}},
		}
	}
	m := New(o)
	m.Begin(analysis.NewSymbols(
		&format.Event{Kind: format.KindObject, Object: 1, Class: "L", Name: "first"},
		&format.Event{
			Kind:   format.KindObject,
			Object: 2,
			Class:  "M",
			Name:   "second",
		},
		stack(1, "hold"),
		stack(2, "flush"),
	), start)
	return m
}

// series fails the test when there is none.
func series(t golden.Fatal, m *Meter) *Series {
	return golden.Must(m.Series())(t)
}

func intervals(s *Series) []Interval { return slices.Collect(s.Intervals()) }

// Two intervals of 100 ns and a half one, three threads running. A wait over
// [1050, 1120) falls into the first two; each share of it is spread alike.
func TestWaitsAreCutAtTheEdges(t *testing.T) {
	m := meter(Options{IntervalNs: 100}, 1000)
	m.Running(1000, 1250, 750)
	m.Slice(&analysis.Slice{
		Start:   1050,
		End:     1120,
		Lock:    1,
		Waiters: []analysis.Waiter{{Thread: 4, First: true}},
		Shares: []analysis.Share{
			{Ns: 35, Direct: ann, Root: ann, Hops: 1},
			{Ns: 35, Direct: cleo, Root: cleo, Hops: 1},
		},
	})
	s := series(t, m)
	if s.WaitNs != 70 || s.RunningNs != 750 || s.Len() != 3 {
		t.Fatalf("%+v", s)
	}
	for i, want := range []Interval{
		{1000, 1100, 300, []Pressure{{"L", "first", 50, 50.0 / 300, nil, []format.ObjectID{1}}}},
		{1100, 1200, 300, []Pressure{{"L", "first", 20, 20.0 / 300, nil, []format.ObjectID{1}}}},
		{1200, 1250, 150, nil},
	} {
		got := intervals(s)[i]
		if got.StartNs != want.StartNs || got.EndNs != want.EndNs || got.RunningNs != want.RunningNs ||
			len(got.Locks) != len(want.Locks) {
			t.Fatalf("interval %d: %+v, want %+v", i, got, want)
		}
		for j, p := range want.Locks {
			golden.Equal(t, fmt.Sprint(got.Locks[j]), fmt.Sprint(p), "interval", i)
		}
	}
	if len(s.Phases) != 1 || s.Phases[0].WaitNs != 70 || len(s.Phases[0].Causes) != 2 ||
		s.Phases[0].Causes[0].WaitNs+s.Phases[0].Causes[1].WaitNs != 70 {
		t.Errorf("%+v", s.Phases)
	}
}

// ann holds the first lock and waits for the second, which cleo holds: direct
// pressure is the first lock's, root pressure the second's.
func TestRootPressureBelongsToTheLastLock(t *testing.T) {
	for _, root := range []bool{false, true} {
		m := meter(Options{IntervalNs: 100, Root: root}, 0)
		m.Running(0, 100, 300)
		m.Slice(&analysis.Slice{
			Start:   0,
			End:     60,
			Lock:    1,
			Waiters: []analysis.Waiter{{Thread: 4, First: true}},
			Shares: []analysis.Share{
				{
					Ns:     60,
					Direct: ann,
					Root:   cleo,
					Hops:   2,
					Path:   analysis.PathOf(analysis.Hop{Thread: 1, Stack: 1, Lock: 2}),
					Last:   2,
				}},
		})
		lock, owner := "first", "A.hold:3"
		if root {
			lock, owner = "second", "A.flush:3"
		}
		s := series(t, m)
		if l := intervals(s)[0].Locks; len(l) != 1 || l[0].Lock != lock || l[0].WaitNs != 60 {
			t.Errorf("root %v: %+v", root, l)
		}
		if c := s.Phases[0].Causes; len(c) != 1 || c[0] != (Cause{Owner: owner, WaitNs: 60}) {
			t.Errorf("root %v: %+v", root, c)
		}
	}
}

// A cause is a call chain: whoever ran it and however it is known.
func TestCausesJoinThreadsAndProvenances(t *testing.T) {
	m := meter(Options{IntervalNs: 100}, 0)
	m.Running(0, 100, 300)
	for i, o := range []analysis.Owner{ann, bob, {Kind: analysis.OwnerHandoff, Prov: analysis.Exact}} {
		at := int64(i) * 10
		m.Slice(
			&analysis.Slice{
				Start:   at,
				End:     at + 10,
				Lock:    1,
				Waiters: []analysis.Waiter{{Thread: 4}},
				Shares:  []analysis.Share{{Ns: 10, Direct: o, Root: o, Hops: 1}},
			},
		)
	}
	if c := series(t, m).Phases[0].Causes; len(c) != 2 || c[0] != (Cause{Owner: "A.hold:3", WaitNs: 20}) ||
		c[1] != (Cause{Owner: "[handoff]", WaitNs: 10}) {
		t.Errorf("%+v", c)
	}
}

func TestIntervalsOfAnyLength(t *testing.T) {
	const start, end = 1_700_000_000e9, 1_700_000_001e9
	run := func(interval int64) (*Series, error) {
		m := meter(Options{IntervalNs: interval}, start)
		m.Running(start, end, 2e9)
		m.Slice(
			&analysis.Slice{
				Start:   start,
				End:     end,
				Lock:    1,
				Waiters: []analysis.Waiter{{Thread: 4}},
				Shares:  []analysis.Share{{Ns: 1e9, Direct: ann, Root: ann, Hops: 1}},
			},
		)
		return m.Series()
	}
	for interval, want := range map[int64]int{0: 1, 1e9: 1, 1e9 - 1: 2, 300e6: 4, 100_000: 1e4, math.MaxInt64: 1,
		math.MaxInt64 - 1: 1} {
		s, err := run(interval)
		if err != nil {
			t.Errorf("%d ns: %v", interval, err)
			continue
		}
		waited, ran := int64(0), int64(0)
		for _, iv := range intervals(s) {
			ran += iv.RunningNs
			waited += iv.Locks[0].WaitNs
		}
		if s.Len() != want || waited != 1e9 || ran != 2e9 || intervals(s)[want-1].EndNs != end ||
			s.Phases[0].EndNs != end {
			t.Errorf(
				"%d ns: %d intervals, %d ns waiting, %d running, phase %+v",
				interval,
				s.Len(),
				waited,
				ran,
				s.Phases[0],
			)
		}
	}
	if _, err := run(1); err == nil || !strings.Contains(err.Error(), "longer interval") {
		t.Errorf("a billion intervals: %v", err)
	}
}

// Parts that tile an interval sum to what is spread, and none is negative or
// more than a nanosecond from its even part.
func TestSpreadKeepsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64Range(0, math.MaxInt64).Draw(t, "ns")
		from := rapid.Int64Range(-1<<62, 1<<61).Draw(t, "from")
		length := rapid.Int64Range(1, 1<<61).Draw(t, "length")
		cuts := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 8).Draw(t, "cuts")
		lo, sum := from, int64(0)
		for _, f := range append(cuts, 1) {
			hi := max(lo, from+min(length, int64(f*float64(length))))
			if f == 1 {
				hi = from + length
			}
			if hi == lo {
				continue
			}
			part := analysis.Spread(ns, from, from+length, lo, hi)
			even := float64(ns) * (float64(hi-lo) / float64(length))
			golden.AtLeast(t, part, 0, length)
			golden.AtMost(t, math.Abs(float64(part)-even), 1+float64(ns)*1e-9, length)
			sum += part
			lo = hi
		}
		golden.Equal(t, sum, ns, "parts sum to")
	})
}

// On random runs, direct and root: intervals sum to the totals, pressure lies
// in [0, 1], and phases do not overlap and are what their intervals say.
func TestPressureOnRandomRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := golden.RandomProgram(t)
		c.Stall = rapid.Int64Range(0, 3e7).Draw(t, "stall")
		exact, sampled := &format.List{}, &format.List{}
		truth := golden.Must(simulate.Run(c, exact, sampled))(t)
		o := Options{IntervalNs: rapid.Int64Range(1e5, 1e8).Draw(t, "interval")}
		for _, l := range []*format.List{exact, sampled} {
			direct := New(o)
			o.Root = true
			root := New(o)
			o.Root = false
			tr := golden.Must(pass.Run(l, analysis.Filter{From: format.NoTime, To: format.NoTime}, direct, root))(t)
			a, b := series(t, direct), series(t, root)
			checkSeries(t, a)
			checkSeries(t, b)
			if a.WaitNs != b.WaitNs || a.RunningNs != tr.RunningNs || b.RunningNs != tr.RunningNs {
				t.Errorf("direct %d of %d ns, root %d of %d", a.WaitNs, a.RunningNs, b.WaitNs, b.RunningNs)
			}
			if l == exact && (a.WaitNs != truth.WaitNs || a.RunningNs != truth.RunningNs) {
				t.Errorf(
					"waited %d of %d ns, the simulator says %d of %d",
					a.WaitNs,
					a.RunningNs,
					truth.WaitNs,
					truth.RunningNs,
				)
			}
		}
	})
}

func checkSeries(t *rapid.T, s *Series) {
	waited, ran := int64(0), int64(0)
	list := intervals(s)
	for i, iv := range list {
		ran += iv.RunningNs
		all := int64(0)
		for _, l := range iv.Locks {
			all += l.WaitNs
			golden.Within(t, l.CSP, 0, 1, iv.RunningNs)
		}
		golden.AtMost(t, all, iv.RunningNs, "interval", i, "all locks together")
		if i > 0 && iv.StartNs != list[i-1].EndNs {
			t.Errorf("interval %d does not follow on", i)
		}
		waited += all
	}
	golden.Equal(t, waited, s.WaitNs)
	golden.Equal(t, ran, s.RunningNs)
	last := map[string][]Phase{}
	for _, p := range s.Phases {
		inside := int64(0)
		for _, iv := range list {
			for _, l := range iv.Locks {
				if l.Lock == p.Lock && iv.StartNs >= p.StartNs && iv.EndNs <= p.EndNs {
					inside += l.WaitNs
					golden.AtLeast(t, l.CSP, DefaultThreshold/2, p, "goes on at")
				}
			}
		}
		if inside != p.WaitNs || p.CSP < DefaultThreshold/2 || p.CSP > 1 || len(p.Causes) == 0 ||
			len(p.Causes) > topCauses {
			t.Errorf("%+v, intervals have %d ns", p, inside)
		}
		for _, other := range last[p.Lock] {
			if p.StartNs < other.EndNs && other.StartNs < p.EndNs {
				t.Errorf("%+v and %+v overlap", p, other)
			}
		}
		last[p.Lock] = append(last[p.Lock], p)
	}
}
