package cube

import (
	"maps"
	"slices"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/blame"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"

	"pgregory.net/rapid"
)

// running is a visitor that sums running time.
type running struct{ ns int64 }

func (*running) Begin(*analysis.Symbols, int64)  {}
func (*running) Slice(*analysis.Slice)           {}
func (r *running) Running(_, _, ns int64)        { r.ns += ns }
func (*running) Intervals() (from, length int64) { return 0, 0 }
func (*running) Ticks(int64, int64)              {}

// by sums the rows of a cube by one dimension, under the names it gives.
func by(c *Cube, d Dim) map[string]int64 {
	out := map[string]int64{}
	for _, r := range c.Rows {
		if r.Ns > 0 {
			text, _ := c.Text(d, r.Key[d])
			out[text] += r.Ns
		}
	}
	return out
}

// pivoted is the same as blame says it.
func pivoted(p *blame.Pivot) map[string]int64 {
	out := map[string]int64{}
	for _, r := range p.Table().Rows {
		if r.Sum.ThreadNs > 0 {
			out[r.Keys[0]] += r.Sum.ThreadNs
		}
	}
	return out
}

// check holds what is true of every cube; it returns its waiting and its waits.
func check(t *rapid.T, c *Cube, l Limits) (ns, waits int64) {
	cells := 0
	for _, r := range c.Rows {
		sum, begun := int64(0), int64(0)
		for i, cell := range r.Cells {
			sum += cell.Ns
			begun += int64(cell.Waits)
			if i > 0 && cell.Bin <= r.Cells[i-1].Bin || int(cell.Bin) >= l.Bins {
				t.Fatalf("bin %d of %v is out of order or beyond %d", cell.Bin, r.Key, l.Bins)
			}
		}
		golden.Equal(t, sum, r.Ns, r.Key)
		golden.Equal(t, begun, r.Waits, r.Key)
		ns += r.Ns
		waits += r.Waits
		cells += len(r.Cells)
	}
	golden.Equal(t, cells, c.cells, "counted")
	return ns, waits
}

// A cube that merges nothing agrees with blame in every dimension; one within
// any limits has the same sums, and time in the same places.
func TestEveryViewIsASumOfTheCube(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := Limits{
			rapid.IntRange(2, 100).Draw(t, "bins"),
			rapid.IntRange(2, 60).Draw(t, "rows"),
			rapid.IntRange(2, 300).Draw(t, "cells"),
		}
		wide := Limits{1 << 20, 1 << 20, 1 << 30}
		all, few, live := New(wide), New(small), &running{}
		views := map[Dim]*blame.Pivot{}
		for d := range Provenance {
			views[d] = blame.New([]blame.Key{dims[d].Key}, dims[d].Root)
		}
		visitors := []analysis.Visitor{all, few, live}
		for _, p := range views {
			visitors = append(visitors, p)
		}
		golden.Must(
			pass.Run(golden.RandomTrace(t), analysis.Filter{From: format.NoTime, To: format.NoTime}, visitors...),
		)(
			t,
		)
		all.Finish()
		few.Finish()
		for d, p := range views {
			golden.Same(t, by(all, d), pivoted(p), Names[d])
		}
		ns, waits := check(t, all, wide)
		fewNs, fewWaits := check(t, few, small)
		golden.Equal(t, ns, fewNs)
		golden.Equal(t, waits, fewWaits)
		golden.Same(t, coarse(few, few.BinNs), coarse(all, few.BinNs), "by time")
		if r := sum(few.RunningNs); r != live.ns || r != sum(all.RunningNs) {
			t.Errorf("running %d ns, in bins %d", live.ns, r)
		}
		golden.Equal(t, all.OtherNs, 0, "merged without need")
		if len(few.Rows) > small.Rows && len(few.Rows) > int(analysis.Words) {
			t.Errorf("%d rows, limit %d", len(few.Rows), small.Rows)
		}
		if few.cells > small.Cells && len(few.Rows) > int(analysis.Words) {
			t.Errorf("%d cells, limit %d", few.cells, small.Cells)
		}
	})
}

