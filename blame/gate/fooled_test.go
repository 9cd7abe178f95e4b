package gate

import (
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/format"
	"contend/golden"
)

// recorded analyses ten seconds of two threads with an event or two of their
// own, in which nobody waits but where they say so.
func recorded(t *testing.T, rule string, more ...format.Event) (*Rule, *Run) {
	t.Helper()
	return recordedOf(t, "app.Lock", rule, more...)
}

// recordedOf does so of a program with locks of another class.
func recordedOf(t *testing.T, class, rule string, more ...format.Event) (*Rule, *Run) {
	t.Helper()
	const s = int64(1e9)
	list := &format.List{}
	for _, ev := range append([]format.Event{
		{Kind: format.KindThread, Thread: 1, Name: "a"}, {Kind: format.KindThread, Thread: 2, Name: "b"},
		{Kind: format.KindStack, Stack: 1, Frames: []format.Frame{{Class: "app.Shop", Method: "sell", Line: 1}}},
		{Kind: format.KindObject, Object: 1, Class: class}, {Kind: format.KindRecording, Time: 0, End: 10 * s},
		{Kind: format.KindThreadStart, Thread: 1, Time: 0}, {Kind: format.KindThreadStart, Thread: 2, Time: 0},
		{Kind: format.KindThreadEnd, Thread: 1, Time: 10 * s}, {Kind: format.KindThreadEnd, Thread: 2, Time: 10 * s},
	}, more...) {
		golden.OK(t, list.Write(&ev))
	}
	r, err := Parse(rule)
	golden.OK(t, err)
	run := NewRun(r)
	if run.Trace, err = pass.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime},
		run.Visitors()...); err != nil {
		t.Fatal(err)
	}
	return &r, run
}

// What a recording hides counts against the limit in the measure of the rule: of
// 6 s in ten, 0.6 threads on average, 30 % of two threads' time, and any interval.
func TestHiddenWaitingIsHeldInTheUnitOfTheRule(t *testing.T) {
	for rule, want := range map[string]Status{
		"csp(total) < 31%": Pass, "csp(total) < 29%": Undecided,
		"waiting(total) < 0.61": Pass, "waiting(total) < 0.59": Undecided,
		"peak csp(total) per 1s < 99%": Undecided, "peak waiting(total) per 1s < 5.9": Undecided,
		"peak waiting(total) per 1s < 6.1": Pass,
	} {
		r, run := recorded(t, rule)
		run.Stats.Warnings = []format.Warning{{Code: "virtual-threads", Text: "hidden", Hidden: 6e9}}
		golden.Equal(t, r.check([]*Run{run}, nil).Status, want, rule)
	}
}

// Thirty samples in ten seconds tell of a tenth of the time, and of nothing in a
// second of it; no number of them tells that nobody waits.
func TestIntervalsHaveFewSamples(t *testing.T) {
	for rule, want := range map[string]Status{
		"csp(total) < 10%": Pass, "csp(total) < 9%": Undecided, "csp(total) <= 0%": Undecided,
		"peak csp(total) per 1s < 90%": Undecided, "peak csp(total) per 1s <= 100%": Pass,
		"peak csp(total) per 10s < 10%": Pass,
	} {
		r, run := recorded(t, rule)
		run.Trace.Coverage.Samples = 30
		golden.Equal(t, r.check([]*Run{run}, nil).Status, want, rule)
	}
}

// Two seconds of waiting for nobody knows whom may all be for the owner that a
// rule names: 10 % of the running time.
func TestUnknownOwnersDecideNothing(t *testing.T) {
	for rule, want := range map[string]Status{
		"blame(app.*) < 11%": Pass, "blame(app.*) < 9%": Undecided, "blame(*) < 9%": Fail, "blame(total) < 11%": Pass,
	} {
		r, run := recorded(
			t,
			rule,
			format.Event{Kind: format.KindWait, Thread: 1, Object: 1, Stack: 1, Time: 2e9, End: 4e9},
		)
		got := r.check([]*Run{run}, nil)
		if got.Status != want || want == Undecided && !strings.Contains(got.Doubt.Reason, "the owners are unknown") {
			t.Errorf("%s: %+v, want %s", rule, got, want)
		}
	}
}

