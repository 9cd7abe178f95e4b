package analysis

import (
	"contend/analysis/internal/column"
	"contend/analysis/owners"
	"contend/format"
)

// standing is who waits for what at one instant, and what of that has not been
// emitted.
type standing struct {
	r       *record
	e       *emitter
	g       graph
	now     int64
	threads int                 // nodes from here on are extra ones
	state   []nodeState         // by thread, extra nodes after them
	queue   []queue             // by lock: the threads blocked on it now
	owns    [][]format.ObjectID // by thread: the locks it owns now

	waiting column.KeyHeap // nodes that wait, by end

	todo  []format.ObjectID // scratch: the locks a change affects
	nodes []format.ThreadID // scratch of emit
	group []Waiter
	share Share

	emitted        int   // waiters in slices since noEarlierStart was found out
	noEarlierStart int64 // see Slice
}

// nodeState says where a thread is blocked.
type nodeState struct {
	wait  column.Ref      // of the wait, plus one; 0 when not blocked
	extra format.ThreadID // the first of the thread's free extra nodes; of a free extra node the next
	place uint32          // in the queue of the lock
}

// queue is the threads blocked on a lock, in two lists: what slices tell of
// them, and what they do not.
type queue struct {
	waiters []Waiter // First until a slice of the wait has been emitted
	open    []openSlice
	flushed int64 // when all their slices were emitted last
}

// openSlice is the stretch of a waiter that has not been emitted.
type openSlice struct {
	since  int64
	node   format.ThreadID
	hidden bool // by the filter
}

// flushLock emits the open slices of all whose path leads through a lock.
func (s *standing) flushLock(l format.ObjectID) {
	s.begin()
	s.found(l)
	s.flush()
}

// flushBehind emits the open slices of all whose path leads through a thread,
// but not its own.
func (s *standing) flushBehind(t format.ThreadID) {
	s.begin()
	for _, l := range s.owns[t] {
		s.found(l)
	}
	s.flush()
}

func (s *standing) begin() {
	s.g.changed()
	s.todo = s.todo[:0]
}

// found notes a lock whose waiters have open slices. They have none if it was
// found at this instant before: who came behind it since, came with none.
func (s *standing) found(l format.ObjectID) {
	if q := &s.queue[l]; q.flushed != s.now {
		q.flushed = s.now
		if len(q.open) > 0 {
			s.todo = append(s.todo, l)
		}
	}
}

// flush emits the open slices of the waiters of the locks found, and of all
// that wait for these.
func (s *standing) flush() {
	for i := 0; i < len(s.todo); i++ {
		q := &s.queue[s.todo[i]]
		for from, to := 0, 0; from < len(q.open); from = to {
			since := q.open[from].since
			for to = from; to < len(q.open) && q.open[to].since == since; to++ {
				for _, l := range s.owns[q.open[to].node] {
					s.found(l)
				}
			}
			if since < s.now {
				s.emit(s.todo[i], from, to)
			}
		}
	}
}

// emit books the open slices from one place of a lock's queue to another, which
// began together.
func (s *standing) emit(l format.ObjectID, from, to int) {
	open, waiters := s.queue[l].open[from:to], s.queue[l].waiters[from:to]
	if lo, hi, ok := s.e.cut(open[0].since, s.now); ok {
		if group := s.shown(open, waiters); len(group) > 0 {
			s.promise(len(group))
			s.book(l, lo, hi, open, group)
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

// book charges a stretch in which a group waited for a lock.
func (s *standing) book(l format.ObjectID, lo, hi int64, open []openSlice, group []Waiter) {
	if s.g.single(l, &s.share) {
		s.e.bookSingle(lo, hi, l, &s.share, group, s.noEarlierStart)
		return
	}
	s.nodes = s.nodes[:0]
	for i := range open {
		if !open[i].hidden {
			s.nodes = append(s.nodes, open[i].node)
		}
	}
	s.e.slice = Slice{Start: lo, End: hi, Lock: l, NoEarlierStart: s.noEarlierStart, Waiters: group}
	s.e.book(&s.g, s.nodes)
}

// promiseEvery is after how many waiters in slices it is found out anew, at least,
// before which instant no slice starts any more. All that wait are looked at for it,
// far apart in memory, and so no more often than when promiseShare times as many
// have been emitted: else what each costs would grow with how many wait.
const (
	promiseEvery = 1024
	promiseShare = 4
)

// promise finds that instant: each thread's next slice starts where its last one
// ended.
func (s *standing) promise(more int) {
	if s.emitted += more; s.emitted < max(promiseEvery, promiseShare*len(s.waiting)) {
		return
	}
	s.emitted = 0
	s.noEarlierStart = s.now
	for _, k := range s.waiting {
		st := &s.state[k.ID]
		s.noEarlierStart = min(s.noEarlierStart, s.queue[s.g.blocked[k.ID].lock].open[st.place].since)
	}
}

// emitEmpty emits a wait of length zero.
func (s *standing) emitEmpty(w owners.Wait) {
	if _, _, ok := s.e.cut(w.Start, w.End); ok && s.e.wanted(w.Thread, w.Lock, 0) {
		s.group = append(s.group[:0], Waiter{Thread: w.Thread, Stack: w.Stack, Mode: w.Mode(), First: true, Failed: w.Failed()})
		s.e.slice = Slice{Start: w.Start, End: w.End, Lock: w.Lock, NoEarlierStart: s.noEarlierStart, Waiters: s.group}
		s.e.emit()
	}
}
