package bootstrap

import (
	"math/rand/v2"
	"slices"
	"sync"
	"weak"
)

// seed makes every answer repeatable.
const seed = 0x636f6e74656e64

// draws are the cells at which the blocks of replicates begin. They are drawn once and
// serve all series with this number of cells. Several goroutines may use them.
type draws struct {
	mu   sync.Mutex
	rng  *rand.Rand
	n    int
	list []uint32

	plans map[int]*plan // by block length
}

// latest has the draws for the number of cells used last. Most visitors of one trace share
// that number. The draws live as long as any of their users.
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

// plan returns the plan for a block length.
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

// first returns the first cells of some blocks. The caller holds the mutex.
func (d *draws) first(count int) []uint32 {
	d.list = slices.Grow(d.list, max(count-len(d.list), 0))
	for len(d.list) < count {
		d.list = append(d.list, uint32(d.rng.IntN(d.n)))
	}
	return d.list[:count]
}
