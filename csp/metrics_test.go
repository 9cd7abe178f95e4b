package csp

import (
	"math"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

// measure runs a scenario and returns the row of its most pressed lock.
func measure(t *testing.T, scenario string, threads int) Metric {
	t.Helper()
	var l format.List
	golden.Must(simulate.Run(simulate.Config{Scenario: scenario, Threads: threads, Duration: 10e9}, &l, nil))(t)
	m := NewMetrics()
	golden.Must(analysis.Run(&l, analysis.Filter{From: format.NoTime, To: format.NoTime}, m))(t)
	return m.Rows()[0]
}

// What Free Lunch's Table 2 argues on two scenarios. In ping-pong threads
// exclude each other all the time: the lock halves the speed of two threads. In
// fork-join a coordinator wakes workers that collide for microseconds and
// then work alone: the lock costs nothing worth fixing. Each metric is judged
// by whether it calls the first contended and the second not; those that do
// tell them apart fail on a variation that changes nothing about the harm.
func TestFreeLunchTable2(t *testing.T) {
	pingPong, alone, eight, forkJoin := measure(t, "ping-pong", 2), measure(t, "ping-pong", 1), measure(t, "ping-pong", 8), measure(t, "fork-join", 8)
	const alarm = 0.05

	// Critical section pressure: right on all, and a share of something.
	if math.Abs(pingPong.CSP-0.5) > 0.005 || alone.CSP != 0 || forkJoin.CSP > alarm {
		t.Errorf("CSP: ping-pong %.3f, alone %.3f, fork-join %.4f", pingPong.CSP, alone.CSP, forkJoin.CSP)
	}
	// Failed over all acquisitions: a false alarm on fork-join, whose workers
	// collide each time they wake.
	if *pingPong.FailedPerAcquired < 0.9 || *forkJoin.FailedPerAcquired < alarm {
		t.Errorf("failed/acquired: ping-pong %.3f, fork-join %.3f", *pingPong.FailedPerAcquired, *forkJoin.FailedPerAcquired)
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
		t.Errorf("wait/elapsed: ping-pong %.3f, eight %.3f, fork-join %.4f", pingPong.WaitPerElapsed, eight.WaitPerElapsed, forkJoin.WaitPerElapsed)
	}
}

func TestMetricsWithoutTenuresAreNotMadeUp(t *testing.T) {
	var l format.List
	golden.Must(simulate.Run(simulate.Config{Scenario: "ping-pong", Threads: 2, Duration: 1e9}, nil, &l))(t)
	m := NewMetrics()
	golden.Must(analysis.Run(&l, analysis.Filter{From: format.NoTime, To: format.NoTime}, m))(t)
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
		{Kind: format.KindWait, Thread: 1, Object: 1, Time: 1e8, End: 2e8}, {Kind: format.KindTenure, Thread: 1, Object: 1, Time: 2e8, End: 3e8},
		{Kind: format.KindWait, Thread: 2, Object: 1, Time: 2e8, End: 9e8, Failed: true},
	} {
		golden.OK(t, l.Write(&ev))
	}
	m := NewMetrics()
	golden.Must(analysis.Run(l, analysis.Filter{From: format.NoTime, To: format.NoTime}, m))(t)
	if r := m.Rows()[0]; *r.FailedPerAcquired != 1 || r.FailedPerSecond != 2 {
		t.Errorf("%v failed of all, %v a second; all of two had to wait in one second", *r.FailedPerAcquired, r.FailedPerSecond)
	}
	m.ElapsedNs = 5e8
	if r := m.Rows()[0]; r.FailedPerSecond != 4 {
		t.Errorf("%v a second of half a second", r.FailedPerSecond)
	}
}

// Two threads over ten intervals; the lock is contended in the fourth to sixth.
func TestPhasesFollowThePressure(t *testing.T) {
	sym := analysis.NewSymbols(&format.Event{Kind: format.KindObject, Object: 1, Class: "L", Name: "L#1"},
		&format.Event{Kind: format.KindStack, Stack: 1, Frames: []format.Frame{{Class: "A", Method: "hold", Line: 3}}})
	m := New(Options{IntervalNs: 100, Threshold: 0.2})
	m.Begin(sym, 1000)
	m.Running(1000, 2000, 2000)
	wait := func(from, to int64) {
		m.Slice(&analysis.Slice{Start: from, End: to, Lock: 1, Waiters: []analysis.Waiter{{Thread: 2, First: true}}, Shares: []analysis.Share{{Ns: to - from, Hops: 1,
			Direct: analysis.Owner{Thread: 1, Stack: 1}, Root: analysis.Owner{Thread: 1, Stack: 1}}}})
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
	if p.StartNs != 1300 || p.EndNs != 1600 || p.WaitNs != 140 || len(p.Causes) != 1 || p.Causes[0] != (Cause{Owner: "A.hold:3", WaitNs: 140}) {
		t.Errorf("%+v", p)
	}
	if s.Len() != 10 || intervals(s)[3].Locks[0].WaitNs != 50 || intervals(s)[4].Locks[0].WaitNs != 70 || intervals(s)[0].RunningNs != 200 {
		t.Errorf("%+v", intervals(s))
	}
}
