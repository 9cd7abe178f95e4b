package csp

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

// The largest phases are the first of all of them, and no sum depends on how
// many are asked for.
func TestTheLargestPhasesAreTheFirstOfAll(t *testing.T) {
	const phases = 12_000 // so many that those of no rank are dropped again and again
	fill := func(top int) *Series {
		m := meter(Options{IntervalNs: 100, Top: top}, 0)
		m.Ticks(1, 100)
		for i := range int64(phases) {
			at, ns := i*200, 10+i*7919%90 // every other interval: a phase each
			m.Running(at, at+200, 400)
			m.Slice(&analysis.Slice{
				Start:   at,
				End:     at + ns,
				Lock:    1 + format.ObjectID(i%2),
				Waiters: []analysis.Waiter{{Thread: 4, First: true}},
				Shares:  []analysis.Share{{Ns: ns, Direct: ann, Root: ann, Hops: 1}},
			})
		}
		return series(t, m)
	}
	all := fill(0)
	if len(all.Phases) != phases {
		t.Fatalf("%d phases", len(all.Phases))
	}
	for _, top := range []int{1, 10, 5000} {
		s := fill(top)
		if len(s.Phases) != top {
			t.Fatalf("%d phases, want %d", len(s.Phases), top)
		}
		for i := range s.Phases {
			got, want := s.Phases[i], all.Phases[i]
			if got.Lock != want.Lock || got.StartNs != want.StartNs || got.WaitNs != want.WaitNs ||
				!slices.Equal(got.Causes, want.Causes) ||
				(got.PlusMinus == nil) != (want.PlusMinus == nil) {
				t.Fatalf("phase %d of %d: %+v, want %+v", i, top, got, want)
			}
		}
	}
}

// Who causes most of each interval's waiting, one letter an interval, lower
// case where it is less than half of it, tells who is the culprit from when on.
func TestTurnsOfAPhase(t *testing.T) {
	for _, c := range []struct {
		intervals string
		want      []Segment
	}{
		{"AAAAAA", nil},
		{"AABAAA", nil}, // one interval is chance
		{"AABCAA", nil},
		{"AAbbbA", nil},
		{"aaaaaa", nil},
		{"AAABBB", []Segment{{0, 30, 30, Cause{Owner: "A", WaitNs: 30}}, {30, 60, 30, Cause{Owner: "B", WaitNs: 30}}}},
		{
			"AAABaBAABB",
			[]Segment{{0, 80, 80, Cause{Owner: "A", WaitNs: 54}}, {80, 100, 20, Cause{Owner: "B", WaitNs: 20}}},
		},
		{
			"AAAABBCCAA",
			[]Segment{
				{0, 40, 40, Cause{Owner: "A", WaitNs: 40}},
				{40, 60, 20, Cause{Owner: "B", WaitNs: 20}},
				{60, 80, 20, Cause{Owner: "C", WaitNs: 20}},
				{80, 100, 20, Cause{Owner: "A", WaitNs: 20}},
			},
		},
		{"BBAAB", []Segment{{0, 20, 20, Cause{Owner: "B", WaitNs: 20}}, {20, 50, 30, Cause{Owner: "A", WaitNs: 20}}}},
	} {
		m := New(Options{IntervalNs: 10})
		m.waits.End = 1000
		var got segments
		for i, r := range c.intervals {
			sums := map[string]int64{string(r): 10}
			if r >= 'a' {
				sums = map[string]int64{string(r - 'a' + 'A'): 4, "x": 3, "y": 3}
			}
			got.addInterval(int32(i), sums)
		}
		golden.Same(t, got.list(m), c.want, c.intervals)
	}
}

// measure runs a scenario and returns the row of its most pressed lock.
func measure(t *testing.T, scenario string, threads int) Metric {
	t.Helper()
	var l format.List
	golden.Must(simulate.Run(simulate.Config{Scenario: scenario, Threads: threads, Duration: 10e9}, &l, nil))(t)
	m := NewMetrics()
	golden.Must(pass.Run(&l, analysis.Filter{From: format.NoTime, To: format.NoTime}, m))(t)
	return m.Rows()[0]
}

