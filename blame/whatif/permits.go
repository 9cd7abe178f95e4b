package whatif

import (
	"cmp"
	"slices"

	"contend/format"
)

// semaphores reports, by lock, whether it is a semaphore: several threads may hold it without
// sharing it.
func (c *Collector) semaphores() []bool {
	out := make([]bool, len(c.locks.List))
	for l, id := range c.locks.List {
		out[l] = c.sym.Kind(id) == format.KindSemaphore
	}
	return out
}

// permits returns, by lock, the number of permits of a semaphore, which no trace records; 0
// for other locks. If holds are recorded it is the largest number of simultaneous holds. That
// is too large for inferred holds, some of which end too late. As all permits are taken while
// a thread waits, it is then the median number of holds during waits.
func (c *Collector) permits(of map[int32][]*hold) []int {
	out := make([]int, len(c.locks.List))
	for l, list := range of {
		var changes []permitChange
		for _, t := range list {
			changes = append(
				changes,
				permitChange{t.asked, 0, 1},
				permitChange{t.start, 1, -1},
				permitChange{t.end, -1, 0},
			)
		}
		slices.SortFunc(
			changes,
			func(a, b permitChange) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.held, b.held)) },
		)
		most, half := heldAtOnce(changes)
		out[l] = most
		if c.rebuilt {
			out[l] = half
		}
	}
	return out
}

// permitChange is a change in the number of holders and waiters of a semaphore.
type permitChange struct {
	at          int64
	held, waits int
}

// heldAtOnce returns the largest number of simultaneous holders, and the median over the time
// in which both a waiter and a holder are known.
func heldAtOnce(changes []permitChange) (most, half int) {
	held := 0
	waits := 0
	all := int64(0)
	by := map[int]int64{}
	for i, one := range changes {
		if i > 0 && waits > 0 && held > 0 {
			by[held] += one.at - changes[i-1].at
			all += one.at - changes[i-1].at
		}
		held, waits = held+one.held, waits+one.waits
		most = max(most, held)
	}
	for left := all; left > 0 && 2*left > all; left -= by[half] {
		half++
	}
	return most, half
}

// ofSemaphores returns the holds of semaphores by lock.
func (c *Collector) ofSemaphores(threads [][]hold) map[int32][]*hold {
	is, out := c.semaphores(), map[int32][]*hold{}
	for _, list := range threads {
		for i := range list {
			if t := &list[i]; is[t.lock] {
				out[t.lock] = append(out[t.lock], t)
			}
		}
	}
	return out
}

// limitPermits ends the oldest of the inferred holds of a semaphore where they exceed its
// permits.
func limitPermits(of map[int32][]*hold, permits []int) {
	for l, list := range of {
		slices.SortFunc(list, byStart)
		var open []*hold
		for _, t := range list {
			open = slices.DeleteFunc(open, func(o *hold) bool { return o.end <= t.start })
			if len(open) > 0 && len(open) >= permits[l] {
				open[0].end = t.start
				open = open[1:]
			}
			open = append(open, t)
		}
	}
}

// byStart orders the holds of one lock by start.
func byStart(a, b *hold) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.asked, b.asked))
}
