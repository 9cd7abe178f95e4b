package cmd

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"contend/analysis"
	"contend/blame"
	"contend/blame/cube"
	"contend/blame/stacks"
	"contend/blame/waits"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
	"contend/report/document/facts"

	"github.com/google/go-cmp/cmp"
)

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

// those are visitors that are told of crowds, and what each has found in the end: its
// rows in an order that does not depend on who comes first.
type those struct {
	pivots []*blame.Pivot
	chains *blame.Pivot
	cube   *cube.Cube
	facts  *cube.Cube
	stacks []*stacks.Builder
	graph  blame.GraphBuilder
	waits  *waits.Longest
}

func newThose() *those {
	t := &those{chains: blame.NewChains(), cube: cube.New(cube.Limits{Bins: 100, Rows: 1000, Cells: 10_000}), facts: facts.NewCube(1e6, nil),
		graph: blame.NewGraph(blame.GraphOptions{Nodes: blame.NodeSites}), waits: waits.NewLongest(20)}
	for _, by := range [][]blame.Key{{blame.ByOwnerStack, blame.ByClass}, {blame.ByWaiterStack, blame.ByOwnerThread}, {blame.ByWaiterThread}} {
		t.pivots = append(t.pivots, blame.New(by, false), blame.New(by, true))
	}
	for view := range stacks.Views {
		b := stacks.New(stacks.View(view), nil)
		b.Shown = view%2 == 0
		t.stacks = append(t.stacks, b)
	}
	return t
}

func (t *those) visitors() (list []analysis.Visitor) {
	list = []analysis.Visitor{t.chains, t.cube, t.facts, t.graph, t.waits}
	for _, p := range t.pivots {
		list = append(list, p)
	}
	for _, b := range t.stacks {
		list = append(list, b)
	}
	return list
}

func (t *those) found() map[string]string {
	t.cube.Finish()
	t.facts.Finish()
	out := map[string]string{"chains": written(t.chains.Table()), "graph": written(t.graph.Graph()), "waits": written(t.waits.Waits())}
	for i, p := range t.pivots {
		out[fmt.Sprint("pivot ", i)] = written(p.Table())
	}
	out["cube"] = lines(t.cube.Rows, func(r *cube.Row) string { return fmt.Sprint(r.Key, r.Ns, r.Waits, r.Cells) })
	out["facts"] = cellsOf(&t.facts.Total) + lines(t.facts.Rows, func(r *cube.Row) string {
		line := fmt.Sprint(r.Key[9], t.facts.Kind(uint32(r.Lock)), cellsOf(r))
		for place := range cube.Dim(9) { // as many as the rows have names
			text, _ := t.facts.Text(place, r.Key[place])
			line += " " + text
		}
		return line
	})
	for i, b := range t.stacks {
		out[fmt.Sprint("stacks ", i)] = lines(b.Samples(), func(s *stacks.Sample) string {
			return fmt.Sprint(s.Waiter, s.WaiterStack, s.Lock, s.Owner, s.Waits, s.DelayNs, s.WallNs())
		})
	}
	return out
}

func cellsOf(r *cube.Row) (all string) {
	for i, cell := range r.Cells {
		all += fmt.Sprint(cell, r.WallNs(i))
	}
	return all
}

func written(v any) string {
	text, err := json.Marshal(v)
	return fmt.Sprint(string(text), err)
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
	t.Parallel()
	golden.Unhurried(t)
	for i, scenario := range []string{"ping-pong", "convoy", "nested", "random", "reader-writer"} {
		var trace format.List
		config := simulate.Config{Scenario: scenario, Threads: 80 - 10*i, Locks: 1 + i%3, Duration: 10e6, Period: 1e7, Handoff: int64(1000 * i), Seed: uint64(i + 1)}
		if i == 0 {
			config.Duration = 120e6 // waits with more owners than are kept of one
		}
		golden.Must(simulate.Run(config, &trace, nil))(t)
		filter := analysis.Filter{From: format.NoTime, To: format.NoTime}
		if i%2 == 1 {
			filter.From = 2e6
		}
		together, each := newThose(), newThose()
		all := together.visitors()
		for _, v := range each.visitors() {
			all = append(all, apart{v})
		}
		golden.Must(analysis.Run(&trace, filter, all...))(t)
		if diff := cmp.Diff(each.found(), together.found()); diff != "" {
			t.Fatalf("%s of %d threads:\n%s", scenario, config.Threads, diff)
		}
	}
}