// A baseline of another program does not show that this one has not got worse.
func TestABaselineOfAnotherProgramDecidesNothing(t *testing.T) {
	const rule = "csp(total) < +20% vs baseline"
	r, here := recorded(t, rule)
	_, same := recorded(t, rule)
	_, other := recordedOf(t, "sync.Mutex", rule)
	for _, c := range []struct {
		base *Run
		want Status
	}{{same, Pass}, {other, Undecided}} {
		golden.Equal(t, r.check([]*Run{here}, []*Run{c.base}).Status, c.want)
	}
}

// The rules on intervals name classes as the others do: two that a JVM made of
// one lambda are one.
func TestPeaksJoinWhatHasOneName(t *testing.T) {
	const s = int64(1e9)
	r, run := recorded(
		t,
		"peak waiting(app.Run$$Lambda) per 10s < 0.35",
		format.Event{
			Kind:   format.KindObject,
			Object: 2,
			Class:  "app.Run$$Lambda/0x00007f1c2c0a1bc8",
		},
		format.Event{Kind: format.KindObject, Object: 3, Class: "app.Run$$Lambda/0x00007f1c2c0a1bd0"},
		format.Event{
			Kind:   format.KindWait,
			Thread: 1,
			Object: 2,
			Time:   1 * s,
			End:    3 * s,
		},
		format.Event{Kind: format.KindWait, Thread: 2, Object: 3, Time: 5 * s, End: 7 * s},
	)
	if got := r.check([]*Run{run}, nil); got.Status != Fail || len(got.Subjects) != 1 || got.Subjects[0].Value != 0.4 {
		t.Errorf("%+v", got)
	}
}

// Waits too short to be recorded lie where threads ran and waited for no lock: two threads
// in ten seconds, of which one waits for three, may wait for seventeen more.
func TestShortWaitsAreBoundedByTheRunningTime(t *testing.T) {
	for rule, want := range map[string]Status{
		"waiting(*) < 2.1": Pass, "waiting(*) < 1.9": Undecided, "waiting(*) < 0.29": Fail,
		"csp(*) < 99%": Undecided, "csp(*) <= 100%": Pass,
		"waiting(*) < +20% vs baseline": Pass,
	} {
		r, run := recorded(
			t,
			rule,
			format.Event{
				Kind:   format.KindSetting,
				Name:   "jdk.JavaMonitorEnter#threshold",
				Value:  "20 ms",
				Weight: 20e6,
			},
			format.Event{Kind: format.KindWait, Thread: 1, Object: 1, Time: 2e9, End: 5e9},
		)
		golden.Equal(t, r.check([]*Run{run}, []*Run{run}).Status, want, rule)
	}
}

// A change that cuts waiting also cuts what threads run, so that pressure may rise: what
// counts is how much threads wait in the same time.
func TestLessWaitingIsNoRiseOfPressure(t *testing.T) {
	idle := func(thread format.ThreadID, from, to int64) format.Event {
		return format.Event{
			Kind:     format.KindActivity,
			Activity: format.ActivityPark,
			Thread:   thread,
			Time:     from,
			End:      to,
		}
	}
	wait := func(to int64) format.Event {
		return format.Event{Kind: format.KindWait, Thread: 1, Object: 1, Stack: 1, Time: 0, End: to}
	}
	for rule, want := range map[string]Status{"csp(*) < +20% vs baseline": Pass,
		"blame(total) < +20% vs baseline": Pass, "csp(*) < 50%": Fail} {
		r, now := recorded(t, rule, wait(3e9), idle(1, 3e9, 10e9), idle(2, 0, 9e9)) // 75 % of 4 s
		_, before := recorded(t, rule, wait(6e9))                                   // 30 % of 20 s
		got := r.check([]*Run{now}, []*Run{before})
		golden.Equal(t, got.Status, want, rule, got)
		if s := got.Subjects[0]; r.relative &&
			(got.Unit != Threads || s.Value < 0.29 || s.Value > 0.31 || s.Base < 0.59 || s.Base > 0.61) {
			t.Errorf("%s: %s, %+v; want 0.3 threads, 0.6 before", rule, got.Unit, s)
		}
	}
}
