package analysis

import (
	"slices"

	"contend/analysis/owners"
	"contend/format"
)

// flushLock emits the open slices of all whose path leads through a lock.
func (s *standing) flushLock(l format.ObjectID) {
	if s.begin() {
		s.find(l, 0)
		s.flush()
	}
}

// flushBehind emits the open slices of all whose path leads through a thread,
// but not its own.
func (s *standing) flushBehind(t format.ThreadID) {
	if s.begin() {
		for _, l := range s.owns[t] {
			s.find(l, 0)
		}
		s.flush()
	}
}

// flushAll emits all open slices: where the cut ends, behind which nothing is charged.
// Those who wait are no more there then.
func (s *standing) flushAll() {
	if s.begin() {
		for ; len(s.waiting) > 0; s.waiting.Pop() {
			s.todo = s.todo[:0]
			s.find(s.g.blocked[s.waiting[0].ID].lock, 0)
			s.flush()
		}
	}
}

// begin notes that the graph changes. It returns false where the cut has not begun:
// no slice is open there, see openSlice.
func (s *standing) begin() bool {
	s.g.changed()
	s.g.now = s.now
	s.todo = s.todo[:0]
	return s.now > s.e.from
}

// flush emits the open slices of the waiters of the locks found, and of all that wait for
// these: those behind more than MaxPath locks now and then only.
func (s *standing) flush() {
	changed := len(s.todo)
	for i, level := 0, int32(1); i < len(s.todo); level++ {
		if level > MaxPath {
			if s.g.far == nil { // once more, with what is to be known from now on
				s.g.far = newFar(len(s.queue))
				s.again(changed)
				return
			}
			if level == MaxPath+1 && !s.farther() {
				break
			}
		}
		for end := len(s.todo); i < end; i++ {
			s.flushQueue(s.todo[i], level)
		}
	}
	s.mark()
}

// again is flush for the first locks that were found.
func (s *standing) again(locks int) {
	first := slices.Clone(s.todo[:locks])
	s.todo = s.todo[:0]
	for _, l := range first {
		s.find(l, 0)
	}
	s.flush()
}

// flushQueue emits the open slices of the waiters of a lock, and finds the locks that these
// own.
func (s *standing) flushQueue(l format.ObjectID, level int32) {
	q := &s.queue[l]
	if q.crowd != nil {
		s.emitCrowd(l, q.crowd, level)
	}
	s.looks += len(q.open)
	for from, to := 0, 0; from < len(q.open); from = to {
		since := q.open[from].since
		for to = from; to < len(q.open) && q.open[to].since == since; to++ {
			for _, owned := range s.owns[q.open[to].node] {
				s.find(owned, level)
			}
		}
		if since < s.now {
			s.emit(l, from, to)
		}
	}
	if len(q.open) >= crowdFrom {
		s.gather(l, q)
	}
}

// emit books the open slices from one place of a lock's queue to another, which
// began together.
func (s *standing) emit(l format.ObjectID, from, to int) {
	open, waiters := s.queue[l].open[from:to], s.queue[l].waiters[from:to]
	if lo, hi, ok := s.e.cut(open[0].since, s.now); ok {
		if group := s.shown(open, waiters); len(group) > 0 {
			s.promise(len(group))
			if !s.bookSingle(l, lo, hi, group, len(group)) {
				s.nodes = s.shownNodes(open)
				s.bookPaths(l, lo, hi, group)
			}
		}
		for i := range waiters {
			waiters[i].First, waiters[i].WaitNs, waiters[i].CutNs = false, 0, 0
		}
	}
	for i := range open {
		open[i].since = s.now
	}
}

// shown returns the waiters that the filter does not hide.
func (s *standing) shown(open []openSlice, waiters []Waiter) []Waiter {
	if s.e.all {
		return waiters
	}
	s.group = s.group[:0]
	for i := range open {
		if !open[i].hidden {
			s.group = append(s.group, waiters[i])
		}
	}
	return s.group
}

// shownNodes returns their nodes.
func (s *standing) shownNodes(open []openSlice) []format.ThreadID {
	s.nodes = s.nodes[:0]
	for i := range open {
		if !open[i].hidden {
			s.nodes = append(s.nodes, open[i].node)
		}
	}
	return s.nodes
}

// emitEmpty emits a wait of length zero.
func (s *standing) emitEmpty(w owners.Wait) {
	if _, _, ok := s.e.cut(w.Start, w.End); ok && s.e.wanted(w.Thread, w.Lock, 0) {
		s.group = append(s.group[:0], Waiter{Thread: w.Thread, Stack: w.Stack, Mode: w.Mode(), First: true, Failed: w.Failed()})
		s.e.slice = Slice{Start: w.Start, End: w.End, Lock: w.Lock, NoEarlierStart: s.noEarlierStart, Waiters: s.group}
		s.e.emit()
	}
}
