package facts

import (
	"testing"

	"contend/analysis"
	"contend/blame"
	"contend/blame/cube"
	"contend/blame/locks"
	"contend/format"
	"contend/format/simulate"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawRun runs a random program and returns what a recorder saw.
func drawRun(t *rapid.T) *format.List {
	c := simulate.Config{Scenario: "random", Threads: rapid.IntRange(1, 9).Draw(t, "threads"), Locks: rapid.IntRange(1, 5).Draw(t, "locks"),
		Duration: rapid.Int64Range(1e6, 200e6).Draw(t, "duration"), Period: rapid.Int64Range(1e5, 1e7).Draw(t, "period"), Handoff: 1000, Seed: rapid.Uint64().Draw(t, "seed")}
	var exact, sampled format.List
	if _, err := simulate.Run(c, &exact, &sampled); err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "sampled") {
		return &sampled
	}
	return &exact
}

var open = analysis.Filter{From: format.NoTime, To: format.NoTime}

// sums adds up the cells of rows by what some names of a row are.
func sums(c *Collector, name func(*Row) string) map[string][2]int64 {
	out := map[string][2]int64{}
	for i := range c.Rows {
		r := &c.Rows[i]
		for j := range r.Cells {
			n := out[name(r)]
			out[name(r)] = [2]int64{n[0] + r.Cells[j].Ns, n[1] + r.Cells[j].Waits}
		}
	}
	return out
}

// The rows are sums of what the page's cube holds, whatever their intervals are;
// they and the intervals add up to what analyze says.
func TestRowsAgreeWithTheCubeAndWithAnalyze(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := New(rapid.Int64Range(1e5, 1e9).Draw(t, "interval"), nil)
		c.maxBins, c.maxCells = rapid.Int64Range(1, 50).Draw(t, "bins"), rapid.IntRange(20, 1000).Draw(t, "cells")
		whole, all := cube.New(cube.Limits{Bins: 1 << 20, Rows: 1 << 20, Cells: 1 << 30}), locks.New(false)
		tr, err := analysis.Run(drawRun(t), open, c, whole, all)
		if err != nil {
			t.Fatal(err)
		}
		c.Finish()
		want := map[string][2]int64{}
		for _, r := range whole.Rows {
			class := whole.Class(r.Key[cube.Lock])
			owner, _ := whole.Text(cube.OwnerStack, r.Key[cube.OwnerStack])
			waiter, _ := whole.Text(cube.WaiterStack, r.Key[cube.WaiterStack])
			prov, _ := whole.Text(cube.Provenance, r.Key[cube.Provenance])
			key := class + "|" + owner + "|" + waiter + "|" + prov
			want[key] = [2]int64{want[key][0] + r.Ns, want[key][1] + r.Waits}
		}
		got := sums(c, func(r *Row) string {
			return c.Text(0, r.IDs[0]) + "|" + c.Text(ownerKind, r.IDs[ownerKind]) + "|" + c.Text(3, r.IDs[3]) + "|" + r.Prov.String()
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rows: %s", diff)
		}
		total := all.Total()
		var ns, wall, waits, running int64
		for i := range c.Total {
			s := &c.Total[i]
			ns, wall, waits = ns+s.Ns, wall+s.WallNs, waits+s.Waits
			if i > 0 && s.Bin <= c.Total[i-1].Bin {
				t.Errorf("interval %d comes after %d", s.Bin, c.Total[i-1].Bin)
			}
		}
		for _, n := range c.RunningNs {
			running += n
		}
		if ns != total.WaitNs || wall != total.WallNs || waits != total.Waits || running != tr.RunningNs {
			t.Errorf("%d ns, %d on the clock, %d waits, running %d; analyze says %d, %d, %d, %d", ns, wall, waits, running, total.WaitNs, total.WallNs, total.Waits, tr.RunningNs)
		}
	})
}

// The wall-time of a name over all intervals is what blame says of it, but that
// of readers, who are charged a part of each instant, is bounded by their
// thread-time in each interval and not in all together.
func TestWallTimeAddsOverIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, p := New(rapid.Int64Range(1e5, 1e8).Draw(t, "interval"), nil), blame.New(By, false)
		if _, err := analysis.Run(drawRun(t), open, c, p); err != nil {
			t.Fatal(err)
		}
		c.Finish()
		type sum struct{ ns, wall int64 }
		want, got, known, bounded := map[string]sum{}, map[string]sum{}, map[string]int{}, map[string]bool{}
		for _, r := range p.Table().Rows {
			key := cmp.Diff(nil, r.Keys)
			want[key] = sum{want[key].ns + r.ThreadNs, want[key].wall + r.WallNs}
		}
		for i := range c.Rows {
			r := &c.Rows[i]
			texts := make([]string, len(By))
			for k := range By {
				texts[k] = c.Text(k, r.IDs[k])
			}
			key := cmp.Diff(nil, texts)
			known[key]++
			for _, cell := range r.Cells {
				got[key] = sum{got[key].ns + cell.Ns, got[key].wall + cell.WallNs}
				bounded[key] = bounded[key] || cell.WallNs == cell.Ns
			}
		}
		for key, w := range want {
			g := got[key]
			if g.ns != w.ns || known[key] == 1 && g.wall > w.wall || g.wall < w.wall && !bounded[key] {
				t.Errorf("%d ns, %d on the clock, want %d and %d of %s", g.ns, g.wall, w.ns, w.wall, key)
			}
		}
	})
}

// Intervals are those of the clock, before the epoch too.
func TestIntervalsAreAligned(t *testing.T) {
	list := format.List{Events: []format.Event{
		{Kind: format.KindThread, Thread: 1, Name: "a"}, {Kind: format.KindObject, Object: 1, Class: "Lock"},
		{Kind: format.KindWait, Thread: 1, Object: 1, Time: -15, End: 25},
	}}
	c := New(10, nil)
	if _, err := analysis.Run(&list, open, c); err != nil {
		t.Fatal(err)
	}
	c.Finish()
	var got [][4]int64
	for _, cell := range c.Rows[0].Cells {
		got = append(got, [4]int64{cell.Bin, cell.Ns, cell.WallNs, cell.Waits})
	}
	if diff := cmp.Diff([][4]int64{{-2, 5, 5, 1}, {-1, 10, 10, 0}, {0, 10, 10, 0}, {1, 10, 10, 0}, {2, 5, 5, 0}}, got); diff != "" {
		t.Error(diff)
	}
}
