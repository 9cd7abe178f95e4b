package findings

import (
	"fmt"
	"math"
	"slices"

	"contend/analysis"
	"contend/format"
	"contend/format/human"
)

// storm is what was seen of one monitor at which threads were woken together.
type storm struct {
	monitor  format.ObjectID
	site     uint32 // where most threads wait that were woken in vain
	hides    bool   // short waits are not recorded
	herds    int    // times that several were woken at once
	apart    int    // of these: times they came closer to each other than to the next one
	byChance float64
	woken    int   // threads, each as often
	vain     int   // of these: those that waited again at once
	queued   int64 // from when the first had the monitor until each had it, ns of thread-time
	last     int64 // the same until the last had it, ns

	steps []int64 // from one of a herd to the next, ns
	turns []turn  // of those that waited again at the same place
}

// turn is how long a thread that waits again had the monitor, ns, and its stack.
type turn struct {
	ns    int64
	stack format.StackID
}

// Monitor implements analysis.NonLockVisitor.
func (v *Evidence) Monitor(m *analysis.MonitorWaits) {
	c := chase{waits: m.Waits, again: nextOf(m.Waits), oldest: oldestFrom(m.Waits), taken: make([]bool, len(m.Waits))}
	s := storm{monitor: m.Monitor, hides: m.Hides}
	for i := range m.Waits {
		if h := c.herd(i); len(h) > 1 && c.whole(h) {
			c.count(h, &s)
		}
	}
	if s.herded(&v.tested) {
		s.judge(v.sites.Waiter)
		v.storms = append(v.storms, s)
		v.requeued += s.queued
	}
}

// herd is the waits that one notification ended, as far as waits tell: by their
// places among all at the monitor.
type herd []int

// chase looks for herds among the waits at a monitor, which are ordered by end.
type chase struct {
	waits  []analysis.MonitorWait
	again  []int   // when the thread of each waits at the monitor next: the place of that wait, 0 for none
	oldest []int64 // when the oldest of it and all behind it began
	taken  []bool  // in a herd
	found  herd
}

// nextOf returns for each wait the next one of its thread, 0 for none.
func nextOf(waits []analysis.MonitorWait) []int {
	next, last := make([]int, len(waits)), map[format.ThreadID]int{}
	for i := len(waits) - 1; i >= 0; i-- {
		next[i] = last[waits[i].Thread]
		last[waits[i].Thread] = i
	}
	return next
}

// oldestFrom returns for each wait when the oldest began of it and of all that end
// later, and one more, behind all.
func oldestFrom(waits []analysis.MonitorWait) []int64 {
	out := make([]int64, len(waits)+1)
	out[len(waits)] = math.MaxInt64
	for i := len(waits) - 1; i >= 0; i-- {
		out[i] = min(out[i+1], waits[i].Start)
	}
	return out
}

// mostBetween is how many waits that a herd has nothing to do with may end before
// the next of it does.
const mostBetween = 256

// herd returns the waits that were ended by the thread that ended the one given,
// and had begun before that one was over: a notification of all wakes these. They had
// the monitor one after the other. Between may end waits that are younger: of those
// of the herd that wait again already, and are woken by another notification.
func (c *chase) herd(first int) herd {
	a := &c.waits[first]
	c.found = append(c.found[:0], first)
	if c.taken[first] || a.By == format.NoThread {
		return nil
	}
	between := 0
	for i := first + 1; i < len(c.waits) && c.oldest[i] < a.End && between < mostBetween; i++ {
		w := &c.waits[i]
		switch {
		case w.Start < a.End && w.By == a.By && !c.taken[i]:
			c.found, c.taken[i], between = append(c.found, i), true, 0
		case w.Start >= a.End && w.By != a.By:
			between++
		default:
			return c.found
		}
	}
	return c.found
}

// whole reports whether none that waited with them slept on when the first had the
// monitor: notifyAll wakes all waiters.
func (c *chase) whole(h herd) bool { return c.oldest[h[len(h)-1]+1] >= c.waits[h[0]].End }

// count adds a herd.
func (c *chase) count(h herd, s *storm) {
	first, last := c.waits[h[0]].End, c.waits[h[len(h)-1]].End
	widest := int64(0)
	for n, i := range h {
		end := c.waits[i].End
		s.queued += end - first
		if n+1 < len(h) {
			step := c.waits[h[n+1]].End - end
			s.steps = append(s.steps, step)
			widest = max(widest, step)
		}
		if next := c.again[i]; next > 0 && c.waits[next].Start >= end && c.waits[next].Stack == c.waits[i].Stack {
			s.turns = append(s.turns, turn{c.waits[next].Start - end, c.waits[i].Stack})
		}
	}
	s.herds, s.woken, s.last = s.herds+1, s.woken+len(h), s.last+last-first
	s.byChance += 1 / float64(len(h))
	if behind := h[len(h)-1] + 1; behind == len(c.waits) || c.waits[behind].End-last > widest {
		s.apart++
	}
}

// judge counts the threads woken in vain: those that wait again at the same place, and not
// later than is usual until the next of a herd has the monitor. What it did in
// between is less than it takes to wake a thread.
func (s *storm) judge(siteOf func(format.StackID) uint32) {
	slices.Sort(s.steps)
	usual, at := s.steps[len(s.steps)/2], map[uint32]int{}
	for _, t := range s.turns {
		if t.ns > usual {
			continue
		}
		s.vain++
		site := siteOf(t.stack)
		if at[site]++; at[site] > at[s.site] {
			s.site = site
		}
	}
	s.steps, s.turns = nil, nil
}

// herded reports whether the wake-ups of a herd are closer to each other than to the next
// wake-up, more often than chance explains. Threads woken one by one, as when one thread
// notifies each of several in turn, can look like a herd: the gap after k such wake-ups is the
// largest of k with probability 1/k (Hoeffding bounds the sum). tested counts the monitors
// with enough herds for the test.
func (s *storm) herded(tested *int64) bool {
	chance := func(apart int) float64 {
		above := max(float64(apart)-s.byChance, 0)
		return math.Exp(-2 * above * above / float64(max(s.herds, 1)))
	}
	if chance(s.herds) > level {
		return false
	}
	*tested++
	return chance(s.apart) <= level/float64(*tested*(*tested+1)) // these sum to level, however many there are
}

// storms finds the monitors at which most threads are woken in vain. The thread that
// notifies is recorded, not whether one or all: confidence is not high, and low where short
// waits are missing, which those that wait again mostly are.
func storms(v *Evidence, _ *Trace) (out []Finding) {
	for i := range v.storms {
		s := &v.storms[i]
		if 2*s.vain <= s.woken {
			continue
		}
		f := v.about(NotifyStorm, s.monitor, &amount{ns: s.queued})
		f.Site = v.sites.Names().Name(s.site)
		f.Evidence = fmt.Sprintf("%s %.1f threads were woken at once, %s of them in vain; the last had the monitor %s after the first",
			human.Some(s.herds, "time", "times"), float64(s.woken)/float64(s.herds), percent(int64(s.vain), int64(s.woken)), human.Duration(s.last/int64(s.herds)))
		f.Confidence = Medium
		if s.hides {
			f.Evidence += "; short waits are not recorded"
			f.Confidence = Low
		}
		out = append(out, f)
	}
	return out
}
