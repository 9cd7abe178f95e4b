package owners

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// randomSections are sections of locks for which somebody waits at random times, about so
// many of them at a time.
func randomSections(random *rand.Rand, locks, stretches, atATime int) (all []*section, numbers []uint32) {
	length := int64(1000 * atATime)
	for n := range locks {
		s, at := &section{}, random.Int64N(length)
		for range stretches {
			end := at + random.Int64N(2*length)
			s.busy = append(s.busy, span{at, end})
			at = end + 1 + random.Int64N(2*int64(locks-atATime)*1000)
		}
		all, numbers = append(all, s), append(numbers, uint32(n))
	}
	return all, numbers
}

// Cells name every lock for which somebody waits in a stretch, wherever it begins and ends.
func TestCellsMissNobody(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		all, numbers := randomSections(random, 3+random.IntN(20), random.IntN(30), 2)
		c, near := newCells(all, numbers), 0
		for range 200 {
			start := random.Int64N(400_000) - 1000
			end := start + random.Int64N(1<<random.IntN(18))
			var some []uint32
			some, near = c.during(near, start, end)
			for n, s := range all {
				waits := slices.ContainsFunc(s.busy, func(z span) bool { return z.start <= end && z.end >= start })
				if waits && !slices.Contains(some, uint32(n)) {
					t.Fatalf("from %d to %d: %v, without %d: %v", start, end, some, n, s.busy)
				}
			}
		}
	}
}

// At an instant few locks are named for which nobody waits, and no lock is in many cells
// for one stretch.
func TestCellsAreNeitherFewNorMany(t *testing.T) {
	const locks, atATime = 64, 6
	random := rand.New(rand.NewPCG(5, 6))
	all, numbers := randomSections(random, locks, 400, atATime)
	c := newCells(all, numbers)
	if n := len(c.locks); n > 4*locks*400 {
		t.Errorf("%d stretches of waiting are in %d cells", locks*400, n)
	}
	named, last := 0, all[0].busy[399].end
	for range 1000 {
		at := random.Int64N(last)
		some, _ := c.during(0, at, at)
		named += len(some)
		slices.Sort(some)
		if len(slices.Compact(some)) != len(some) {
			t.Fatal("a lock is in a cell twice")
		}
	}
	if named > 2*atATime*1000+2000 {
		t.Errorf("%d locks are named at an instant, for %d of which somebody waits", named/1000, atATime)
	}
	t.Logf("%.1f locks at an instant, %.1f cells a stretch", float64(named)/1000, float64(len(c.locks))/(locks*400))
}
