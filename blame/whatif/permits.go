package whatif

import (
	"cmp"
	"slices"

	"contend/format"
)

// semaphores reports, by lock, whether several threads may hold it without sharing it.
func (c *Collector) semaphores() []bool {
	out := make([]bool, len(c.locks))
	for l, id := range c.locks {
		out[l] = c.sym.Kind(id) == format.KindSemaphore
	}
	return out
}

// permits returns, by lock, how many threads may hold it at once: of semaphores, whose
// permits the trace does not tell. Where tenures are recorded it is the most that
// held it. Where they were rebuilt that is too many, as one ends later than it did:
// but all are taken while any thread waits, so it is as many as held it for half of
// that time.
func (c *Collector) permits(of map[int32][]*tenure) []int {
	out := make([]int, len(c.locks))
	for l, list := range of {
		var changes []change
		for _, t := range list {
			changes = append(changes, change{t.asked, 0, 1}, change{t.start, 1, -1}, change{t.end, -1, 0})
		}
		slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.held, b.held)) })
		most, half := heldAtOnce(changes)
		if out[l] = most; c.rebuilt {
			out[l] = half
		}
	}
	return out
}

// change is one of how many hold a semaphore, and of how many wait for it.
type change struct {
	at          int64
	held, waits int
}

// heldAtOnce returns how many held a semaphore at once at most, and how many, or
// fewer, for half of the time in which some thread waited and some is known to have
// held it.
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

// ofSemaphores returns the tenures of semaphores by lock.
func (c *Collector) ofSemaphores(threads [][]tenure) map[int32][]*tenure {
	is, out := c.semaphores(), map[int32][]*tenure{}
	for _, list := range threads {
		for i := range list {
			if t := &list[i]; is[t.lock] {
				out[t.lock] = append(out[t.lock], t)
			}
		}
	}
	return out
}

// limitPermits ends rebuilt tenures of semaphores: of more than may be at once the one
// that began first has ended.
func limitPermits(of map[int32][]*tenure, permits []int) {
	for l, list := range of {
		slices.SortFunc(list, byStart)
		var open []*tenure
		for _, t := range list {
			open = slices.DeleteFunc(open, func(o *tenure) bool { return o.end <= t.start })
			if len(open) > 0 && len(open) >= permits[l] {
				open[0].end = t.start
				open = open[1:]
			}
			open = append(open, t)
		}
	}
}

// byStart is the order in which tenures of one lock begin.
func byStart(a, b *tenure) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.asked, b.asked))
}
