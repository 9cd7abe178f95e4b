package column

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSorter compares with a sort by comparison, over instants of narrow and
// of wide range, on both sides of zero, with many that are equal.
func TestSorter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s sorter
	for _, width := range []int64{1, 2, 100, 1 << 20, 1 << 44, math.MaxInt64} {
		for _, n := range []int{1, 2, 3, 1000, 50} { // the sorter is used again, for fewer too
			want := make([]Key, n)
			for i := range want {
				want[i] = Key{rng.Int64N(width) - width/2, uint32(i)}
			}
			want[0].At = []int64{0, math.MinInt64, math.MaxInt64}[n%3]
			s.keys = append(s.keys[:0], want...)
			slices.SortStableFunc(want, func(a, b Key) int { return cmp.Compare(a.At, b.At) })
			if got := s.sort(); !slices.Equal(got, want) {
				t.Fatalf("%d keys within %d ns: %v, want %v", n, width, got, want)
			}
		}
	}
}

// Keys that are near each other except for one are sorted, stably.
func TestSorterOfCrowdedKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	want := make([]Key, 1<<14)
	for i := range want {
		want[i] = Key{rng.Int64N(1 << 12), uint32(i)}
	}
	want[77].At = 1 << 50
	s := sorter{keys: slices.Clone(want)}
	slices.SortStableFunc(want, func(a, b Key) int { return cmp.Compare(a.At, b.At) })
	if !slices.Equal(s.sort(), want) {
		t.Error("they are not in order")
	}
}
