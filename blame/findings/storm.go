package findings

import (
	"fmt"
	"math"
	"slices"

	"contend/analysis"
	"contend/format"
	"contend/format/human"
)

// monitors are the monitors at which threads are woken together.
type monitors struct {
	storms     []storm
	stormTests int64 // monitors tested for herds
	requeuedNs int64 // thread-time in which woken threads waited to enter the monitor again
}

// storm sums the herds at one monitor: threads woken together.
type storm struct {
	monitor   format.ObjectID
	site      uint32  // with most threads that were woken in vain
	hides     bool    // short waits are not recorded
	herds     int     // number of herds
	separated int     // herds closer together than to the next wake-up
	expected  float64 // of separated, by chance
	woken     int     // threads in herds
	futile    int     // of these: threads that waited again at once
	queuedNs  int64   // thread-time from when the first of a herd had the monitor until each had it
	lastNs    int64   // time from when the first of a herd had the monitor until the last had it

	steps []int64     // ns from one wake-up of a herd to the next
	holds []briefHold // of threads that waited again at the same place
}

// briefHold is the time, in ns, for which a thread that waits again had the monitor, and its
// stack.
type briefHold struct {
	ns    int64
	stack format.StackID
}

// Monitor implements analysis.NonLockVisitor.
func (v *Evidence) Monitor(m *analysis.MonitorWaits) {
	c := herdFinder{
		waits:  m.Waits,
		next:   nextOf(m.Waits),
		oldest: oldestFrom(m.Waits),
		used:   make([]bool, len(m.Waits)),
	}
	s := storm{monitor: m.Monitor, hides: m.Hides}
	for i := range m.Waits {
		if h := c.herd(i); len(h) > 1 && c.complete(h) {
			c.count(h, &s)
		}
	}
	if s.herded(&v.stormTests) {
		s.countFutile(v.sites.Waiter)
		v.storms = append(v.storms, s)
		v.requeuedNs += s.queuedNs
	}
}

// herd is the waits that one notification ended, as far as waits show it: indices of the waits
// at the monitor.
type herd []int

// herdFinder looks for herds among the waits at a monitor, which are in order of end.
type herdFinder struct {
	waits  []analysis.MonitorWait
	next   []int   // by wait: the next wait of its thread, 0 for none
	oldest []int64 // by wait: when the oldest wait began of it and all later ones
	used   []bool  // by wait: it is in a herd
	found  herd
}

// nextOf returns, by wait, the next wait of its thread; 0 for none.
func nextOf(waits []analysis.MonitorWait) []int {
	next, last := make([]int, len(waits)), map[format.ThreadID]int{}
	for i := len(waits) - 1; i >= 0; i-- {
		next[i] = last[waits[i].Thread]
		last[waits[i].Thread] = i
	}
	return next
}

// oldestFrom returns, by wait, the begin of the oldest wait among it and all that end later,
// and math.MaxInt64 after the last.
func oldestFrom(waits []analysis.MonitorWait) []int64 {
	out := make([]int64, len(waits)+1)
	out[len(waits)] = math.MaxInt64
	for i := len(waits) - 1; i >= 0; i-- {
		out[i] = min(out[i+1], waits[i].Start)
	}
	return out
}

// maxBetween bounds the unrelated waits that may end between two wake-ups of a herd.
const maxBetween = 256

// herd returns the waits that were ended by the same thread as the given one and had begun
// before its end: notifyAll wakes these, and they enter the monitor one after the other.
// Younger waits may end in between, if threads of the herd wait again and another notification
// wakes them.
func (c *herdFinder) herd(first int) herd {
	a := &c.waits[first]
	c.found = append(c.found[:0], first)
	if c.used[first] || a.By == format.NoThread {
		return nil
	}
	between := 0
	for i := first + 1; i < len(c.waits) && c.oldest[i] < a.End && between < maxBetween; i++ {
		w := &c.waits[i]
		switch {
		case w.Start < a.End && w.By == a.By && !c.used[i]:
			c.found = append(c.found, i)
			c.used[i] = true
			between = 0
		case w.Start >= a.End && w.By != a.By:
			between++
		default:
			return c.found
		}
	}
	return c.found
}

