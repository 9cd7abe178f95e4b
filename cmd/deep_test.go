package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/blame"
	"contend/blame/compare"
	"contend/blame/cube"
	"contend/blame/locks"
	"contend/blame/stacks"
	"contend/format"
	"contend/format/human"
	"contend/format/simulate"
	"contend/golden"
	"contend/report/document"
	"contend/report/document/facts"
	"contend/report/flame"

	"github.com/google/go-cmp/cmp"
)

// deepTrace writes a trace of threads that wait for one another in a row, with
// stacks of so many frames: each sight of them is another combination.
func deepTrace(t *testing.T, threads, frames int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("contend 1\n")
	for i := 1; i <= threads; i++ {
		fmt.Fprintf(
			&b,
			"thread thread=%d name=\"t%d\" group=\"g\"\nobject lock=%d class=\"Lock%d\" hash=%d\n",
			i,
			i,
			i,
			i,
			i,
		)
	}
	const stacks = 8
	for s := 1; s <= stacks; s++ {
		fmt.Fprintf(
			&b,
			"stack stack=%d frames=\"Leaf\":\"leaf%d\":\"L.java\":%d%s\n",
			s,
			s,
			s,
			strings.Repeat(`,"Walker":"visit":"W.java":7`, frames-1),
		)
	}
	for tick := range 20 {
		at := tick*1_000_000 + 1
		fmt.Fprintf(&b, "tick time=%d intended=%d weight=1000000 live=%d\n", at, at, threads)
		for i := 1; i < threads; i++ {
			stack := func(thread int) int { return (tick*tick+thread*(tick+3))%stacks + 1 }
			fmt.Fprintf(
				&b,
				"contention time=%d weight=1000000 lock=%d owners=%d/%d/x waiters=%d/%d/x\n",
				at,
				i+1,
				i+1,
				stack(i+1),
				i,
				stack(i),
			)
		}
	}
	b.WriteString("end\n")
	path := filepath.Join(t.TempDir(), "deep.txt")
	golden.OK(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// folded reads what flame folds: the sum, and the most frames of a line.
func folded(t *testing.T, args ...string) (sum int64, most, marked int) {
	t.Helper()
	for line := range strings.Lines(run(t, append([]string{"flame", "--format", "folded"}, args...)...)) {
		at := strings.LastIndexByte(line, ' ')
		sum += golden.Must(strconv.ParseInt(strings.TrimSpace(line[at:]), 10, 64))(t)
		most = max(most, strings.Count(line, ";")+1)
		if strings.Contains(line, "[… ") {
			marked++
		}
	}
	return sum, most, marked
}

// However deep the stacks and long the chains, what is shown of one stays
// small, says what is left out, and sums to the same.
func TestChainsOfDeepStacks(t *testing.T) {
	golden.ParallelUnlessShort(t)
	deep := deepTrace(t, 30, 1000)
	want, _, _ := folded(t, "--view", "blocked", deep)
	sum, most, marked := folded(t, "--view", "chain", deep)
	if sum != want || want == 0 || marked == 0 || most > 1300 {
		t.Errorf("chains sum to %d, all waiting to %d; up to %d frames, %d marked", sum, want, most, marked)
	}
	golden.Lacks(t, run(t, "flame", "--format", "folded", "--view", "chain", deepTrace(t, 4, 64)), "[… ")
}

// A chain of many locks is told without those in its middle, and says how many they
// are; what was waited along it stays.
func TestChainsOfManyLocks(t *testing.T) {
	doc := ask[document.Chains](t, "chains", "--top", "0", deepTrace(t, 30, 3))
	sum, cut := int64(0), 0
	for _, c := range doc.Chains {
		sum += c.ThreadNs
		whole := 2*c.Hops + 1
		switch {
		case c.Hops <= 17 && len(c.Steps) != whole, len(c.Steps) > 36:
			t.Errorf("%d locks in %d steps", c.Hops, len(c.Steps))
		case c.Hops > 17:
			cut++
			golden.Holds(t, c.Signature, fmt.Sprintf(" -> [… %s] -> ", human.Some(c.Hops-17, "lock", "locks")))
		}
	}
	if sum != doc.Total.WaitNs || cut == 0 {
		t.Errorf("chains sum to %d, all waiting to %d; %d are cut", sum, doc.Total.WaitNs, cut)
	}
}

// A picture needs as many samples as there are stacks, whoever waits for whom, and
// shows the same as one of every pair of threads.
func TestFlameOfManyThreads(t *testing.T) {
	golden.ParallelUnlessShort(t)
	const fixture = "../testdata/truth-8threads.jfr"
	for _, view := range []stacks.View{stacks.Blame, stacks.Blocked, stacks.Chain, stacks.Site} {
		pairs, shown := stacks.New(view, nil), stacks.New(view, nil)
		shown.Shown = true
		golden.Must(
			(&traceOptions{paths: []string{fixture}}).run(&env{out: io.Discard, msg: io.Discard}, pairs, shown),
		)(
			t,
		)
		var want, got strings.Builder
		if err := errors.Join(flame.Folded(&want, document.NewProfile(pairs)),
			flame.Folded(&got, document.NewProfile(shown))); err != nil ||
			got.String() != want.String() ||
			got.Len() == 0 {
			t.Errorf("%s: %v, or not the same", stacks.Views[view], err)
		}
		golden.AtMost(
			t,
			2*len(shown.Samples()),
			len(pairs.Samples()),
			stacks.Views[view],
			len(shown.Samples()),
			"samples of",
		)
	}
}

// apart is a visitor that gets slices one by one, with all who wait in each.
type apart struct{ analysis.Visitor }

func (a apart) Intervals() (from, length int64) {
	if r, ok := a.Visitor.(analysis.RunningVisitor); ok {
		return r.Intervals()
	}
	return 0, 0
}

func (a apart) Ticks(int64, int64) {}

func (a apart) Running(from, to, ns int64) {
	if r, ok := a.Visitor.(analysis.RunningVisitor); ok {
		r.Running(from, to, ns)
	}
}

// those are the visitors that no test of their own tells of crowds, and what each has found
// in the end: its rows in an order that does not depend on who comes first.
type those struct {
	cube, facts *cube.Cube
	graph       blame.GraphBuilder
	profile     *compare.Profile
	locks       *locks.Collector
}

func newThose() *those {
	return &those{
		cube.New(cube.Limits{Bins: 100, Rows: 1000, Cells: 10_000}),
		facts.NewCube(1e6, nil),
		blame.NewGraph(blame.GraphOptions{Nodes: blame.NodeSites}),
		&compare.Profile{},
		locks.New(false),
	}
}

func (t *those) found() map[string]string {
	t.cube.Finish()
	t.facts.Finish()
	graph, err := json.Marshal(t.graph.Graph())
	out := map[string]string{"graph": fmt.Sprint(string(graph), err)}
	out["profile"] = fmt.Sprint(*compare.Compare(compare.Group{t.profile}, compare.Group{t.profile}, compare.Options{}))
	out["locks"] = lines(t.locks.Rows(), func(r *locks.Row) string {
		return fmt.Sprint(r.Lock, r.Waits, r.Failed, r.WaitNs, r.WallNs, r.MaxNs, r.P50Ns, r.Waiters, r.ByProvenance)
	})
	out["cube"] = lines(t.cube.Rows, func(r *cube.Row) string { return fmt.Sprint(r.Key, r.Ns, r.Waits, r.Cells) })
	out["facts"] = cellsOf(&t.facts.Total) + lines(t.facts.Rows, func(r *cube.Row) string {
		line := fmt.Sprint(r.Key[9], t.facts.Kind(uint32(r.Lock)), cellsOf(r))
		for place := range cube.Dim(9) { // as many as the rows have names
			text, _ := t.facts.Text(place, r.Key[place])
			line += " " + text
		}
		return line
	})
	return out
}

func cellsOf(r *cube.Row) (all string) {
	for i, cell := range r.Cells {
		all += fmt.Sprint(cell, r.WallNs(i))
	}
	return all
}

func lines[T any](rows []T, text func(*T) string) (all string) {
	list := make([]string, len(rows))
	for i := range rows {
		list[i] = text(&rows[i])
	}
	slices.Sort(list)
	for _, line := range list {
		all += line + "\n"
	}
	return all
}

// Who is told of crowds by who joins and who leaves finds the same as from slices with
// all who wait in each.
func TestCrowdsTellWhatSlicesDo(t *testing.T) {
	golden.ParallelUnlessShort(t)
	for i, scenario := range []string{"ping-pong", "convoy", "nested", "random", "reader-writer"} {
		var trace format.List
		config := simulate.Config{
			Scenario: scenario,
			Threads:  80 - 10*i,
			Locks:    1 + i%3,
			Duration: 10e6,
			Period:   1e7,
			Handoff:  int64(1000 * i),
			Seed:     uint64(i + 1),
		}
		golden.Must(simulate.Run(config, &trace, nil))(t)
		filter := analysis.Filter{From: format.NoTime, To: format.NoTime}
		if i%2 == 1 {
			filter.From = 2e6
		}
		together, each := newThose(), newThose()
		all := []analysis.Visitor{
			together.cube,
			together.facts,
			together.graph,
			together.profile,
			together.locks,
			apart{each.cube},
			apart{each.facts},
			apart{each.graph},
			apart{each.profile},
			apart{each.locks},
		}
		golden.Must(pass.Run(&trace, filter, all...))(t)
		if diff := cmp.Diff(each.found(), together.found()); diff != "" {
			t.Fatalf("%s of %d threads:\n%s", scenario, config.Threads, diff)
		}
	}
}