// What Free Lunch's Table 2 argues on two scenarios. In ping-pong threads
// exclude each other all the time: the lock halves the speed of two threads. In
// fork-join a coordinator wakes workers that collide for microseconds and
// then work alone: the lock costs nothing worth fixing. Each metric is judged
// by whether it calls the first contended and the second not; those that do
// tell them apart fail on a variation that changes nothing about the harm.
func TestFreeLunchTable2(t *testing.T) {
	pingPong, alone, eight, forkJoin := measure(
		t,
		"ping-pong",
		2,
	), measure(
		t,
		"ping-pong",
		1,
	), measure(
		t,
		"ping-pong",
		8,
	), measure(
		t,
		"fork-join",
		8,
	)
	const alarm = 0.05

	// Critical section pressure: right on all, and a share of something.
	if math.Abs(pingPong.CSP-0.5) > 0.005 || alone.CSP != 0 || forkJoin.CSP > alarm {
		t.Errorf("CSP: ping-pong %.3f, alone %.3f, fork-join %.4f", pingPong.CSP, alone.CSP, forkJoin.CSP)
	}
	// Failed over all acquisitions: a false alarm on fork-join, whose workers
	// collide each time they wake.
	if *pingPong.FailedPerAcquired < 0.9 || *forkJoin.FailedPerAcquired < alarm {
		t.Errorf(
			"failed/acquired: ping-pong %.3f, fork-join %.3f",
			*pingPong.FailedPerAcquired,
			*forkJoin.FailedPerAcquired,
		)
	}
	// Failed acquisitions per second: says how short sections are, not what
	// they cost. Eight players lose seven times the time of two, at one rate.
	if r := eight.FailedPerSecond / pingPong.FailedPerSecond; math.Abs(r-1) > 0.01 || eight.CSP < 0.8 {
		t.Errorf("failed/s: %.0f with two players, %.0f with eight", pingPong.FailedPerSecond, eight.FailedPerSecond)
	}
	// Time inside over elapsed: a false alarm for one thread alone.
	if *pingPong.InsidePerElapsed < 0.99 || *alone.InsidePerElapsed < 0.99 {
		t.Errorf("inside/elapsed: ping-pong %.3f, alone %.3f", *pingPong.InsidePerElapsed, *alone.InsidePerElapsed)
	}
	// Time inside over that of all locks: a false alarm for the only lock there
	// is, however little it is held.
	if *forkJoin.InsidePerAll < 0.99 || *forkJoin.InsidePerElapsed > 0.01 {
		t.Errorf("inside/all: fork-join %.3f", *forkJoin.InsidePerAll)
	}
	// Time acquiring over elapsed: tells the two apart, but is no share: it
	// grows with the number of threads and does not say how much they ran.
	if pingPong.WaitPerElapsed < 0.99 || eight.WaitPerElapsed < 6 || forkJoin.WaitPerElapsed > alarm {
		t.Errorf(
			"wait/elapsed: ping-pong %.3f, eight %.3f, fork-join %.4f",
			pingPong.WaitPerElapsed,
			eight.WaitPerElapsed,
			forkJoin.WaitPerElapsed,
		)
	}
}

func TestMetricsWithoutTenuresAreNotMadeUp(t *testing.T) {
	var l format.List
	golden.Must(simulate.Run(simulate.Config{Scenario: "ping-pong", Threads: 2, Duration: 1e9}, nil, &l))(t)
	m := NewMetrics()
	golden.Must(pass.Run(&l, analysis.Filter{From: format.NoTime, To: format.NoTime}, m))(t)
	if r := m.Rows()[0]; r.FailedPerAcquired != nil || r.InsidePerElapsed != nil || r.InsidePerAll != nil {
		t.Errorf("%+v", r)
	}
}

// A wait that began in the cut may end behind it, or without the lock: no share of
// acquisitions exceeds all of them. The time between two recordings was not recorded.
func TestMetricsOfPartsOfATrace(t *testing.T) {
	l := &format.List{}
	for _, ev := range []format.Event{
		{Kind: format.KindObject, Object: 1, Class: "L"}, {Kind: format.KindRecording, Time: 0, End: 1e9},
		{
			Kind:   format.KindWait,
			Thread: 1,
			Object: 1,
			Time:   1e8,
			End:    2e8,
		}, {Kind: format.KindTenure, Thread: 1, Object: 1, Time: 2e8, End: 3e8},
		{Kind: format.KindWait, Thread: 2, Object: 1, Time: 2e8, End: 9e8, Failed: true},
	} {
		golden.OK(t, l.Write(&ev))
	}
	m := NewMetrics()
	golden.Must(pass.Run(l, analysis.Filter{From: format.NoTime, To: format.NoTime}, m))(t)
	if r := m.Rows()[0]; *r.FailedPerAcquired != 1 || r.FailedPerSecond != 2 {
		t.Errorf(
			"%v failed of all, %v a second; all of two had to wait in one second",
			*r.FailedPerAcquired,
			r.FailedPerSecond,
		)
	}
	m.ElapsedNs = 5e8
	golden.Equal(t, m.Rows()[0].FailedPerSecond, 4, "a second of half a second")
}

