package model

import (
	"slices"

	"contend/format"
)

// gap is an interval between two recorded acquisitions of a lock in which threads wait for it.
type gap struct {
	number   int // among those of the lock
	from, to int64
	acquired bool            // it begins with an acquisition by thread; else with an arrival, or a wait that failed
	ended    bool            // it ends with an acquisition
	thread   format.ThreadID // the last known acquirer, NoThread for none
	stack    format.StackID  // with which it acquired the lock
	site     int             // of that stack, or noSite
	shared   bool            // it holds the lock together with others
	joined   bool            // so does the thread that acquires the lock at the end
	previous format.ThreadID // the recorded owner before the acquisition at the end; NoThread if not recorded

	waiting  int        // threads that wait from the beginning on
	arrivals []Wait     // waits that begin inside, by start
	blocked  []float64  // by site: the share of its users that wait, or do something else, during all of the gap
	seen     []sighting // what else users of the lock do in it
	placed   bool       // it is charged as its stratum is, and not looked at
	stratum  *stratum   // nil if all gaps of the lock are inferred
}

// sighting is an Observation of a user of the lock.
type sighting struct {
	seen Observation
	user int32
	in   []within // the sites that it may be inside of: of its stack, none if it does not hold the lock
}

// waited returns how long all threads together waited in the gap until an instant, in ns.
func (g *gap) waited(until int64) float64 {
	sum := float64(g.waiting) * float64(until-g.from)
	for i := range g.arrivals {
		if w := &g.arrivals[i]; w.Start < until {
			sum += float64(min(until, max(w.End, w.Start)) - w.Start)
		}
	}
	return sum
}

// when is the inverse of waited: the instant until which they waited for ns.
func (g *gap) when(ns float64) int64 {
	n, at := float64(g.waiting), g.from
	for i := range g.arrivals {
		next := g.arrivals[i].Start
		if step := n * float64(next-at); step >= ns {
			break
		} else {
			ns -= step
		}
		n, at = n+1, next
	}
	if n == 0 {
		return at
	}
	return min(at+int64(ns/n), g.to)
}

// waitsFrom returns when a thread begins to wait for the lock in the gap, until if it does not
// before then.
func (g *gap) waitsFrom(t format.ThreadID, until int64) int64 {
	i := slices.IndexFunc(g.arrivals, func(w Wait) bool { return w.Thread == t })
	if i < 0 {
		return until
	}
	return min(g.arrivals[i].Start, until)
}

// parts returns [from, to) as parts of the gap.
func (g *gap) parts(from, to int64) (lo, hi float64) {
	length := float64(g.to - g.from)
	return max(0, float64(from-g.from)/length), min(1, float64(to-g.from)/length)
}

// spannedBy reports whether a thread did something from before the acquisition at which the
// gap begins, or until after the one at which it ends. Then it did not hold the lock
// meanwhile, unless the acquirer holds it together with others.
func (g *gap) spannedBy(o *Observation) bool {
	return o.What != Sample &&
		(g.acquired && !g.shared && o.Start < g.from-slack || g.ended && !g.joined && o.End > g.to+slack)
}

// cutter cuts the waits for a lock into gaps.
type cutter struct {
	lock   *lockView
	siteOf func(*Wait) int // called for each acquisition, by time
	gap    gap             // the current one
	n      int             // threads that wait
	now    []float64       // by site: the share of its users that waits
	start  []float64       // the same when the gap began
}

// reset prepares the cutter for the current lock.
func (c *cutter) reset() {
	c.gap, c.n = gap{site: noSite}, 0
	c.now = append(c.now[:0], make([]float64, c.lock.users.sites)...)
}

// cut calls give for each gap, in order of time. It goes through arrivals and ends of waits
// by time; a gap begins with the first arrival at a lock that no thread waits for and at
// each acquisition, and ends with the next acquisition, or when the last waiter gives up.
func (c *cutter) cut(give func(*gap)) {
	waits := c.lock.waits
	next := 0
	first := 0
	begin := func(at int64, acquired bool) {
		c.gap.from = at
		c.gap.acquired = acquired
		c.gap.waiting = c.n
		first = next
		c.start = append(c.start[:0], c.now...)
	}
	for done := 0; done < len(c.lock.byEnd); {
		end := &waits[c.lock.byEnd[done]]
		if next < len(waits) && waits[next].Start < end.End {
			if c.n == 0 {
				begin(waits[next].Start, false)
			}
			c.count(&waits[next], 1)
			next++
			continue
		}
		done++
		if end.Failed && c.n > 1 { // the others wait on
			c.count(end, -1)
			continue
		}
		g := &c.gap
		g.to = end.End
		g.ended = !end.Failed
		g.joined = end.Shared
		g.previous = format.NoThread
		if g.ended {
			g.previous = end.Last
		}
		if g.to > g.from {
			g.arrivals = waits[first:next]
			give(g)
			g.number++
		}
		c.count(end, -1)
		if !end.Failed {
			g.thread = end.Thread
			g.stack = end.Stack
			g.shared = end.Shared
			g.site = c.siteOf(end)
		}
		begin(end.End, !end.Failed)
	}
}

// count adds a thread to those that wait, or removes it.
func (c *cutter) count(w *Wait, by int) {
	c.n += by
	for s, v := range c.lock.users.of(w.user) {
		c.now[s] += float64(by) * v
	}
}
