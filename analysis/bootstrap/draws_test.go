package bootstrap

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// Whoever asks, and in whatever order, gets the beginning of the same list.
func TestDrawsAreTheSameForAll(t *testing.T) {
	const n, most = 37, 5000
	rng, want := rand.New(rand.NewPCG(seed, n)), []uint32(nil)
	for range most {
		want = append(want, uint32(rng.IntN(n)))
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for count := 1 + i; count <= most; count += 500 + i {
				if got := drawsOf(n).first(count, most); !slices.Equal(got, want[:count]) {
					t.Errorf("the first %d differ", count)
				}
			}
		})
	}
	all.Wait()
	d := drawsOf(n)
	if drawsOf(n) != d || drawsOf(n+1) == d || drawsOf(n) == d {
		t.Error("the latest alone are kept, for whoever has as many cells")
	}
}
