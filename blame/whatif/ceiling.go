package whatif

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// use is what a thread does with a lock.
type use struct{ thread, lock int32 }

// ceiling returns what the throughput can be at most after a change, over what
// it is: the two operational bounds of closed systems. No thread gets through
// faster than if it never waited, X <= N/(Z + sum D); and a lock gives what it is
// held for once at a time, X <= 1/D, which says something where all threads use
// it alike, and one at a time.
func (c *Collector) ceiling(tenures []tenure, e *effect) float64 {
	length := c.end - c.start
	taken, gone := make([]float64, len(c.threads)), make([]int64, len(c.threads))
	now, left := map[use]int64{}, map[use]float64{}
	if c.inside == nil {
		c.inside = waitsInside(tenures, len(c.threads))
	}
	for i := range tenures {
		t := &tenures[i]
		if t.thread < 0 {
			continue
		}
		served, u := max(t.end-t.start-c.inside[i], 0), use{t.thread, t.lock}
		rest := e.shrunk(t.section, served)
		taken[t.thread]++
		gone[t.thread] += t.start - t.asked + served - rest
		if now[u] += served; !e.gone[t.lock] && !e.reads(t.mode == format.Shared, t.section) {
			left[u] += float64(rest) / float64(e.stripes[t.lock].count)
		}
	}
	all, high := 0.0, 0.0
	for t, n := range taken {
		all, high = all+n, high+n*float64(length)/float64(max(length-gone[t], 1))
	}
	return max(min(high/max(all, 1), c.heldAtMost(now, left)), 1)
}

// alike is how far the threads that use a lock may be from their mean.
const alike = 2

// heldAtMost returns the bound of the locks, by how long threads hold them now
// and how long they would.
func (c *Collector) heldAtMost(now map[use]int64, left map[use]float64) float64 {
	before, after := make([]float64, len(c.locks)), make([]float64, len(c.locks))
	users, odd := make([]float64, len(c.locks)), make([]bool, len(c.locks))
	for u, ns := range now {
		before[u.lock] += float64(ns)
		after[u.lock] += left[u]
		users[u.lock]++
	}
	for u, ns := range now {
		mean := before[u.lock] / users[u.lock]
		odd[u.lock] = odd[u.lock] || float64(ns) > alike*mean || float64(ns)*alike < mean
	}
	length, high := float64(c.end-c.start), math.Inf(1)
	for l, ns := range after {
		if ns > 0 && !odd[l] && int(users[l]) == c.takers && before[l] <= length {
			high = min(high, length/ns)
		}
	}
	return high
}

// everyTenure returns the tenures of all threads, settled where they were
// rebuilt.
func (c *Collector) everyTenure() []tenure {
	if c.tenured != nil {
		return c.tenured
	}
	for i := range c.threads {
		if len(c.threads[i].holds) > 0 {
			c.takers++
		}
	}
	if c.rebuilt {
		c.tenured = c.settle()
		return c.tenured
	}
	for i := range c.threads {
		for _, h := range c.threads[i].holds {
			c.tenured = append(c.tenured, tenure{h, int32(i)})
		}
	}
	return c.tenured
}

// waitsInside returns, by tenure, how long its thread waited for other locks
// meanwhile.
func waitsInside(all []tenure, threads int) []int64 {
	out := make([]int64, len(all))
	open := make([][]int32, threads)
	byAsked := make([]int32, len(all))
	for i := range all {
		byAsked[i] = int32(i)
	}
	slices.SortStableFunc(byAsked, func(a, b int32) int { return cmp.Compare(all[a].asked, all[b].asked) })
	for _, i := range byAsked {
		t := &all[i]
		if t.thread < 0 {
			continue
		}
		open[t.thread] = slices.DeleteFunc(open[t.thread], func(j int32) bool { return all[j].end <= t.asked })
		for _, j := range open[t.thread] {
			out[j] += max(min(t.start, all[j].end)-max(t.asked, all[j].start), 0)
		}
		open[t.thread] = append(open[t.thread], i)
	}
	return out
}
