package whatif

import (
	"cmp"
	"slices"

	"contend/format"
)

// use is what a thread does with a lock in a section.
type use struct {
	lock, thread int32
	section      uint32
	shared       bool
}

// demand is what threads and locks have to do in the trace.
type demand struct {
	uses   []use         // by lock and thread
	ns     map[use]int64 // how long it lasts in all, without the waits for other locks
	taken  []float64     // by thread: how often it takes locks
	waited []int64       // by thread
}

// newDemand sums tenures once for all changes.
func (c *Collector) newDemand() *demand {
	d := &demand{ns: map[use]int64{}, taken: make([]float64, len(c.threads)), waited: make([]int64, len(c.threads))}
	inside := waitsInside(c.tenures, len(c.threads))
	for i := range c.tenures {
		t := &c.tenures[i]
		if t.thread < 0 {
			continue
		}
		d.taken[t.thread]++
		d.waited[t.thread] += t.start - t.asked
		u := use{t.lock, t.thread, t.section, t.mode == format.Shared}
		if _, known := d.ns[u]; !known {
			d.uses = append(d.uses, u)
		}
		d.ns[u] += max(t.end-t.start-inside[i], 0)
	}
	slices.SortStableFunc(d.uses, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.lock, b.lock), cmp.Compare(a.thread, b.thread))
	})
	return d
}

// ceiling returns what the throughput can be at most after a change, over what
// it is, as far as another run of the program does what this one did: no thread gets
// through faster than if it never waited, X <= N/(Z + sum D), and an exclusive lock is
// held once at a time, sum X*D <= 1. As threads gain unevenly, most is won where those
// that need a lock least, for each acquisition, take it as often as they can.
func (d *demand) ceiling(c *Collector, e *effect) float64 {
	length, gone, needs := float64(c.end-c.start), slices.Clone(d.waited), make([][]need, len(c.locks))
	semaphores := c.semaphores()
	for _, u := range d.uses {
		rest := e.shrunk(u.section, d.ns[u])
		gone[u.thread] += d.ns[u] - rest
		if rest == 0 || e.gone[u.lock] || semaphores[u.lock] || e.reads(u.shared, u.section) {
			continue
		}
		list := &needs[u.lock]
		if n := len(*list); n == 0 || (*list)[n-1].thread != u.thread {
			*list = append(*list, need{thread: u.thread})
		}
		(*list)[len(*list)-1].each += float64(rest) / float64(e.stripes[u.lock].count)
	}
	all, alone := 0.0, make([]float64, len(d.taken)) // by thread: what it can take if it never waits
	for t, n := range d.taken {
		all, alone[t] = all+n, n*length/max(length-float64(gone[t]), 1)
	}
	high := sumOf64(alone)
	for _, list := range needs {
		for i := range list {
			list[i].each /= d.taken[list[i].thread]
		}
		high = min(high, heldOnce(list, alone, length))
	}
	return max(high/max(all, 1), 1)
}

// need is how long a thread holds a lock for each acquisition of any, ns.
type need struct {
	thread int32
	each   float64
}

// heldOnce returns how many acquisitions there can be at most in a time in which a lock
// is held once at a time, where alone bounds those of each thread.
func heldOnce(list []need, alone []float64, length float64) float64 {
	slices.SortFunc(list, func(a, b need) int { return cmp.Compare(a.each, b.each) })
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

// waitsInside returns, by tenure, how long its thread waited for other locks
// meanwhile.
func waitsInside(all []tenure, threads int) []int64 {
	out, open, byAsked := make([]int64, len(all)), make([][]int32, threads), make([]int32, len(all))
	for i := range all {
		byAsked[i] = int32(i)
	}
	slices.SortStableFunc(byAsked, func(a, b int32) int { return cmp.Compare(all[a].asked, all[b].asked) })
	for _, i := range byAsked {
		t := &all[i]
		if t.thread < 0 {
			continue
		}
		list := slices.DeleteFunc(open[t.thread], func(j int32) bool { return all[j].end <= t.asked })
		for _, j := range list {
			out[j] += max(min(t.start, all[j].end)-max(t.asked, all[j].start), 0)
		}
		open[t.thread] = append(list, i)
	}
	return out
}
