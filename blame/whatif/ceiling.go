package whatif

import (
	"cmp"
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
// it is, as far as another run of the program does what this one did: no thread gets
// through faster than if it never waited, X <= N/(Z + sum D), and an exclusive lock is
// held once at a time, sum X*D <= 1. As threads gain unevenly, most is won where those
// that need a lock least, for each acquisition, take it as often as they can.
func (c *Collector) ceiling(e *effect) float64 {
	d, length := c.demands(), float64(c.end-c.start)
	gone := slices.Clone(d.waited)
	left := make([]float64, len(d.owned))
	for i := range d.served {
		s := &d.served[i]
		rest := e.shrunk(s.section, s.ns)
		gone[s.thread] += s.ns - rest
		if !e.gone[s.lock] && !e.reads(s.shared, s.section) {
			left[s.own] += float64(rest) / float64(e.stripes[s.lock].count)
		}
	}
	all, alone := 0.0, make([]float64, len(d.taken)) // by thread: what it can take if it never waits
	for t, n := range d.taken {
		all, alone[t] = all+n, n*length/max(length-float64(gone[t]), 1)
	}
	semaphores, byLock := c.semaphores(), make([][]demanded, len(c.locks))
	for i, u := range d.owned {
		if n := d.taken[u.thread]; left[i] > 0 && n > 0 && !semaphores[u.lock] {
			byLock[u.lock] = append(byLock[u.lock], demanded{u.thread, left[i] / n})
		}
	}
	high := sumOf64(alone)
	for _, list := range byLock {
		high = min(high, heldOnce(list, alone, length))
	}
	return max(high/max(all, 1), 1)
}

// demanded is how long a thread holds a lock for each acquisition of any, ns.
type demanded struct {
	thread int32
	each   float64
}

// heldOnce returns how many acquisitions there can be at most in a time in which a lock
// is held once at a time, where alone bounds those of each thread.
func heldOnce(list []demanded, alone []float64, length float64) float64 {
	slices.SortFunc(list, func(a, b demanded) int { return cmp.Compare(a.each, b.each) })
	high := sumOf64(alone)
	for _, u := range list {
		n := min(alone[u.thread], length/u.each)
		high, length = high-alone[u.thread]+n, length-n*u.each
	}
	return high
}

func sumOf64(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum
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
