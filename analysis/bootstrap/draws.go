package bootstrap

import (
	"math/rand/v2"
	"slices"
	"sync"
	"weak"
)

// seed makes every answer repeatable.
const seed = 0x636f6e74656e64

// draws is which cells the blocks of replicates begin at: the same ones for all series
// of so many cells, drawn once. Several goroutines may ask for them.
type draws struct {
	mu   sync.Mutex
	rng  *rand.Rand
	n    int
	list []uint32
}

// latest is what was drawn for as many cells as were asked about last, for whoever else
// has as many: most that watch one trace do. It lives as long as one of them.
var latest struct {
	mu sync.Mutex
	of weak.Pointer[draws]
}

// drawsOf returns the draws from n cells.
func drawsOf(n int) *draws {
	latest.mu.Lock()
	defer latest.mu.Unlock()
	if d := latest.of.Value(); d != nil && d.n == n {
		return d
	}
	d := &draws{rng: rand.New(rand.NewPCG(seed, uint64(n))), n: n}
	latest.of = weak.Make(d)
	return d
}

// first returns the first cells of so many blocks, where most will be asked for.
func (d *draws) first(count, most int) []uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if missing := most - len(d.list); missing > 0 {
		d.list = slices.Grow(d.list, missing)
	}
	for len(d.list) < count {
		d.list = append(d.list, uint32(d.rng.IntN(d.n)))
	}
	return d.list[:count]
}
