package sweep

import (
	"math"

	"contend/analysis"
	"contend/analysis/owners"
	"contend/format"
)

// flushLock emits the open slices of all waiters whose path leads through a lock.
func (s *openWaits) flushLock(l format.ObjectID) {
	if s.begin() {
		s.affect(l, 0)
		s.flush()
	}
}

// flushBehind emits the open slices of all waiters whose path leads through a thread, but
// not the thread's own.
func (s *openWaits) flushBehind(t format.ThreadID) {
	if s.begin() {
		for _, l := range s.owns[t] {
			s.affect(l, 0)
		}
		s.flush()
	}
}

// flushAll emits all open slices at the end of the cut. The waits are dropped.
func (s *openWaits) flushAll() {
	if s.begin() {
		for ; len(s.waiting) > 0; s.waiting.Pop() {
			s.todo = s.todo[:0]
			s.affect(s.g.Blocked[s.waiting[0].ID].Lock, 0)
			s.flush()
		}
	}
}

// begin prepares for a change of the graph. It returns false before the start of the cut,
// where no slice is open, see openSlice.
func (s *openWaits) begin() bool {
	s.todo = s.todo[:0]
	return s.now > s.e.From
}

// flush emits the open slices of the waiters of the locks in todo and of all threads that
// wait for these waiters, up to the bound of paths.
func (s *openWaits) flush() {
	for i, level := 0, 0; i < len(s.todo) && level <= analysis.MaxPath; level++ {
		for end := len(s.todo); i < end; i++ {
			s.flushQueue(s.todo[i], level)
		}
	}
}

// flushQueue emits the open slices of a lock's waiters and adds the locks they own to todo.
func (s *openWaits) flushQueue(l format.ObjectID, level int) {
	q := &s.queue[l]
	if q.group != nil {
		s.emitGroup(l, q.group, level)
	}
	s.Visited += len(q.open)
	for from, to := 0, 0; from < len(q.open); from = to {
		since := q.open[from].since
		for to = from; to < len(q.open) && q.open[to].since == since; to++ {
			for _, owned := range s.owns[q.open[to].node] {
				s.affect(owned, level)
			}
		}
		if since < s.now {
			s.emit(l, from, to)
		}
	}
	if len(q.open) >= groupFrom {
		s.gather(l, q)
	}
}

// emit books the open slices of a part of a lock's queue. They have the same start.
func (s *openWaits) emit(l format.ObjectID, from, to int) {
	open, waiters := s.queue[l].open[from:to], s.queue[l].waiters[from:to]
	if lo, hi, ok := s.e.Cut(open[0].since, s.now); ok {
		s.charged, s.nodes = s.charged[:0], s.nodes[:0]
		for i := range open {
			if !open[i].hidden {
				s.charged, s.nodes = append(s.charged, waiters[i]), append(s.nodes, open[i].node)
			}
		}
		if n := len(s.nodes); n > 0 {
			s.boundStarts(n)
			s.book(l, lo, hi, s.nodes[0], n, func() []format.ThreadID { return s.nodes })
		}
		for i := range waiters {
			waiters[i].First = false
			waiters[i].WaitNs = 0
			waiters[i].CutNs = 0
		}
	}
	for i := range open {
		open[i].since = s.now
	}
}

// emitEmpty emits a wait of duration zero.
func (s *openWaits) emitEmpty(w owners.Activity) {
	if _, _, ok := s.e.Cut(w.Start, w.End); ok && s.e.Wanted(w.Thread, w.Lock, 0) {
		s.charged = append(
			s.charged[:0],
			analysis.Waiter{Thread: w.Thread, Stack: w.Stack, Mode: w.Mode(), First: true, Failed: w.Failed()},
		)
		s.slice = analysis.Slice{
			Start:          w.Start,
			End:            w.End,
			Lock:           w.Lock,
			NoEarlierStart: s.noEarlierStart,
			Waiters:        s.charged,
		}
		s.e.Emit(&s.slice, 1)
	}
}

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

// joinGroup adds a waiter to the group of its lock and notifies the visitors.
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
	l, w := s.g.Blocked[n].Lock, c.members.Waiter(number).waiter
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
		s.slice.Waiters = s.charged
		return s.nodes
	})
}
