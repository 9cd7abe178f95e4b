package whatif

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
	"contend/format/workers"
)

// getting is how a thread got a lock in the trace, which is how it gets it again.
type getting struct {
	free   int64 // how long the lock was free while it was the next to have it
	lag    int64 // how much later it would have come, had the lock served in order of arrival
	passed int64 // how long the lock was free until then, and others got it
	yields int32 // how many came and took it at once while it was the next
	waited bool
	unseen bool // for an owner that is not in the trace: the lock seemed free, without waiters
	polite bool // though the lock seemed free, as others waited
	barges bool // it takes a free lock though others wait
}

// margin is by how many nanoseconds a thread that took a lock at once may be late, and
// still gets it before the waiter: clocks are not so exact.
const margin = 1000

// handover finds out how each thread got its locks, and returns how long handing over each
// lock typically took.
func (c *Collector) handover(threads [][]tenure, permits []int) []int64 {
	byLock, typical := make([][]*tenure, len(c.locks)), make([]int64, len(c.locks))
	for _, list := range threads {
		for i := range list {
			t := &list[i]
			byLock[t.lock] = append(byLock[t.lock], t)
		}
	}
	workers.Each(len(byLock), func(l int) { typical[l] = handovers(byLock[l], permits[l]) })()
	return typical
}

// handovers finds out how a lock was handed over, and returns how long that
// typically took.
func handovers(list []*tenure, permits int) int64 {
	slices.SortFunc(list, byStart)
	all, exclusive := gapsOf(list, permits)
	came, served, until := int64(math.MinInt64), int64(math.MinInt64), int64(math.MinInt64)
	var took []int64
	var others []*tenure // since then, of threads that found it free and did not wait
	for _, a := range list {
		if a.asked >= a.start {
			if a.start >= until {
				others = append(others, a)
			}
			until = max(until, a.end)
			continue
		}
		until = max(until, a.end)
		g, gaps := &a.got, all
		if a.mode == format.Shared {
			gaps = exclusive
		}
		came = max(came+1, a.asked)
		g.waited, g.lag = true, came-a.asked
		g.free, g.passed = gaps.within(max(a.asked, served), a.start), gaps.within(a.asked, came)
		if permits < 2 {
			g.yields = interrupted(others, a)
		}
		others = others[:0]
		g.polite = gaps.at(a.asked)
		served = a.start
		took = append(took, g.free)
	}
	unseen(list)
	habits(list)
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// interrupted returns how many others got a lock at once while a thread was next that
// could not share it with them.
func interrupted(others []*tenure, a *tenure) (n int32) {
	for _, o := range others {
		if o.start > a.asked && (a.mode != format.Shared || o.mode != format.Shared) {
			n++
		}
	}
	return n
}

// unseen marks the waits for a lock that has no known owner, and no other waiters.
func unseen(list []*tenure) {
	byAsked := slices.Clone(list)
	slices.SortFunc(byAsked, func(a, b *tenure) int { return cmp.Compare(a.asked, b.asked) })
	served := int64(math.MinInt64) // the last of those that have come
	for _, a := range byAsked {
		if a.got.waited {
			a.got.unseen = a.got.polite && served <= a.asked
			served = max(served, a.start)
		}
	}
}

// habits marks the threads that took a free lock though others waited; those do so again,
// and all others where most do that could.
func habits(list []*tenure) {
	first, barged, polite := int64(math.MaxInt64), 0, 0 // first is when the oldest wait began of those served later
	for i := len(list) - 1; i >= 0; i-- {
		a := list[i]
		if a.got.waited {
			first = min(first, a.asked)
		} else if a.got.barges = first < a.start; a.got.barges {
			barged++
		}
		if a.got.polite && !a.got.unseen {
			polite++
		}
	}
	for _, a := range list {
		a.got.barges = a.got.barges || barged > polite && !a.got.polite
	}
}

// gap is a time in which a lock is free; before is how long it was free before.
type gap struct {
	start, end int64
	before     int64
}

type gaps []gap

// gapsOf returns when a lock was free, and when it was free of exclusive owners. The
// tenures are in order of their starts.
func gapsOf(list []*tenure, permits int) (all, exclusive gaps) {
	until, alone := make([]int64, max(permits, 1)), int64(math.MinInt64) // until when each permit is taken, ascending
	for i := range until {
		until[i] = math.MinInt64
	}
	for _, a := range list {
		all.add(until[0], a.start)
		if a.mode != format.Shared {
			exclusive.add(alone, a.start)
			alone = max(alone, a.end)
		}
		end := max(until[0], a.end)
		at, _ := slices.BinarySearch(until[1:], end)
		copy(until, until[1:at+1])
		until[at] = end
	}
	all.add(until[0], math.MaxInt64)
	exclusive.add(alone, math.MaxInt64)
	return all, exclusive
}

// add adds a gap behind those before; of several permits another one may have
// been free in part of it.
func (g *gaps) add(from, to int64) {
	one := gap{start: from, end: to}
	if n := len(*g); n > 0 {
		last := &(*g)[n-1]
		if from <= last.end {
			last.end = max(last.end, to)
			return
		}
		one.before = last.before + last.end - max(last.start, 0)
	}
	if from < to {
		*g = append(*g, one)
	}
}

// until returns how long the lock was free before an instant, of those that are
// not negative.
func (g gaps) until(t int64) int64 {
	i, _ := slices.BinarySearchFunc(g, t, func(g gap, t int64) int { return cmp.Compare(g.start, t) })
	if i == 0 {
		return 0
	}
	one := &g[i-1]
	return one.before + max(min(one.end, t)-max(one.start, 0), 0)
}

func (g gaps) within(from, to int64) int64 { return max(g.until(to)-g.until(max(from, 0)), 0) }

// at reports whether the lock was free at an instant, and after it.
func (g gaps) at(t int64) bool {
	i, _ := slices.BinarySearchFunc(g, t+1, func(g gap, t int64) int { return cmp.Compare(g.start, t) })
	return i > 0 && g[i-1].end > t
}