// complete reports whether all that waited with the herd were woken before its first thread
// had the monitor: notifyAll wakes all waiters.
func (c *herdFinder) complete(h herd) bool { return c.oldest[h[len(h)-1]+1] >= c.waits[h[0]].End }

// count adds a herd to the storm.
func (c *herdFinder) count(h herd, s *storm) {
	first, last := c.waits[h[0]].End, c.waits[h[len(h)-1]].End
	widest := int64(0)
	for n, i := range h {
		end := c.waits[i].End
		s.queuedNs += end - first
		if n+1 < len(h) {
			step := c.waits[h[n+1]].End - end
			s.steps = append(s.steps, step)
			widest = max(widest, step)
		}
		if next := c.next[i]; next > 0 && c.waits[next].Start >= end && c.waits[next].Stack == c.waits[i].Stack {
			s.holds = append(s.holds, briefHold{c.waits[next].Start - end, c.waits[i].Stack})
		}
	}
	s.herds++
	s.woken += len(h)
	s.lastNs = s.lastNs + last - first
	s.expected += 1 / float64(len(h))
	if behind := h[len(h)-1] + 1; behind == len(c.waits) || c.waits[behind].End-last > widest {
		s.separated++
	}
}

// countFutile counts the threads woken in vain: they wait again at the same place after a hold
// that is no longer than the median time to the next wake-up of a herd. In that time a thread
// does less than it costs to wake it.
func (s *storm) countFutile(siteOf func(format.StackID) uint32) {
	slices.Sort(s.steps)
	usual, at := s.steps[len(s.steps)/2], map[uint32]int{}
	for _, t := range s.holds {
		if t.ns > usual {
			continue
		}
		s.futile++
		site := siteOf(t.stack)
		if at[site]++; at[site] > at[s.site] {
			s.site = site
		}
	}
	s.steps, s.holds = nil, nil
}

// herded reports whether the wake-ups of a herd are closer to each other than to the next
// wake-up, more often than chance explains. Threads woken one by one can look like a herd, as
// when one thread notifies several in turn; the gap after k such wake-ups is the largest of k
// with probability 1/k (Hoeffding's bound for their sum). tested counts the monitors with
// enough herds for the test.
func (s *storm) herded(tested *int64) bool {
	chance := func(apart int) float64 {
		above := max(float64(apart)-s.expected, 0)
		return math.Exp(-2 * above * above / float64(max(s.herds, 1)))
	}
	if chance(s.herds) > significance {
		return false
	}
	*tested++
	return chance(s.separated) <= significance/float64(*tested*(*tested+1)) // these levels sum to significance
}

// storms finds the monitors at which most threads are woken in vain. The notifying thread is
// recorded, but not whether it notified one or all: confidence is medium, and low if short
// waits are not recorded, because renewed waits are mostly short.
func storms(v *Evidence, _ *Trace) (out []Finding) {
	for i := range v.storms {
		s := &v.storms[i]
		if 2*s.futile <= s.woken {
			continue
		}
		f := v.about(NotifyStorm, s.monitor, &amount{ns: s.queuedNs})
		f.Site = v.sites.Names().Value(s.site)
		f.Evidence = fmt.Sprintf(
			"%s %.1f threads were woken at once, %s of them in vain; the last had the monitor %s after the first",
			human.Some(
				s.herds,
				"time",
				"times",
			),
			float64(s.woken)/float64(s.herds),
			percent(int64(s.futile), int64(s.woken)),
			human.Duration(s.lastNs/int64(s.herds)),
		)
		f.Confidence = Medium
		if s.hides {
			f.Evidence += "; short waits are not recorded"
			f.Confidence = Low
		}
		out = append(out, f)
	}
	return out
}
