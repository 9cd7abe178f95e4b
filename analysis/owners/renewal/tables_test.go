package renewal

import (
	"math/rand/v2"
	"testing"
)

// What is left out because it is zero changes no sum, wherever the zeros are.
func TestConvolutionLeavesOutZerosOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var a, b, want, got lattice
		for _, l := range []*lattice{&a, &b} {
			from := r.IntN(cells)
			for i := from; i < from+r.IntN(cells-from+1); i++ {
				l[i] = r.Float64()
			}
		}
		for x := range a {
			for y := range cells - x {
				want[x+y] += a[x] * b[y]
			}
		}
		if got.convolve(&a, &b); got != want {
			t.Fatalf("%v\n%v\n%v, want %v", a, b, got, want)
		}
	}
}

// Groups no gap names are not computed while it is learnt, and known all the
// same when it is.
func TestGroupsNoGapNamesAreKnown(t *testing.T) {
	var gaps []Gap
	for i := range 200 {
		gaps = append(gaps, Gap{Site: i % 2, Length: 1e6 + int64(i)*3e3, Last: LastOther, Group: 1})
	}
	m := Learn(&Data{Gaps: gaps}, 2, []Mix{{1, 1}, {1, 0}, {0, 1}})
	var met Met
	m.Splitter().Meet(&Arrival{Site: 0, Length: 15e5, Busy: 0.5, Last: LastOther, Group: 2}, &met)
	if met.First[1]+met.Others[1] == 0 {
		t.Errorf("no section of the group that was named: %+v", met)
	}
}

// What a stretch depends on makes a number of its own.
func TestStretchesThatDifferHaveKeysThatDiffer(t *testing.T) {
	seen := map[key][6]int{}
	for _, site := range []int{-1, 0, 1, 255} {
		for _, group := range []int{0, 1, 1<<23 - 1} {
			for _, a := range []int{0, 1, cells + tails - 1} {
				for _, b := range []int{0, 1, cells} {
					for _, c := range []int{0, 1, tails - 1} {
						for last := range 3 * (cells/heldStep + 1) {
							k, what := keyOf(site, group, a, b, c, Last(last%3)).held(last/3), [6]int{site, group, a, b, c, last}
							if other, ok := seen[k]; ok {
								t.Fatalf("%v has the key of %v", what, other)
							}
							seen[k] = what
						}
					}
				}
			}
		}
	}
}
