package renewal

import (
	"math"
	"testing"
)

// A length stays beyond the cells if it is longer than twice any other one, and
// its cells would be wider than four of the usual length.
func TestTheCellHoldsWhatIsLearntFrom(t *testing.T) {
	for _, c := range []struct {
		longest []int64
		top     int64
	}{{[]int64{800e3}, 1e3}, {[]int64{500e3}, 500e3}, {[]int64{500e3, 1500e3}, 500e3}, {[]int64{500e3, 750e3}, 750e3}} {
		gaps := make([]Gap, 98)
		for i := range gaps {
			gaps[i].Length = 1e3
		}
		for _, l := range c.longest {
			gaps = append(gaps, Gap{Length: l})
		}
		if got := newGrid(gaps).unit; got != unit(c.top) {
			t.Errorf("longest %d: cells of %d ns, want %d", c.longest, got, unit(c.top))
		}
	}
}

// The longest there is has a class of its own, however short the cells are.
func TestTheLongestIsInTheLastClass(t *testing.T) {
	if got := (grid{1}).tail(math.MaxInt64); got != tails-1 {
		t.Errorf("class %d of %d", got, tails)
	}
}

// A length is in the cell that is nearest to it.
func TestCellsAreRounded(t *testing.T) {
	for ns, want := range map[int64]int{140: 1, 160: 2, 1050: 11} {
		if c, ok := (grid{100}).cell(ns); !ok || c != want {
			t.Errorf("%d ns are in cell %d, want %d", ns, c, want)
		}
	}
}

// The class of a length is how often it can be halved, without a division.
func TestTailsAreClassesByDoubling(t *testing.T) {
	for _, unit := range []int64{1, 3, 1000, 123456789} {
		g := grid{unit}
		for k := range 20 {
			first := unit * cells << k
			for ns, want := range map[int64]int{first - 1: max(k-1, 0), first: k, first + 1: k, 2*first - 1: k} {
				if got := g.tail(ns); got != want {
					t.Errorf("unit %d: %d ns are of class %d, want %d", unit, ns, got, want)
				}
			}
		}
		if c, ok := g.cell(unit*cells - unit/2 - 1); !ok || c != cells-1 {
			t.Errorf("unit %d: the longest length is in cell %d, %v", unit, c, ok)
		}
		if c, ok := g.cell(unit * cells); ok || c != cells {
			t.Errorf("unit %d: a longer one is in cell %d, %v", unit, c, ok)
		}
	}
}
