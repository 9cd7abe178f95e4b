package sweep

import (
	"slices"

	"contend/analysis"
	"contend/analysis/internal/deliver"
	"contend/analysis/internal/graph"
	"contend/analysis/internal/record"
	"contend/format"
	"contend/format/column"
)

// openWaits are the waits in progress at one instant, and the part of each that has not
// been emitted.
type openWaits struct {
	r       *record.Whole
	e       *deliver.Emitter
	g       graph.Graph
	now     int64
	threads int                 // nodes from here on are extra ones
	state   []nodeState         // by thread, extra nodes after them
	queue   []queue             // by lock: its waiters
	owns    [][]format.ObjectID // by thread: the locks it owns

	waiting column.KeyHeap // blocked nodes, by the end of their wait

	todo    []format.ObjectID // scratch: the locks whose waiters a change affects
	nodes   []format.ThreadID // scratch of emit
	charged []analysis.Waiter // scratch: the waiters of slice
	slice   analysis.Slice    // scratch: the slice that is booked

	Visited        int    // waiters visited one by one, for tests
	members        uint32 // threads that have joined a group so far
	sinceBound     int    // waiters emitted since noEarlierStart was computed
	noEarlierStart int64  // see analysis.Slice
}

// nodeState is where a node is blocked. A node is a thread, or an extra one for a thread
// with several waits at once.
type nodeState struct {
	wait   column.Ref      // reference of the wait plus one; 0 means not blocked
	extra  format.ThreadID // of a thread: its first free extra node; of a free extra node: the next one
	place  uint32          // in the queue of the lock
	member uint32          // number in the lock's group instead; 0 outside of it, or hiddenMember
}

// queue is the threads blocked on a lock, in two parallel lists. A long queue keeps most of
// them in a group.
type queue struct {
	waiters []analysis.Waiter // as slices list them; First until a slice of the wait has been emitted
	open    []openSlice
	group   *queueGroup // of the remaining waiters; nil for none
	flushed int64       // when all their slices were last emitted, and
	level   int         // how many locks before the change
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
	since   int64                           // when their slices were last emitted
	members analysis.WaitQueue[groupMember] // the members that pass the filter
	owning  []format.ThreadID               // members that own locks, hidden ones included
}

// groupMember is a waiter in a group.
type groupMember struct {
	waiter analysis.Waiter
	node   format.ThreadID
}

// groupOf returns the group of a node; nil if it is in none.
func (s *openWaits) groupOf(n format.ThreadID) *queueGroup {
	if s.state[n].member == 0 {
		return nil
	}
	return s.queue[s.g.Blocked[n].Lock].group
}

// disown notes that a member no longer owns a lock, or leaves the group.
func (c *queueGroup) disown(n format.ThreadID) {
	at := slices.Index(c.owning, n)
	c.owning = slices.Delete(c.owning, at, at+1)
}

// affect adds a lock to todo if its waiters have open slices; level is its distance, in
// locks, from the change. A lock that was added at this instant before, and no further away,
// has none: a waiter that arrived since has no open slice.
func (s *openWaits) affect(l format.ObjectID, level int) {
	q := &s.queue[l]
	if q.flushed == s.now && q.level <= level {
		return
	}
	q.flushed, q.level = s.now, level
	if len(q.open) > 0 || q.group != nil {
		s.todo = append(s.todo, l)
	}
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
	return s.queue[s.g.Blocked[n].Lock].open[s.state[n].place].since
}

// book charges an interval to the owners of a lock, see Emitter.Book.
func (s *openWaits) book(
	l format.ObjectID,
	lo, hi int64,
	first format.ThreadID,
	n int,
	nodes func() []format.ThreadID,
) {
	s.slice = analysis.Slice{Start: lo, End: hi, Lock: l, NoEarlierStart: s.noEarlierStart, Waiters: s.charged}
	s.e.Book(&s.slice, &s.g, first, n, nodes)
}
