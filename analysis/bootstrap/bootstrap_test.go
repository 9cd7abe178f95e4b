package bootstrap

import (
	"math"
	"math/rand/v2"
	"testing"

	"contend/golden"

	"pgregory.net/rapid"
)

// cells makes a finished recording of one series and of 1 ns per cell.
func cells(values []int64) *Cells {
	c := &Cells{Width: 1, series: [][]int64{values}}
	for range values {
		c.Length = append(c.Length, 1)
	}
	return c
}

// The cells of a series sum to what was added, in any order and over any distance, and
// their number is bounded.
func TestCellsConserveWhatIsAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.Int64Range(-1<<61, 1<<61).Draw(t, "start")
		var r Recorder
		r.Begin(start)
		want := make([]int64, 3)
		r.New()
		r.New()
		for range rapid.IntRange(1, 30).Draw(t, "stretches") {
			i := rapid.IntRange(0, 2).Draw(t, "series")
			from := start + rapid.Int64Range(0, 1<<rapid.IntRange(10, 61).Draw(t, "far")).Draw(t, "from")
			length, ns := rapid.Int64Range(0, 1<<rapid.IntRange(1, 61).Draw(t, "long")).
				Draw(t, "length"),
				rapid.Int64Range(0, 1<<40).
					Draw(t, "ns")
			if from > math.MaxInt64-length || length == 0 {
				continue
			}
			r.AddTime(i, from, from+length, min(ns, length), i+1)
			want[i] += int64(i+1) * min(ns, length)
			r.Ticks(1, rapid.Int64Range(0, length).Draw(t, "reach"))
		}
		c := r.Finish()
		golden.AtMost(t, len(c.Length), maxCells, "cells")
		for i := range want {
			sum := int64(0)
			for _, ns := range c.Series(i) {
				sum += ns
			}
			golden.Equal(t, sum, want[i], "series", i)
		}
	})
}

// A window holds the cells that begin in it, merged if there are too many.
func TestWindows(t *testing.T) {
	var r Recorder
	r.BeginFine(5e9)
	n := r.New()
	for i := range int64(20000) {
		r.AddTime(n, 5e9+i*1e6, 5e9+(i+1)*1e6, i, 1)
	}
	c := r.Finish()
	sum := func(w *Cells) (ns int64) {
		for _, v := range w.Series(n) {
			ns += v
		}
		return ns
	}
	for _, w := range []struct{ from, to, want, span int64 }{
		{0, 1 << 60, 20000 * 19999 / 2, 20e9}, {5e9, 5e9 + 3e6, 0 + 1 + 2, 3e6},
		{5e9 + 1, 5e9 + 2e6 + 1, 1 + 2, 2e6}, {4e9, 5e9, 0, 0}, {5e9 + 19998e6, 1 << 60, 19998 + 19999, 2e6},
		{5e9, 5e9 + 5000e6, 5000 * 4999 / 2, 5000e6},
	} {
		got := c.Window(w.from, w.to)
		if sum(got) != w.want || got.Span() != w.span || len(got.Length) > maxCells ||
			len(got.Series(n)) != len(got.Length) {
			t.Errorf("[%d, %d): %d in %d cells of together %d ns", w.from, w.to, sum(got), len(got.Length), got.Span())
		}
	}
	golden.Equal(t, c.Window(4e9, 5e9).Rate(nil), (Estimate{}), "nothing at all")
}

func TestTooManySeriesAreNotKept(t *testing.T) {
	var r Recorder
	r.Begin(0)
	last := 0
	for range maxSeries + 5 {
		last = r.New()
	}
	r.AddTime(last, 0, 5, 5, 1)
	if c := r.Finish(); last != NoSeries || c.Series(last) != nil {
		t.Errorf("series %d: %v", last, c.Series(last))
	}
}

