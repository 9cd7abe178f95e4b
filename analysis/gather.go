package analysis

import (
	"math"

	"contend/format"
)

// crowdFrom is how many waiters of a lock are looked at one by one before those of
// whom all is told are a crowd: one by one is cheaper for a few.
const crowdFrom = 32

// hiddenInCrowd is instead of the number of who is in a crowd and hidden by the filter.
const hiddenInCrowd = math.MaxUint32

// gather makes a crowd of those who wait for a lock, when their slices have just been
// emitted.
func (s *standing) gather(l format.ObjectID, q *queue) {
	if q.crowd == nil {
		q.crowd = &crowd{}
	}
	q.crowd.since = s.now
	kept := 0
	for i := range q.open {
		if !q.waiters[i].First {
			s.join(l, q.crowd, &q.open[i], &q.waiters[i])
			continue
		}
		q.open[kept], q.waiters[kept] = q.open[i], q.waiters[i]
		s.state[q.open[kept].node].place = uint32(kept)
		kept++
	}
	q.open, q.waiters = q.open[:kept], q.waiters[:kept]
}

func (s *standing) join(l format.ObjectID, c *crowd, open *openSlice, w *Waiter) {
	if len(s.owns[open.node]) > 0 {
		c.owning = append(c.owning, open.node)
	}
	st := &s.state[open.node]
	if open.hidden {
		st.number = hiddenInCrowd
		return
	}
	s.joined++
	st.number = s.joined
	c.shown.Join(st.number, inCrowd{*w, open.node})
	s.e.out.move(Move{Waiter: *w, Lock: l, Number: st.number})
	if s.state[w.Thread].alone = open.node + 1; s.state[w.Thread].waits > 1 {
		s.notAlone(w.Thread)
	}
}

// waitsMore notes that a thread is in one more wait.
func (s *standing) waitsMore(t format.ThreadID) {
	st := &s.state[t]
	if st.waits++; st.waits > 1 && st.alone > 0 {
		s.notAlone(t)
	}
}

// notAlone tells that a thread in a crowd waits elsewhere, too.
func (s *standing) notAlone(t format.ThreadID) {
	n := s.state[t].alone - 1
	s.state[t].alone = 0
	l, number := s.g.blocked[n].lock, s.state[n].number
	s.e.out.move(Move{Waiter: s.queue[l].crowd.shown.Of(number).waiter, Lock: l, Number: number, Twice: true})
}

// leave takes a node whose wait ends out of its crowd, with the last of its slices.
func (s *standing) leave(n format.ThreadID, c *crowd) {
	if len(s.owns[n]) > 0 {
		c.disown(n)
	}
	number := s.state[n].number
	if number == hiddenInCrowd {
		s.state[n].number = 0
		return
	}
	l, w := s.g.blocked[n].lock, c.shown.Of(number).waiter
	if lo, hi, ok := s.e.cut(c.since, s.now); ok && c.since < s.now {
		s.promise(1)
		s.group = append(s.group[:0], w)
		if !s.bookSingle(l, lo, hi, s.group, 1) {
			s.nodes = append(s.nodes[:0], n)
			s.bookPaths(l, lo, hi, s.group)
		}
	}
	s.state[n].number, s.state[w.Thread].alone = 0, 0
	c.shown.Leave(number)
	s.e.out.move(Move{Waiter: w, Lock: l, Number: number, Leaves: true})
}

// emitCrowd books the open slice of the crowd of a lock.
func (s *standing) emitCrowd(l format.ObjectID, c *crowd, level int32) {
	for _, n := range c.owning {
		for _, owned := range s.owns[n] {
			s.find(owned, level)
		}
	}
	since := c.since
	c.since = s.now
	lo, hi, ok := s.e.cut(since, s.now)
	if !ok || since == s.now || c.shown.Len() == 0 {
		return
	}
	s.promise(1)
	s.group = append(s.group[:0], c.shown.First().waiter)
	if s.bookSingle(l, lo, hi, s.group, c.shown.Len()) {
		return
	}
	s.group, s.nodes = s.group[:0], s.nodes[:0]
	for _, one := range c.shown.All() {
		s.group, s.nodes = append(s.group, one.waiter), append(s.nodes, one.node)
	}
	s.bookPaths(l, lo, hi, s.group)
}
