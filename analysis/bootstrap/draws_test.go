package bootstrap

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"contend/golden"
)

// All users get a prefix of the same list, in whatever order they ask.
func TestDrawsAreTheSameForAll(t *testing.T) {
	const n = 37
	rng, want := rand.New(rand.NewPCG(seed, n)), []uint32(nil)
	for range n * replicates {
		want = append(want, uint32(rng.IntN(n)))
	}
	var all sync.WaitGroup
	d := drawsOf(n)
	for i := range 8 {
		all.Go(func() {
			for block := 1 + i; block < n; block += 8 {
				d.plan(block)
			}
		})
	}
	all.Wait()
	for block := 1; block < n; block++ {
		blocks := (n + block - 1) / block
		var short []uint32
		for r := range replicates {
			short = append(short, want[(r+1)*blocks-1])
		}
		golden.Same(t, d.plan(block).short, short, "blocks of", block, "begin elsewhere")
	}
	if drawsOf(n) != d || drawsOf(n+1) == d || drawsOf(n) == d {
		t.Error("the latest alone are kept, for whoever has as many cells")
	}
}

// The sum of a replicate is that of its blocks, one after another.
func TestPlansSumTheirBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for range 50 {
		n := 1 + rng.IntN(60)
		block := 1 + rng.IntN(n)
		cells := make([]int64, n)
		for range rng.IntN(n) + 1 { // from nearly nothing to nearly everywhere
			cells[rng.IntN(n)] = rng.Int64N(1000)
		}
		d := drawsOf(n)
		got := d.plan(block).sums(prefix(cells, n))
		blocks := (n + block - 1) / block
		for r := range replicates {
			want := int64(0)
			for i := range n {
				want += cells[(int(d.list[r*blocks+i/block])+i%block)%n]
			}
			if got[r] != float64(want) {
				t.Fatalf("%d cells by %d: replicate %d sums to %v, want %d", n, block, r, got[r], want)
			}
		}
	}
}

// A row that waits in two cells of a thousand costs little, as tables have thousands of
// rows: cells in which it does not wait are not looked up.
func TestRowsThatHardlyWaitCostLittle(t *testing.T) {
	few := make([]int64, maxCells)
	few[17], few[700] = 3, 5
	p := *drawsOf(maxCells).plan(1)
	want := p.sums(prefix(few, maxCells))
	p.whole = slices.Clone(p.whole)
	for at, ns := range few {
		if ns == 0 {
			for i := p.starts[at]; i < p.starts[at+1]; i++ {
				p.whole[i] = math.MaxUint16 // no replicate: who looks panics
			}
		}
	}
	golden.Same(t, p.sums(prefix(few, maxCells)), want)
}
