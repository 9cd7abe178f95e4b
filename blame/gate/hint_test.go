package gate

import (
	"slices"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/format"
	"contend/golden"
)

// A rule about deadlocks is undecided where the input cannot show one, also if it calls them a finding; a rule
// about all findings is about what the input shows.
func TestFindingsOfDeadlocksAreAsUndecidedAsDeadlocks(t *testing.T) {
	list := &format.List{}
	for _, ev := range []format.Event{
		{Kind: format.KindRecording, Time: 0, End: 10e9},
		{Kind: format.KindThread, Thread: 1, Name: "a"},
		{Kind: format.KindThread, Thread: 2, Name: "b"},
		{Kind: format.KindObject, Object: 1, Class: "app.Lock"},
		{Kind: format.KindStack, Stack: 1, Frames: []format.Frame{{Class: "app.Shop", Method: "sell", Line: 1}}},
		{Kind: format.KindActivity, Thread: 2, Activity: format.ActivityRun, Stack: 1, Time: 3e9, End: 3e9},
	} {
		golden.OK(t, list.Write(&ev))
	}
	for text, want := range map[string]Status{
		"no deadlock": Undecided, "no finding(deadlock)": Undecided, "no finding(dead*)": Undecided,
		"no finding(*)": Pass,
	} {
		r := golden.Must(Parse(text))(t)
		run := NewRun(r)
		run.Trace = golden.Must(pass.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime},
			run.Visitors()...))(t)
		list.Rewind()
		golden.Equal(t, r.check([]*Run{run}, nil).Status, want, text)
	}
}

// Advice knows its input: nobody is told to take what is there, or what another runtime has.
func TestHintsKnowTheirInput(t *testing.T) {
	for _, c := range []struct {
		stats format.Stats
		never []string // in any hint about owners
	}{
		{format.Stats{Format: "go 1.26 trace"}, []string{"jstack", "jfc", "thread dump"}},
		{format.Stats{Format: "goroutine dump", Unit: format.UnitThreads}, []string{"jstack", "jfc"}},
		{format.Stats{Format: "perf script"}, []string{"jstack", "jfc", "contend record"}},
		{format.Stats{Format: "contend 1", Warnings: []format.Warning{{Code: format.CodeKernel}}},
			[]string{"jstack", "jfc", "contend record"}},
		{format.Stats{Format: "thread dump", Unit: format.UnitThreads}, []string{"give thread dumps", "jfc"}},
		{format.Stats{Format: "jfr 2.1", DeadlockDumps: 9}, []string{"record with thread dumps"}},
	} {
		run := &Run{Stats: c.stats, Trace: &analysis.Trace{}}
		hints := []string{run.ownersHint(), run.pollingHint(), run.dumpsHint()}
		if c.stats.DeadlockDumps > 0 || c.stats.Unit == format.UnitThreads {
			hints = slices.Delete(hints, 1, 2)
		}
		for _, hint := range hints {
			for _, never := range c.never {
				golden.Lacks(t, hint, never)
			}
		}
	}
}

// No finding is told where waits were too short to be recorded, and their owners might be one.
func TestMissingWaitsMayBeAFinding(t *testing.T) {
	sampled := format.Event{
		Kind:     format.KindActivity,
		Thread:   2,
		Activity: format.ActivityRun,
		Stack:    1,
		Time:     3e9,
		End:      3e9,
	}
	threshold := format.Event{Kind: format.KindSetting, Name: "jdk.ThreadPark#threshold", Value: "10 ms", Weight: 10e6}
	r, run := recorded(t, "no finding(convoy)", sampled)
	golden.Equal(t, r.check([]*Run{run}, nil).Status, Pass, "all waits")
	r, run = recorded(t, "no finding(convoy)", sampled, threshold)
	got := r.check([]*Run{run}, nil)
	golden.Equal(t, got.Status, Undecided, "waits from 10 ms on")
	golden.Holds(t, got.Doubt.Reason, "waits shorter than 10ms were not recorded")
	r, run = recorded(t, "no finding(convoy)", sampled)
	run.Stats.Warnings = []format.Warning{
		{
			Code: format.CodeVirtualThreads,
			Text: "waits of virtual threads are missing",
		},
	}
	golden.Equal(t, r.check([]*Run{run}, nil).Status, Undecided, "without a bound")
}
