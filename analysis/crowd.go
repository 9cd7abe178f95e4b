package analysis

import "contend/format"

// Crowd is the slices of one sampling instant that agree in all but who
// waits: many threads blocked on one lock, whose waiting takes one path. It
// has one share, and is no deadlock. Where nothing changes from one instant to
// the next it may stand for several; the Sighting is that of the first. A
// Crowd is valid during the call only.
type Crowd struct {
	Slice   // Thread, Stack, Mode and First say nothing
	Waiters []Waiter
}

// Waiter is what the slices of a crowd differ in.
type Waiter struct {
	Thread format.ThreadID
	Stack  format.StackID
	Mode   format.Mode
	First  bool
}

// CrowdVisitor is a Visitor that takes a crowd at less cost than its slices
// one by one. The sums must come out the same, and so must they when two
// crowds that follow each other are one.
type CrowdVisitor interface {
	Crowd(c *Crowd)
}

// Ns returns the thread-time of all waiters together.
func (c *Crowd) Ns() int64 { return (c.End - c.Start) * int64(len(c.Waiters)) }

// Each gives the slices one by one.
func (c *Crowd) Each(visit func(s *Slice)) {
	var s Slice
	for _, w := range c.Waiters {
		s = c.of(w)
		visit(&s)
	}
}

// of returns the slice of one waiter.
func (c *Crowd) of(w Waiter) Slice {
	s := c.Slice
	s.Thread, s.Stack, s.Mode, s.First = w.Thread, w.Stack, w.Mode, w.First
	return s
}

// crowd books e.crowded.
func (e *emitter) crowd() {
	c := &e.crowded
	e.byProv[c.Shares[0].Direct.Prov] += c.Ns()
	e.relay.crowd(c)
}

// anyLength passes every bound on the length of waits: what a sample stands for
// says nothing of how long the wait was, and a tenure is none.
const anyLength = maxTime

// emit books the slices of the waiters of one lock, which are consecutive
// nodes. The path from the lock on is theirs together, unless it returns to
// one of them.
func (s *sampler) emit(nodes []format.ThreadID, lo, hi int64, at Sighting) {
	lo, hi, ok := s.e.cut(lo, hi)
	lock := s.g.blocked[nodes[0]].lock
	c := &s.e.crowded
	c.Waiters = c.Waiters[:0]
	for _, t := range nodes {
		stack := s.g.blocked[t].stack
		seen := &s.last[t]
		first := seen.tick+1 != s.number || seen.lock != lock || seen.stack != stack
		*seen = lastSeen{s.number, lock, stack}
		if ok && s.e.wanted(t, lock, anyLength) {
			c.Waiters = append(c.Waiters, Waiter{t, stack, s.modes[t], first})
		}
	}
	if len(c.Waiters) == 0 {
		return
	}
	c.Slice = Slice{Start: lo, End: hi, Lock: lock, Sighting: at, Shares: s.g.push(c.Waiters[0].Thread, lo, hi)}
	if len(c.Shares) == 1 && c.Shares[0].Root.Kind != OwnerDeadlock {
		s.e.crowd()
		return
	}
	for i, w := range c.Waiters {
		s.e.slice = c.of(w)
		if i > 0 {
			s.e.slice.Shares = s.g.push(w.Thread, lo, hi)
		}
		s.e.emit()
	}
}
