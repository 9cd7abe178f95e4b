package whatif

import (
	"cmp"
	"slices"
)

// permits returns, by lock, how many may have it at once: of semaphores, whose
// permits the trace does not tell. Where tenures are recorded it is the most that
// had it. Where they were rebuilt that is too many, as one ends later than it did:
// but all are taken while anybody waits, so it is as many as had it for half of
// that time.
func (c *Collector) permits(threads []thread) []int {
	out := make([]int, len(c.locks))
	for l, list := range c.tenuresOfSemaphores(threads) {
		var changes []change
		for _, h := range list {
			changes = append(changes, change{h.asked, 0, 1}, change{h.start, 1, -1}, change{h.end, -1, 0})
		}
		slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.held, b.held)) })
		most, half := heldAtOnce(changes)
		if out[l] = most; c.rebuilt {
			out[l] = half
		}
	}
	return out
}

// change is one of how many have a semaphore, and of how many wait for it.
type change struct {
	at          int64
	held, waits int
}

// heldAtOnce returns how many had a semaphore at once at most, and how many, or
// fewer, for half of the time in which anybody waited and anybody is known to have
// had it.
func heldAtOnce(changes []change) (most, half int) {
	held, waits, all, by := 0, 0, int64(0), map[int]int64{}
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

// tenuresOfSemaphores returns them by lock.
func (c *Collector) tenuresOfSemaphores(threads []thread) map[int32][]*hold {
	is, out := c.semaphores(), map[int32][]*hold{}
	for i := range threads {
		for j := range threads[i].holds {
			if h := &threads[i].holds[j]; is[h.lock] {
				out[h.lock] = append(out[h.lock], h)
			}
		}
	}
	return out
}

// limitPermits ends the tenures of semaphores that were rebuilt: of more than may
// be at once the one that began first has ended.
func (c *Collector) limitPermits(threads []thread, permits []int) {
	for l, list := range c.tenuresOfSemaphores(threads) {
		slices.SortFunc(list, func(a, b *hold) int {
			return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.asked, b.asked))
		})
		var open []*hold
		for _, h := range list {
			open = slices.DeleteFunc(open, func(o *hold) bool { return o.end <= h.start })
			if len(open) > 0 && len(open) >= permits[l] {
				open[0].end = h.start
				open = open[1:]
			}
			open = append(open, h)
		}
	}
}
