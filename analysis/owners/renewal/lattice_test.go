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