// coarse sums all rows by bins of a length that the cube's own divides.
func coarse(c *Cube, binNs int64) map[int64]int64 {
	out := map[int64]int64{}
	for _, r := range c.Rows {
		for _, cell := range r.Cells {
			if cell.Ns > 0 {
				out[int64(cell.Bin)*c.BinNs/binNs] += cell.Ns
			}
		}
	}
	return out
}

func sum(list []int64) (n int64) {
	for _, ns := range list {
		n += ns
	}
	return n
}

// The largest rows keep their names, the smallest are merged; a row that is
// alone keeps what merging would not save.
func TestTheSmallestRowsAreMerged(t *testing.T) {
	var list format.List
	_, err := simulate.Run(
		simulate.Config{Scenario: "random", Threads: 8, Locks: 4, Handoff: 1000, Duration: 1e9, Period: 1e6, Seed: 7},
		&list,
		&format.List{},
	)
	golden.OK(t, err)
	all, few := New(Limits{500, 1 << 20, 1 << 20}), New(Limits{500, 20, 1 << 20})
	golden.Must(pass.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, all, few))(t)
	all.Finish()
	few.Finish()
	biggest := slices.MaxFunc(all.Rows, func(a, b Row) int { return int(a.Ns - b.Ns) })
	kept := slices.IndexFunc(few.Rows, func(r Row) bool { return r.Key == biggest.Key })
	if kept < 0 || few.Rows[kept].Ns != biggest.Ns {
		t.Errorf("the biggest row %v with %d ns is not whole", biggest.Key, biggest.Ns)
	}
	if few.OtherNs == 0 || len(few.Rows) > 20 || len(all.Rows) <= 40 {
		t.Errorf("%d of %d rows, %d ns merged", len(few.Rows), len(all.Rows), few.OtherNs)
	}
	other := map[string]bool{}
	for _, r := range few.Rows {
		text, _ := few.Text(OwnerStack, r.Key[OwnerStack])
		other[text] = true
	}
	if !other["[other]"] {
		t.Errorf("what was merged is not to be seen in %v", slices.Collect(maps.Keys(other)))
	}
}

// Thousands of locks that one thread waited for once must not cost the stacks of
// the lock that matters.
func TestManySmallLocksDoNotCostTheLargeOneItsStacks(t *testing.T) {
	const small, limit = 1000, 100
	var list format.List
	write := func(ev format.Event) {
		golden.OK(t, list.Write(&ev))
	}
	for thread := range format.ThreadID(2) {
		write(format.Event{Kind: format.KindThread, Thread: thread + 1, Name: "worker"})
	}
	for lock := range format.ObjectID(small + 1) {
		write(format.Event{Kind: format.KindObject, Object: lock + 1, Class: "Lock", Hash: uint64(lock + 1)})
	}
	for id := range format.StackID(10) {
		write(
			format.Event{
				Kind:   format.KindStack,
				Stack:  id + 1,
				Frames: []format.Frame{{Class: "App", Method: string(rune('a' + id))}},
			},
		)
	}
	now := int64(0)
	wait := func(lock format.ObjectID, stack format.StackID, ns int64) {
		write(format.Event{Kind: format.KindTenure, Thread: 1, Object: lock, Time: now, End: now + ns, Stack: stack})
		write(format.Event{Kind: format.KindWait, Thread: 2, Object: lock, Time: now, End: now + ns, Stack: stack})
		now += ns
	}
	for i := range small {
		wait(1, format.StackID(i%10+1), 1e6)
		wait(format.ObjectID(i+2), 1, 1e3)
	}
	c := New(Limits{1000, limit, 1 << 20})
	golden.Must(pass.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, c))(t)
	c.Finish()
	golden.AtMost(t, len(c.Rows), limit)
	golden.AtMost(t, c.OtherNs, small*1e3)
}