// Two threads over ten intervals; the lock is contended in the fourth to sixth.
func TestPhasesFollowThePressure(t *testing.T) {
	sym := analysis.NewSymbols(&format.Event{Kind: format.KindObject, Object: 1, Class: "L", Name: "L#1"},
		&format.Event{Kind: format.KindStack, Stack: 1, Frames: []format.Frame{{Class: "A", Method: "hold", Line: 3}}})
	m := New(Options{IntervalNs: 100, Threshold: 0.2})
	m.Begin(sym, 1000)
	m.Running(1000, 2000, 2000)
	wait := func(from, to int64) {
		m.Slice(&analysis.Slice{
			Start:   from,
			End:     to,
			Lock:    1,
			Waiters: []analysis.Waiter{{Thread: 2, First: true}},
			Shares: []analysis.Share{{
				Ns:     to - from,
				Hops:   1,
				Direct: analysis.Owner{Thread: 1, Stack: 1},
				Root:   analysis.Owner{Thread: 1, Stack: 1},
			}},
		})
	}
	wait(1110, 1120) // 5 %: below the threshold
	wait(1350, 1470) // 25 % and 35 %
	wait(1510, 1530) // 10 %: goes on
	wait(1710, 1720)
	s := golden.Must(m.Series())(t)
	if len(s.Phases) != 1 {
		t.Fatalf("%+v", s.Phases)
	}
	p := s.Phases[0]
	if p.StartNs != 1300 || p.EndNs != 1600 || p.WaitNs != 140 || len(p.Causes) != 1 ||
		p.Causes[0] != (Cause{Owner: "A.hold:3", WaitNs: 140}) {
		t.Errorf("%+v", p)
	}
	if s.Len() != 10 || intervals(s)[3].Locks[0].WaitNs != 50 || intervals(s)[4].Locks[0].WaitNs != 70 ||
		intervals(s)[0].RunningNs != 200 {
		t.Errorf("%+v", intervals(s))
	}
}

// A phase names some five owners, the largest.
func TestHowManyCausesAPhaseNames(t *testing.T) {
	for owners, all := range map[int]bool{4: true, 8: false} {
		sums := map[string]int64{}
		for i := range owners {
			sums[fmt.Sprint(i)] = int64(i)
		}
		got := largestCauses(sums)
		if (len(got) == owners) != all || got[0].WaitNs != int64(owners-1) {
			t.Errorf("of %d: %v", owners, got)
		}
	}
}

// waited adds a wait of some nanoseconds in the interval of 100 ns that begins at from,
// in which one thread runs.
func waited(m *Meter, from, ns int64) {
	m.Running(from, from+100, 100)
	m.Slice(&analysis.Slice{
		Start:   from,
		End:     from + ns,
		Lock:    1,
		Waiters: []analysis.Waiter{{Thread: 4, First: true}},
		Shares:  []analysis.Share{{Ns: ns, Direct: ann, Root: ann, Hops: 1}},
	})
}

// A phase begins with a pressure of a twentieth, if nothing else is asked for.
func TestWhereAPhaseBegins(t *testing.T) {
	for ns, want := range map[int64]int{4: 0, 6: 1} {
		m := meter(Options{IntervalNs: 100}, 0)
		waited(m, 0, ns)
		golden.Equal(t, len(series(t, m).Phases), want, ns, "% of an interval", "phases")
	}
}

// The series has a million intervals at most, and where phases alone are wanted, a
// quarter of that.
func TestHowManyIntervalsThereAre(t *testing.T) {
	for _, c := range []struct {
		phases bool
		at     int64
		told   bool
	}{{false, 1e6, true}, {false, 1.1e6, false}, {true, 2e5, true}, {true, 3e5, false}} {
		m := meter(Options{IntervalNs: 100, Phases: c.phases}, 0)
		waited(m, c.at*100, 50)
		if _, err := m.Series(); (err == nil) != c.told {
			t.Errorf("the interval %d, phases alone %v: %v", c.at, c.phases, err)
		}
	}
}

// Two thousand pressures of a sampled trace have intervals of confidence, those of
// phases first.
func TestHowManyPressuresHaveAnInterval(t *testing.T) {
	m := meter(Options{IntervalNs: 100, Threshold: 2}, 0)
	m.Ticks(1, 1)
	for i := range int64(40) {
		waited(m, i*100, 50)
	}
	s := series(t, m)
	s.halfWidths = nil
	if m.addConfidence(s, 1980); !s.Sampled || len(s.halfWidths) != 20 {
		t.Errorf("behind 1980 phases %d of 40 pressures have one, want 20", len(s.halfWidths))
	}
}

// What lies in the rest after the last whole interval begins no phase: it may be a single wait.
func TestAPhaseDoesNotBeginInTheRest(t *testing.T) {
	m := meter(Options{IntervalNs: 1000}, 0)
	m.Running(0, 2100, 2100)
	for _, at := range [][2]int64{{2000, 2060}} {
		m.Slice(&analysis.Slice{
			Start:   at[0],
			End:     at[1],
			Lock:    1,
			Waiters: []analysis.Waiter{{Thread: 4, First: true}},
			Shares:  []analysis.Share{{Ns: at[1] - at[0], Direct: ann, Root: ann, Hops: 1}},
		})
	}
	golden.Equal(t, len(series(t, m).Phases), 0, "phases")
}
