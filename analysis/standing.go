package analysis

import (
	"cmp"
	"slices"

	"contend/analysis/internal/column"
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

	found      []format.ObjectID // scratch: all locks whose path a change affects, where some are long
	farSince   int64             // when there were long paths first; NoTime for never
	farChanged int64             // when one changed last that was not the end of all slices

	looks          int    // at waiters one by one, in all, for tests
	joined         uint32 // who joined a crowd so far
	emitted        int    // waiters in slices since noEarlierStart was found out
	noEarlierStart int64  // see Slice
}

// nodeState says where a thread is blocked.
type nodeState struct {
	wait   column.Ref      // of the wait, plus one; 0 when not blocked
	extra  format.ThreadID // the first of the thread's free extra nodes; of a free extra node the next
	place  uint32          // in the queue of the lock
	number uint32          // in its crowd instead; 0 outside, see hiddenInCrowd

	// Of a thread: how many waits it is in, since two recorders may write the same; and, if
	// one only and that is told of in a crowd, its node, plus one.
	waits uint32
	alone format.ThreadID
}

// queue is the threads blocked on a lock, in two lists: what slices tell of
// them, and what they do not. Where it is long, most are a crowd.
type queue struct {
	waiters []Waiter // First until a slice of the wait has been emitted
	open    []openSlice
	crowd   *crowd // of those who wait besides; nil for none
	flushed int64  // when all their slices were emitted last
}

// openSlice is the stretch of a waiter that has not been emitted.
type openSlice struct {
	since  int64 // no earlier than the cut begins
	node   format.ThreadID
	hidden bool // by the filter
}

// crowd is those of a long queue of whom all is told but when each of them leaves: that
// their waits have begun. As all are charged with the same until then, they are charged
// together, and the owner of a lock for which thousands wait costs no more than that of
// one for which a few do.
type crowd struct {
	since  int64 // when their slices were emitted last
	shown  Crowd[inCrowd]
	owning []format.ThreadID // nodes of it that own locks, also those the filter hides
}

// inCrowd is one of them.
type inCrowd struct {
	waiter Waiter
	node   format.ThreadID
}

// crowdOf returns the crowd in which a node waits; nil where it is in none.
func (s *standing) crowdOf(n format.ThreadID) *crowd {
	if s.state[n].number == 0 {
		return nil
	}
	return s.queue[s.g.blocked[n].lock].crowd
}

// disown notes that a node of the crowd owns nothing any more, or leaves it.
func (c *crowd) disown(n format.ThreadID) {
	at := slices.Index(c.owning, n)
	c.owning = slices.Delete(c.owning, at, at+1)
}

// find notes a lock whose waiters have open slices, so many locks before the change. They
// have none if it was found at this instant before: who came behind it since, came with
// none.
func (s *standing) find(l format.ObjectID, level int32) {
	q := &s.queue[l]
	if s.g.far != nil {
		f := &s.g.far[l]
		if f.flushed == s.now && f.level <= level {
			return
		}
		f.flushed, f.level = s.now, level
		s.found = append(s.found, l)
	} else if q.flushed == s.now {
		return
	}
	q.flushed = s.now
	if len(q.open) > 0 || q.crowd != nil {
		s.todo = append(s.todo, l)
	}
}

// bookSingle charges a stretch in which so many waited for a lock, all of which are
// given or the first of a crowd, where there is one path for all.
func (s *standing) bookSingle(l format.ObjectID, lo, hi int64, group []Waiter, n int) bool {
	if !s.g.single(l, lo, &s.share) {
		return false
	}
	s.e.slice = Slice{Start: lo, End: hi, Lock: l, NoEarlierStart: s.noEarlierStart, Waiters: group}
	s.e.bookSingle(&s.share, n)
	return true
}

// bookPaths does so where there are several; their nodes are s.nodes.
func (s *standing) bookPaths(l format.ObjectID, lo, hi int64, group []Waiter) {
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
		s.noEarlierStart = min(s.noEarlierStart, s.since(format.ThreadID(k.ID)))
	}
}

// since returns when the open slice of a node begins.
func (s *standing) since(n format.ThreadID) int64 {
	if c := s.crowdOf(n); c != nil {
		return c.since
	}
	return s.queue[s.g.blocked[n].lock].open[s.state[n].place].since
}

// farShare bounds how often all slices of long paths end: whenever nothing has changed
// for this part of the time since there are such paths. That is a hundred times or two
// in a trace, however long it is.
const farShare = 8

// farther reports whether a change ends the slices of who waits behind more than MaxPath
// locks, too: they end where nothing had changed there for a while.
func (s *standing) farther() bool {
	if s.farSince == format.NoTime {
		s.farSince, s.farChanged = s.now, s.now
		return true
	}
	quiet := s.now - s.farChanged
	s.farChanged = s.now
	return quiet > cmp.Or((s.now-s.farSince)/farShare, 0)
}

// mark notes that the paths from all locks found have changed.
func (s *standing) mark() {
	for _, l := range s.found {
		s.g.far[l].changed = s.now
	}
	s.found = s.found[:0]
}
