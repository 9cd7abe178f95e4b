package whatif

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// use is what a thread does with a lock in a section.
type use struct {
	thread, lock int32
	section      uint32
	shared       bool
}

// served is how long a use lasts in all, without the waits for other locks.
type served struct {
	use
	own int // among the locks of threads
	ns  int64
}

// demand is what threads and locks have to do in the trace.
type demand struct {
	served []served
	owned  []owned   // the locks of threads
	taken  []float64 // by thread: how often it takes locks
	waited []int64   // by thread
}

// demands sums tenures once for all changes.
func (c *Collector) demands() *demand {
	if c.demand != nil {
		return c.demand
	}
	tenures := c.everyTenure()
	inside := waitsInside(tenures, len(c.threads))
	d := &demand{taken: make([]float64, len(c.threads)), waited: make([]int64, len(c.threads))}
	at, own := map[use]int{}, map[owned]int{}
	for i := range tenures {
		t := &tenures[i]
		if t.thread < 0 {
			continue
		}
		d.taken[t.thread]++
		d.waited[t.thread] += t.start - t.asked
		u := use{t.thread, t.lock, t.section, t.mode == format.Shared}
		j, ok := at[u]
		if !ok {
			o, ok := own[owned{t.thread, t.lock}]
			if !ok {
				o = len(d.owned)
				own[owned{t.thread, t.lock}], d.owned = o, append(d.owned, owned{t.thread, t.lock})
			}
			j = len(d.served)
			at[u], d.served = j, append(d.served, served{use: u, own: o})
		}
		d.served[j].ns += max(t.end-t.start-inside[i], 0)
	}
	c.demand = d
	return d
}

// ceiling returns what the throughput can be at most after a change, over what
// it is: the two operational bounds of closed systems. No thread gets through
// faster than if it never waited, X <= N/(Z + sum D); and a lock gives what it is
// held for once at a time, X <= 1/D, which says something where all threads use
// it alike, and one at a time.
func (c *Collector) ceiling(e *effect) float64 {
	d, length := c.demands(), c.end-c.start
	gone := slices.Clone(d.waited)
	now, left := make([]float64, len(d.owned)), make([]float64, len(d.owned))
	for i := range d.served {
		s := &d.served[i]
		rest := e.shrunk(s.section, s.ns)
		gone[s.thread] += s.ns - rest
		if now[s.own] += float64(s.ns); !e.gone[s.lock] && !e.reads(s.shared, s.section) {
			left[s.own] += float64(rest) / float64(e.stripes[s.lock].count)
		}
	}
	all, high := 0.0, 0.0
	for t, n := range d.taken {
		all, high = all+n, high+n*float64(length)/float64(max(length-gone[t], 1))
	}
	return max(min(high/max(all, 1), c.heldAtMost(now, left)), 1)
}

// alike is how far the threads that use a lock may be from their mean.
const alike = 2

// heldAtMost returns the bound of the locks, by how long threads hold them now
// and how long they would.
func (c *Collector) heldAtMost(now, left []float64) float64 {
	uses := c.demand.owned
	before, after := make([]float64, len(c.locks)), make([]float64, len(c.locks))
	users, odd := make([]float64, len(c.locks)), make([]bool, len(c.locks))
	for i, u := range uses {
		before[u.lock] += now[i]
		after[u.lock] += left[i]
		users[u.lock]++
	}
	for i, u := range uses {
		mean := before[u.lock] / users[u.lock]
		odd[u.lock] = odd[u.lock] || now[i] > alike*mean || now[i]*alike < mean
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
		c.tenured = c.settle(c.semaphores())
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
