package sleeps

import (
	"cmp"
	"slices"

	"contend/analysis/internal/times"
	"contend/format"
)

// acquire is the end of a wait for a lock.
type acquire struct {
	start, end int64
	thread     format.ThreadID
}

// conflicts are the acquisitions of a lock, after a wait, that cannot happen while a thread
// holds it: all of them, or those of writers if the thread may be a reader.
type conflicts struct {
	list []acquire // by end
	gaps []int64   // between their ends, the longest first, ns
	sums []int64   // of the first 1, 2, ... gaps
	own  map[format.ThreadID]int
}

func newConflicts(list []acquire) *conflicts {
	slices.SortFunc(list, func(a, b acquire) int {
		return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.thread, b.thread))
	})
	c := &conflicts{list: list, own: map[format.ThreadID]int{}}
	for i := range list {
		c.own[list[i].thread]++
		if i > 0 {
			c.gaps = append(c.gaps, list[i].end-list[i-1].end)
		}
	}
	slices.SortFunc(c.gaps, func(a, b int64) int { return cmp.Compare(b, a) })
	for sum, i := int64(0), 0; i < len(c.gaps); i++ {
		sum += c.gaps[i]
		c.sums = append(c.sums, sum)
	}
	return c
}

// span returns the time between the first and the last acquisition.
func (c *conflicts) span() times.Span {
	if len(c.list) == 0 {
		return times.Span{}
	}
	return times.Span{Start: c.list[0].end, End: c.list[len(c.list)-1].end}
}

// from returns the number of the first acquisition after an instant.
func (c *conflicts) from(t int64) int {
	i, _ := slices.BinarySearchFunc(c.list, t+1, func(a acquire, t int64) int { return cmp.Compare(a.end, t) })
	return i
}

// others returns the part of the acquisitions that are not of a thread, which makes none while it
// sleeps.
func (c *conflicts) others(t format.ThreadID) float64 {
	return 1 - float64(c.own[t])/float64(max(len(c.list), 1))
}

// chance returns the probability that an interval of a length has such an acquisition if it has
// nothing to do with the lock: it lies anywhere between the first and the last.
func (c *conflicts) chance(ns int64) float64 {
	if all := c.span(); all.Start == all.End {
		return 0
	}
	n, _ := slices.BinarySearchFunc(c.gaps, ns, func(gap, ns int64) int { return cmp.Compare(ns, gap) })
	if n == 0 {
		return 1
	}
	return 1 - float64(c.sums[n-1]-int64(n)*ns)/float64(c.sums[len(c.sums)-1])
}
