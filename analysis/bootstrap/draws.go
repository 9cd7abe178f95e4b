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

	plans map[int]*plan // by the length of a block
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

// plan returns where blocks of so many cells begin.
func (d *draws) plan(block int) *plan {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, known := d.plans[block]
	if !known {
		if d.plans == nil {
			d.plans = map[int]*plan{}
		}
		blocks := (d.n + block - 1) / block
		p = newPlan(d.n, block, blocks, d.first(replicates*blocks))
		d.plans[block] = p
	}
	return p
}

// first returns the first cells of so many blocks. Who asks holds the mutex.
func (d *draws) first(count int) []uint32 {
	d.list = slices.Grow(d.list, max(count-len(d.list), 0))
	for len(d.list) < count {
		d.list = append(d.list, uint32(d.rng.IntN(d.n)))
	}
	return d.list[:count]
}
