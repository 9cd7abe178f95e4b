package sweep

import (
	"math"

	"contend/analysis"
	"contend/format"
)

// groupFrom is the number of waiters of a lock from which on they become a group. For
// fewer, visiting each one is cheaper.
const groupFrom = 32

// hiddenMember marks a member of a group that the filter hides; it has no number.
const hiddenMember = math.MaxUint32

// gather moves the waiters of a lock, whose slices have just been emitted, into its group.
// Waiters whose first slice has not been emitted stay out.
func (s *openWaits) gather(l format.ObjectID, q *queue) {
	if q.group == nil {
		q.group = &queueGroup{}
	}
	q.group.since = s.now
	kept := 0
	for i := range q.open {
		if !q.waiters[i].First {
			s.joinGroup(l, q.group, &q.open[i], &q.waiters[i])
			continue
		}
		q.open[kept], q.waiters[kept] = q.open[i], q.waiters[i]
		s.state[q.open[kept].node].place = uint32(kept)
		kept++
	}
	q.open, q.waiters = q.open[:kept], q.waiters[:kept]
}

// joinGroup adds a waiter to the group of its lock and tells the visitors.
func (s *openWaits) joinGroup(l format.ObjectID, c *queueGroup, open *openSlice, w *analysis.Waiter) {
	if len(s.owns[open.node]) > 0 {
		c.owning = append(c.owning, open.node)
	}
	st := &s.state[open.node]
	if open.hidden {
		st.member = hiddenMember
		return
	}
	s.members++
	st.member = s.members
	c.members.Join(st.member, groupMember{*w, open.node})
	s.e.Out.QueueChange(analysis.QueueChange{Waiter: *w, Lock: l, Number: st.member})
}

// leaveGroup emits the last slice of a node whose wait ends and removes it from its group.
func (s *openWaits) leaveGroup(n format.ThreadID, c *queueGroup) {
	if len(s.owns[n]) > 0 {
		c.disown(n)
	}
	number := s.state[n].member
	if number == hiddenMember {
		s.state[n].member = 0
		return
	}
	l, w := s.g.Blocked[n].Lock, c.members.Of(number).waiter
	if lo, hi, ok := s.e.Cut(c.since, s.now); ok && c.since < s.now {
		s.boundStarts(1)
		s.charged = append(s.charged[:0], w)
		s.book(l, lo, hi, n, 1, nil)
	}
	s.state[n].member = 0
	c.members.Leave(number)
	s.e.Out.QueueChange(analysis.QueueChange{Waiter: w, Lock: l, Number: number, Leaves: true})
}

// emitGroup books the open slice of a lock's group.
func (s *openWaits) emitGroup(l format.ObjectID, c *queueGroup, level int) {
	for _, n := range c.owning {
		for _, owned := range s.owns[n] {
			s.affect(owned, level)
		}
	}
	since := c.since
	c.since = s.now
	lo, hi, ok := s.e.Cut(since, s.now)
	if !ok || since == s.now || c.members.Len() == 0 {
		return
	}
	s.boundStarts(1)
	first := c.members.First()
	s.charged = append(s.charged[:0], first.waiter)
	s.book(l, lo, hi, first.node, c.members.Len(), func() []format.ThreadID {
		s.charged, s.nodes = s.charged[:0], s.nodes[:0]
		for _, one := range c.members.All() {
			s.charged, s.nodes = append(s.charged, one.waiter), append(s.nodes, one.node)
		}
		s.e.Slice.Waiters = s.charged
		return s.nodes
	})
}
