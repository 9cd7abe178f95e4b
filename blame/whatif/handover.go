package whatif

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
	"contend/format/workers"
)

// acquisition describes how a thread got a lock in the trace. The replay repeats it.
type acquisition struct {
	free int64 // time for which the lock was free while the thread was next, ns
	// delay of the arrival that would explain the place in the queue if the lock served in order of
	// arrival
	lag         int64
	freeBefore  int64 // time for which the lock was free during that delay, ns
	overtakers  int32 // threads that arrived and acquired it at once while the thread was next
	waited      bool
	hiddenOwner bool // the owner is not in the trace: the lock seemed free and without waiters
	deferred    bool // it waited although the lock seemed free
	barges      bool // it takes a free lock although others wait
}

// clockMargin is the delay, in ns, up to which a thread that acquired a lock at once still
// precedes the waiter in the replay: clocks are not exact.
const clockMargin = 1000

// handoverTimes describes all acquisitions, and returns the median hand-over time by lock.
func (c *Collector) handoverTimes(threads [][]hold, permits []int) []int64 {
	byLock, typical := make([][]*hold, len(c.locks.List)), make([]int64, len(c.locks.List))
	for _, list := range threads {
		for i := range list {
			t := &list[i]
			byLock[t.lock] = append(byLock[t.lock], t)
		}
	}
	workers.Each(len(byLock), func(l int) { typical[l] = lockHandover(byLock[l], permits[l]) })()
	return typical
}

// lockHandover describes the acquisitions of one lock, and returns its median hand-over time.
func lockHandover(list []*hold, permits int) int64 {
	slices.SortFunc(list, byStart)
	all, exclusive := gapsOf(list, permits)
	came := int64(math.MinInt64)
	served := int64(math.MinInt64)
	until := int64(math.MinInt64)
	var took []int64
	var others []*hold // holds since then of threads that did not wait
	for _, a := range list {
		if a.asked >= a.start {
			if a.start >= until {
				others = append(others, a)
			}
			until = max(until, a.end)
			continue
		}
		until = max(until, a.end)
		g, gaps := &a.acquired, all
		if a.mode == format.Shared {
			gaps = exclusive
		}
		came = max(came+1, a.asked)
		g.waited, g.lag = true, came-a.asked
		g.free, g.freeBefore = gaps.within(max(a.asked, served), a.start), gaps.within(a.asked, came)
		if permits < 2 {
			g.overtakers = interrupted(others, a)
		}
		others = others[:0]
		g.deferred = gaps.freeAt(a.asked)
		served = a.start
		took = append(took, g.free)
	}
	markHiddenOwners(list)
	markBarging(list)
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// interrupted returns the number of other threads that acquired a lock at once while a thread
// was next that could not share it with them.
func interrupted(others []*hold, a *hold) (n int32) {
	for _, o := range others {
		if o.start > a.asked && (a.mode != format.Shared || o.mode != format.Shared) {
			n++
		}
	}
	return n
}

// markHiddenOwners marks the waits for a lock without a known owner and without other waiters.
func markHiddenOwners(list []*hold) {
	byAsked := slices.Clone(list)
	slices.SortFunc(byAsked, func(a, b *hold) int { return cmp.Compare(a.asked, b.asked) })
	served := int64(math.MinInt64) // the last of those that have come
	for _, a := range byAsked {
		if a.acquired.waited {
			a.acquired.hiddenOwner = a.acquired.deferred && served <= a.asked
			served = max(served, a.start)
		}
	}
}

// markBarging marks the threads that took a free lock although others waited, because they
// will do so again. If most threads with that choice did, it marks all that did not defer.
func markBarging(list []*hold) {
	first := int64(math.MaxInt64)
	barged := 0
	deferred := 0 // first is the begin of the oldest wait that is served later
	for i := len(list) - 1; i >= 0; i-- {
		a := list[i]
		if a.acquired.waited {
			first = min(first, a.asked)
		} else if a.acquired.barges = first < a.start; a.acquired.barges {
			barged++
		}
		if a.acquired.deferred && !a.acquired.hiddenOwner {
			deferred++
		}
	}
	for _, a := range list {
		a.acquired.barges = a.acquired.barges || barged > deferred && !a.acquired.deferred
	}
}

// gap is a time in which a lock is free; before is the total of the earlier gaps.
type gap struct {
	start, end int64
	before     int64
}

type gaps []gap

// gapsOf returns the gaps between all holds and between exclusive holds. The holds are in
// order of start.
func gapsOf(list []*hold, permits int) (all, exclusive gaps) {
	until, alone := make([]int64, max(permits, 1)), int64(math.MinInt64) // by permit: the end of its hold, ascending
	for i := range until {
		until[i] = math.MinInt64
	}
	for _, a := range list {
		all.appendGap(until[0], a.start)
		if a.mode != format.Shared {
			exclusive.appendGap(alone, a.start)
			alone = max(alone, a.end)
		}
		end := max(until[0], a.end)
		at, _ := slices.BinarySearch(until[1:], end)
		copy(until, until[1:at+1])
		until[at] = end
	}
	all.appendGap(until[0], math.MaxInt64)
	exclusive.appendGap(alone, math.MaxInt64)
	return all, exclusive
}

// appendGap adds a gap after those before it. With several permits it may overlap the last one.
func (g *gaps) appendGap(from, to int64) {
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

// until returns the total of the gaps before an instant, from time 0 on.
func (g gaps) until(t int64) int64 {
	i, _ := slices.BinarySearchFunc(g, t, func(g gap, t int64) int { return cmp.Compare(g.start, t) })
	if i == 0 {
		return 0
	}
	one := &g[i-1]
	return one.before + max(min(one.end, t)-max(one.start, 0), 0)
}

func (g gaps) within(from, to int64) int64 { return max(g.until(to)-g.until(max(from, 0)), 0) }

// freeAt reports whether the lock was free at an instant and after it.
func (g gaps) freeAt(t int64) bool {
	i, _ := slices.BinarySearchFunc(g, t+1, func(g gap, t int64) int { return cmp.Compare(g.start, t) })
	return i > 0 && g[i-1].end > t
}