// Independent cells need no blocks; autocorrelated ones need long blocks.
func TestBlocksAreAsLongAsTheMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	length := func(memory float64) int {
		z := make([]float64, 900)
		for i := range z {
			z[i] = rng.NormFloat64()
			if i > 0 {
				z[i] += memory * z[i-1]
			}
		}
		return blockLength(z)
	}
	none, some, long := 0, 0, 0
	for range 40 {
		none, some, long = none+length(0), some+length(0.6), long+length(0.95)
	}
	if none > 40*6 || some < none*3/2 || long < some*2 {
		t.Errorf("mean lengths %d, %d, %d", none/40, some/40, long/40)
	}
	for _, z := range [][]float64{nil, {1}, make([]float64, 50)} {
		golden.Equal(t, blockLength(z), 1, len(z), "cells without variation: blocks of")
	}
}

// The standard error of independent cells is the textbook's.
func TestIndependentCellsGiveTheTextbooksError(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	values := make([]int64, 1000)
	for i := range values {
		values[i] = 1000 + rng.Int64N(1001)
	}
	c := cells(values)
	e := c.Rate(values)
	want := 1001 / math.Sqrt(12) / math.Sqrt(1000)
	golden.AtMost(t, math.Abs(e.SE/want-1), 0.2)
	golden.AtMost(t, math.Abs(e.Half/(1.96*want)-1), 0.25)
	golden.Equal(t, c.Rate(values), e, "the first")
}

func TestWhatCannotBeKnown(t *testing.T) {
	one := cells([]int64{7})
	if e := one.Rate(one.Series(0)); !math.IsInf(e.Half, 1) || e.Value != 7 {
		t.Errorf("one cell: %+v", e)
	}
	golden.Equal(t, one.Ratio(one.Series(0), []int64{0}), (Estimate{}), "nothing to divide by")
	steady := cells(make([]int64, 100))
	for i := range steady.series[0] {
		steady.series[0][i] = 3
	}
	golden.Equal(t, steady.Rate(steady.series[0]).Half, 0, "an exact trace without variation")
	few := cells([]int64{1, 2, 1, 2, 1}) // five blocks
	if e := few.RatioOfAll(few.Series(0), few.Length); few.Rate(few.Series(0)).Blocks != 5 ||
		!math.IsInf(few.Rate(few.Series(0)).Half, 1) ||
		!(e.Half > 0.4 && e.Half < 1.4) {
		t.Errorf("few blocks: %+v", e)
	}
	steady.Grain = 10
	golden.AtMost(
		t,
		math.Abs(steady.RatioOfAll(steady.series[0], steady.Length).Half-0.3),
		1e-12,
		"steady",
		"want three ticks in 100",
	)
	golden.Equal(t, steady.Rate(steady.series[0]).Half, 0.1, "a sampled one", "want one tick in 100")
}

func TestStudent(t *testing.T) {
	for _, c := range []struct{ df, p, want float64 }{
		{1, 0.975, 12.706}, {2, 0.975, 4.303}, {3, 0.975, 3.182}, {4, 0.975, 2.776}, {10, 0.975, 2.228},
		{30, 0.975, 2.042}, {1e6, 0.975, 1.960},
		{0, 0.95, 6.314}, {2, 0.95, 2.920}, {3, 0.95, 2.353}, {20, 0.95, 1.725}, {30, 0.999, 3.385},
	} {
		got := Student(c.df, c.p)
		golden.AtMost(t, math.Abs(got/c.want-1), 0.015, c.df, "degrees of freedom", c.p, got, c.want)
		if c.df < 3 {
			continue
		}
		if back := math.Erfc(NormalOf(got, c.df)/math.Sqrt2) / 2; math.Abs(back-(1-c.p)) > 1e-9 {
			t.Errorf("%g degrees of freedom: %g comes back as %g", c.df, 1-c.p, back)
		}
	}
}

func TestAddAllocatesNothing(t *testing.T) {
	var r Recorder
	r.Begin(0)
	s := r.New()
	r.AddTime(s, 0, 900e6, 1e6, 1)
	golden.Equal(t, testing.AllocsPerRun(100, func() { r.AddTime(s, 1e6, 3e6, 2e6, 1) }), 0, "allocations")
}
