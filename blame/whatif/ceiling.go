package whatif

import (
	"cmp"
	"slices"

	"contend/format"
)

// sectionUse is a thread's use of a lock in a section.
type sectionUse struct {
	lock, thread int32
	section      uint32
	shared       bool
}

// demand is the work of threads and locks in the trace.
type demand struct {
	uses         []sectionUse         // in order of lock and thread
	ns           map[sectionUse]int64 // time in the section without waits for other locks
	acquisitions []float64            // by thread
	waited       []int64              // by thread, ns
}

// newDemand sums the holds, once for all changes.
func (c *Collector) newDemand() *demand {
	d := &demand{
		ns:           map[sectionUse]int64{},
		acquisitions: make([]float64, len(c.threads)),
		waited:       make([]int64, len(c.threads)),
	}
	inside := waitsInside(c.holds, len(c.threads))
	for i := range c.holds {
		t := &c.holds[i]
		if t.thread == unknown {
			continue
		}
		d.acquisitions[t.thread]++
		d.waited[t.thread] += t.start - t.asked
		u := sectionUse{t.lock, t.thread, t.section, t.mode == format.Shared}
		if _, known := d.ns[u]; !known {
			d.uses = append(d.uses, u)
		}
		d.ns[u] += max(t.end-t.start-inside[i], 0)
	}
	slices.SortStableFunc(d.uses, func(a, b sectionUse) int {
		return cmp.Or(cmp.Compare(a.lock, b.lock), cmp.Compare(a.thread, b.thread))
	})
	return d
}

// ceiling returns an upper bound of the throughput after a change over the present one, if the
// program does the same work: no thread is faster than without waits, X <= N/(Z + sum D), and
// an exclusive lock is held once at a time, sum X*D <= 1. Threads gain unevenly, so the bound
// is highest if those that need a lock least per acquisition run as often as they can.
func (d *demand) ceiling(c *Collector, e *effect) float64 {
	length := float64(c.end - c.start)
	saved := slices.Clone(d.waited)
	needs := make([][]need, len(c.locks.List))
	semaphores := c.semaphores()
	for _, u := range d.uses {
		rest := e.shrunk(u.section, d.ns[u])
		saved[u.thread] += d.ns[u] - rest
		if rest == 0 || e.removed[u.lock] || semaphores[u.lock] || e.reads(u.shared, u.section) {
			continue
		}
		list := &needs[u.lock]
		if n := len(*list); n == 0 || (*list)[n-1].thread != u.thread {
			*list = append(*list, need{thread: u.thread})
		}
		(*list)[len(*list)-1].each += float64(rest) / float64(e.stripes[u.lock].count)
	}
	all, alone := 0.0, make([]float64, len(d.acquisitions)) // by thread: acquisitions if it never waited
	for t, n := range d.acquisitions {
		all, alone[t] = all+n, n*length/max(length-float64(saved[t]), 1)
	}
	high := sumFloats(alone)
	for _, list := range needs {
		for i := range list {
			list[i].each /= d.acquisitions[list[i].thread]
		}
		high = min(high, maxAcquisitions(list, alone, length))
	}
	return max(high/max(all, 1), 1)
}

// need is the time for which a thread holds a lock per acquisition of any lock, ns.
type need struct {
	thread int32
	each   float64
}

// maxAcquisitions returns the largest number of acquisitions in a time in which a lock is held
// once at a time and alone bounds those of each thread.
func maxAcquisitions(list []need, alone []float64, length float64) float64 {
	slices.SortFunc(list, func(a, b need) int { return cmp.Compare(a.each, b.each) })
	high := sumFloats(alone)
	for _, u := range list {
		n := min(alone[u.thread], length/u.each)
		high, length = high-alone[u.thread]+n, length-n*u.each
	}
	return high
}

func sumFloats(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum
}

// waitsInside returns, by hold, the time in which its thread waited for other locks, ns.
func waitsInside(all []hold, threads int) []int64 {
	out := make([]int64, len(all))
	open := make([][]int32, threads)
	byAsked := make([]int32, len(all))
	for i := range all {
		byAsked[i] = int32(i)
	}
	slices.SortStableFunc(byAsked, func(a, b int32) int { return cmp.Compare(all[a].asked, all[b].asked) })
	for _, i := range byAsked {
		t := &all[i]
		if t.thread == unknown {
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
