package bootstrap

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/format/simulate"
)

// watcher records what the tests estimate: waiting by lock and by owner's
// critical section, and all waiting.
type watcher struct {
	Recorder
	sym    *analysis.Symbols
	all    int
	series map[string]int
}

func (w *watcher) Begin(sym *analysis.Symbols, start int64) {
	w.Recorder.Begin(start)
	w.sym, w.series, w.all = sym, map[string]int{}, w.New()
}

func (w *watcher) Slice(s *analysis.Slice) {
	w.Add(w.all, s.Start, s.End, s.Length(), len(s.Waiters))
	w.Add(w.of(w.sym.ClassName(s.Lock)), s.Start, s.End, s.Length(), len(s.Waiters))
	for _, sh := range s.Shares {
		w.Add(w.of(w.sym.Methods().Name(w.sym.Method(sh.Direct.Stack))), s.Start, s.End, sh.Ns, len(s.Waiters))
	}
}

func (w *watcher) of(name string) int {
	i, ok := w.series[name]
	if !ok {
		i = w.New()
		w.series[name] = i
	}
	return i
}

// watch simulates a run and returns what its sampler saw.
func watch(t testing.TB, c simulate.Config) (*simulate.Truth, *watcher) {
	t.Helper()
	var list format.List
	truth, err := simulate.Run(c, nil, &list)
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{}
	if _, err := analysis.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, w); err != nil {
		t.Fatal(err)
	}
	return truth, w
}

// The true values of a run lie inside the intervals of its sampled trace in
// 90 to 99 % of 200 runs. The ticks are further apart than a program
// remembers what it did: with denser ones the intervals, which also hold how
// far the program itself varies, are wider than the sampler's error alone.
func TestCoverageOfTheRunsOwnTruth(t *testing.T) {
	runs, cases := 200, []struct {
		config simulate.Config
		site   string
	}{
		{simulate.Config{Scenario: "bulk", Threads: 4, Locks: 2, Duration: 1e9, Period: 3_170_000}, "update"},
		{simulate.Config{Scenario: "nested", Threads: 4, Duration: 12e9, Period: 29_300_000}, "archive"},
		{simulate.Config{Scenario: "reader-writer", Threads: 4, Duration: 10e9, Period: 31_700_000}, "update"},
		{simulate.Config{Scenario: "convoy", Threads: 3, Duration: 30e9, Period: 193_000_000}, "crawl"},
		{simulate.Config{Scenario: "random", Threads: 5, Locks: 2, Duration: 8e9, Period: 23_700_000}, "section1"},
	}
	if testing.Short() {
		runs, cases = 60, cases[:1]
	}
	for _, c := range cases {
		t.Run(c.config.Scenario, func(t *testing.T) {
			t.Parallel()
			inside, asked := map[string]int{}, map[string]int{}
			for seed := range runs {
				c.config.Seed = uint64(seed + 1)
				truth, w := watch(t, c.config)
				site := w.of("sim.App." + c.site)
				cells := w.Finish()
				lock, all := cells.Series(w.series["sim.Lock0"]), cells.Series(w.all)
				wait, owner := float64(truth.Locks[0].WaitNs), truth.DirectBySite[c.site]
				ask := func(what string, e Estimate, value float64) {
					if value == 0 || value == 1 {
						return // nothing was estimated
					}
					asked[what]++
					if e.Low() <= value && value <= e.High() {
						inside[what]++
					}
				}
				ask("total wait", cells.Rate(lock).Scale(float64(cells.Span())), wait)
				ask("csp", cells.Ratio(lock, cells.Series(Running)), wait/float64(truth.RunningNs))
				ask("owner share", cells.Ratio(cells.Series(site), all), owner/float64(truth.WaitNs))
			}
			for what, n := range asked {
				t.Logf("%s: %d of %d", what, inside[what], n)
				if share := float64(inside[what]) / float64(n); share < 0.90 || share > 0.99 && n > 100 { // of fewer, all may be inside by chance
					t.Errorf("%s: the truth is inside in %.1f %% of %d runs", what, 100*share, n)
				}
			}
		})
	}
}
