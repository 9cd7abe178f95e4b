package analysis

import (
	"cmp"
	"slices"

	"contend/analysis/internal/column"
	"contend/format"
)

// openWaits are the waits in progress at one instant, and the part of each that has not
// been emitted.
type openWaits struct {
	r       *record
	e       *emitter
	g       graph
	now     int64
	threads int                 // nodes from here on are extra ones
	state   []nodeState         // by thread, extra nodes after them
	queue   []queue             // by lock: its waiters
	owns    [][]format.ObjectID // by thread: the locks it owns

	waiting column.KeyHeap // blocked nodes, by the end of their wait

	todo    []format.ObjectID // scratch: the locks whose waiters a change affects
	nodes   []format.ThreadID // scratch of emit
	charged []Waiter          // scratch: the waiters of a slice
	share   Share

	affected   []format.ObjectID // scratch: all locks whose path a change affects; kept once some path is long
	farSince   int64             // when the first long path appeared; NoTime for never
	farChanged int64             // when a long path last changed without ending all slices

	visited        int    // waiters visited one by one, for tests
	members        uint32 // threads that have joined a group so far
	sinceBound     int    // waiters emitted since noEarlierStart was computed
	noEarlierStart int64  // see Slice
}

// nodeState is where a node is blocked. A node is a thread, or an extra one for a thread
// with several waits at once.
type nodeState struct {
	wait   column.Ref      // of the wait, plus one; 0 when not blocked
	extra  format.ThreadID // of a thread: its first free extra node; of a free extra node: the next one
	place  uint32          // in the queue of the lock
	member uint32          // number in the lock's group instead; 0 outside of it, or hiddenMember
}

// queue is the threads blocked on a lock, in two parallel lists. A long queue keeps most of
// them in a group.
type queue struct {
	waiters []Waiter // as slices list them; First until a slice of the wait has been emitted
	open    []openSlice
	group   *queueGroup // of the remaining waiters; nil for none
	flushed int64       // when all their slices were last emitted
}

// openSlice is the interval of a waiter that has not been emitted.
type openSlice struct {
	since  int64 // no earlier than the start of the cut
	node   format.ThreadID
	hidden bool // by the filter
}

// queueGroup is the waiters of a long queue whose first slice has been emitted. Until one
// of them leaves they are all charged alike, so they are charged together: a change of
// owner costs the same for thousands of waiters as for a few.
type queueGroup struct {
	since   int64                  // when their slices were last emitted
	members WaitQueue[groupMember] // those that the filter does not hide
	owning  []format.ThreadID      // members that own locks, hidden ones included
}

// groupMember is a waiter in a group.
type groupMember struct {
	waiter Waiter
	node   format.ThreadID
}

// groupOf returns the group of a node; nil if it is in none.
func (s *openWaits) groupOf(n format.ThreadID) *queueGroup {
	if s.state[n].member == 0 {
		return nil
	}
	return s.queue[s.g.blocked[n].lock].group
}

// disown notes that a member no longer owns a lock, or leaves the group.
func (c *queueGroup) disown(n format.ThreadID) {
	at := slices.Index(c.owning, n)
	c.owning = slices.Delete(c.owning, at, at+1)
}

// affect adds a lock to todo if its waiters have open slices; level is its distance, in
// locks, from the change. A lock that was added at this instant before has none: a waiter
// that arrived since has no open slice.
func (s *openWaits) affect(l format.ObjectID, level int32) {
	q := &s.queue[l]
	if s.g.far != nil {
		f := &s.g.far[l]
		if f.flushed == s.now && f.level <= level {
			return
		}
		f.flushed, f.level = s.now, level
		s.affected = append(s.affected, l)
	} else if q.flushed == s.now {
		return
	}
	q.flushed = s.now
	if len(q.open) > 0 || q.group != nil {
		s.todo = append(s.todo, l)
	}
}

// bookSingle charges an interval in which n threads waited for a lock, if they all share
// one path. group lists all of them, or the first of a queue group.
func (s *openWaits) bookSingle(l format.ObjectID, lo, hi int64, group []Waiter, n int) bool {
	if !s.g.single(l, lo, &s.share) {
		return false
	}
	s.e.slice = Slice{Start: lo, End: hi, Lock: l, NoEarlierStart: s.noEarlierStart, Waiters: group}
	s.e.bookSingle(&s.share, n)
	return true
}

// bookPaths charges an interval to several paths. The nodes of the waiters are s.nodes.
func (s *openWaits) bookPaths(l format.ObjectID, lo, hi int64, group []Waiter) {
	s.e.slice = Slice{Start: lo, End: hi, Lock: l, NoEarlierStart: s.noEarlierStart, Waiters: group}
	s.e.book(&s.g, s.nodes)
}

// noEarlierStart is computed again after boundEvery waiters in slices, or boundShare times
// the number of waiting threads if that is more. The computation visits all waiting
// threads, far apart in memory, and would otherwise cost more per waiter the more of them
// wait.
const (
	boundEvery = 1024
	boundShare = 4
)

// boundStarts computes noEarlierStart: the next slice of each thread starts where its last
// one ended.
func (s *openWaits) boundStarts(more int) {
	if s.sinceBound += more; s.sinceBound < max(boundEvery, boundShare*len(s.waiting)) {
		return
	}
	s.sinceBound = 0
	s.noEarlierStart = s.now
	for _, k := range s.waiting {
		s.noEarlierStart = min(s.noEarlierStart, s.since(format.ThreadID(k.ID)))
	}
}

// since returns the start of a node's open slice.
func (s *openWaits) since(n format.ThreadID) int64 {
	if c := s.groupOf(n); c != nil {
		return c.since
	}
	return s.queue[s.g.blocked[n].lock].open[s.state[n].place].since
}

// farShare bounds how often the slices of all long paths end: only after no change for this
// fraction of the time since the first long path appeared. That is one or two hundred times
// in a trace of any length.
const farShare = 8

// flushesFar reports whether a change also ends the slices of waiters behind more than
// MaxPath locks: it does if those paths had not changed for a while.
func (s *openWaits) flushesFar() bool {
	if s.farSince == format.NoTime {
		s.farSince, s.farChanged = s.now, s.now
		return true
	}
	quiet := s.now - s.farChanged
	s.farChanged = s.now
	return quiet > cmp.Or((s.now-s.farSince)/farShare, 0)
}

// markChanged notes that the paths from all affected locks have changed.
func (s *openWaits) markChanged() {
	for _, l := range s.affected {
		s.g.far[l].changed = s.now
	}
	s.affected = s.affected[:0]
}
