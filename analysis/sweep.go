package analysis

import (
	"slices"

	"contend/analysis/internal/column"
	"contend/analysis/owners"
	"contend/format"
)

// sweep walks through time over the recorded waits and the rebuilt
// ownerships and emits a slice whenever a pointer on a blocked thread's path
// changes:
//
//  1. take the next change: a wait or an ownership begins or ends;
//  2. find the locks it affects, which are those from which a path leads through
//     the changed lock or thread, by following the pointers backwards;
//  3. emit for their waiters the stretch since their last slice, over the graph
//     as it was: those of one lock whose stretch is the same are one slice;
//  4. apply the change.
//
// It begins to emit where the filter's cut begins, and ends where the cut ends.
//
// Nothing else is touched: the cost is the number of changes times the
// waiters each affects, with little to do for each waiter, and of a long queue for all
// together.
type sweep struct {
	standing
	tl *owners.Timelines

	blocks []column.Ref              // waits that are still to begin, by start
	next   owners.Wait               // the first of them
	takes  []owners.Ownership        // the same of ownerships, the first of them
	taking <-chan []owners.Ownership // those behind
	held   column.KeyHeap            // ownerships that have begun, by end
	owned  []owners.Ownership        // those; where it is none of them, a place is free
	free   []uint32                  // such places
}

func (r *record) sweep(tl *owners.Timelines, e *emitter, c *cycles) *sweep {
	locks, threads := len(tl.Unowned), max(len(r.Lives), r.activities.Threads(), tl.Owned.Threads)
	owned := tl.Owned.Drain
	if len(asking[TenureVisitor](e)) > 0 { // who ask for them once more
		owned = tl.Owned.Ordered
	}
	s := &sweep{tl: tl, blocks: r.activities.Starts, taking: owned(), standing: standing{
		r: r, e: e,
		g:       graph{blocked: make([]blocked, threads), owners: make([][]owners.Holder, locks), gap: tl.Unowned, cycles: c, hops: &e.out.hops},
		threads: threads, state: make([]nodeState, threads), queue: make([]queue, locks),
		owns:           make([][]format.ObjectID, threads),
		noEarlierStart: format.NoTime, farSince: format.NoTime}}
	s.takes = <-s.taking
	for l := range s.queue {
		s.queue[l].flushed = format.NoTime
	}
	_, last := r.bounds()
	c.resolved = func(t format.ThreadID) bool {
		w := s.state[t].wait
		if w == 0 {
			return false
		}
		_, end := r.activities.Span(w - 1)
		return end < last && !slices.ContainsFunc(r.unended, func(u *format.Event) bool { return u.Thread == t && u.End == end })
	}
	s.run()
	return s
}

// run merges the four kinds of changes. What has begun waits for its end in a
// heap; as few threads wait at once, that costs less than sorting by end. At
// one instant an owner lets go before the next one takes over, and a wait ends
// before the thread's next one begins; beyond that, order within an instant
// changes no sum.
func (s *sweep) run() {
	take, block := s.nextTake(), s.nextBlock()
	for {
		kind, at := changeNone, int64(maxTime)
		if len(s.held) > 0 {
			kind, at = changeRelease, s.held[0].At
		}
		if take < at {
			kind, at = changeTake, take
		}
		if len(s.waiting) > 0 && s.waiting[0].At < at {
			kind, at = changeUnblock, s.waiting[0].At
		}
		if block < at {
			kind, at = changeBlock, block
		}
		if s.now = at; kind != changeNone && at > s.e.to {
			s.stop()
			return
		}
		switch kind {
		case changeRelease:
			s.release(s.held[0].ID)
			s.held.Pop()
		case changeTake:
			s.take(&s.takes[0])
			if s.takes = s.takes[1:]; len(s.takes) == 0 {
				s.takes = <-s.taking
			}
			take = s.nextTake()
		case changeUnblock:
			s.unblock(format.ThreadID(s.waiting[0].ID))
			s.waiting.Pop()
		case changeBlock:
			s.block(s.blocks[0])
			s.blocks = s.blocks[1:]
			block = s.nextBlock()
		default:
			return
		}
	}
}

// stop is called behind the cut, where nothing that begins or ends is charged any more.
func (s *sweep) stop() {
	s.flushAll()
	for range s.taking { // whoever gives them ends
	}
}

// nextTake returns when the next ownership begins; maxTime when there is none.
func (s *sweep) nextTake() int64 {
	if len(s.takes) == 0 {
		return maxTime
	}
	return s.takes[0].Start
}

// nextBlock does so of waits, and brings back the first, which block takes.
func (s *sweep) nextBlock() int64 {
	if len(s.blocks) == 0 {
		return maxTime
	}
	s.next = s.r.activities.Wait(s.blocks[0])
	return s.next.Start
}

// change is what happens at an instant.
type change uint8

const (
	changeNone change = iota
	changeRelease
	changeTake
	changeUnblock
	changeBlock
)

// block takes the first of the waits that are still to begin, which has a number.
func (s *sweep) block(i column.Ref) {
	w := &s.next
	s.e.bookWait(w)
	if w.Start == w.End { // counts as a wait, charges nobody
		s.emitEmpty(*w)
		return
	}
	n := s.node(w.Thread)
	s.flushBehind(n)
	s.waitsMore(w.Thread)
	q := &s.queue[w.Lock]
	s.state[n].wait, s.state[n].place = i+1, uint32(len(q.open))
	s.g.blocked[n] = blocked{w.Lock, w.Stack}
	lo, hi, _ := s.e.cut(w.Start, w.End)
	one := next(&q.waiters)
	one.Thread, one.Stack, one.Mode = w.Thread, w.Stack, w.Mode()
	one.First, one.Failed, one.WaitNs, one.CutNs = true, w.Failed(), w.End-w.Start, hi-lo
	q.open = append(q.open, openSlice{max(s.now, s.e.from), n, !s.e.wanted(w.Thread, w.Lock, w.End-w.Start)})
	s.waiting.Push(column.Key{At: w.End, ID: uint32(n)})
}

func (s *sweep) unblock(n format.ThreadID) {
	s.flushBehind(n)
	st := &s.state[n]
	lock := s.g.blocked[n].lock
	q := &s.queue[lock]
	if c := s.crowdOf(n); c != nil {
		s.leave(n, c)
	} else {
		if at := int(st.place); q.open[at].since < s.now {
			s.emit(lock, at, at+1)
		}
		last := len(q.open) - 1 // takes the place of the one that goes
		q.open[st.place], q.waiters[st.place] = q.open[last], q.waiters[last]
		s.state[q.open[last].node].place = st.place
		q.open, q.waiters = q.open[:last], q.waiters[:last]
	}
	wait := st.wait - 1
	st.wait = 0
	s.g.blocked[n] = blocked{}
	own := st
	if int(n) >= s.threads {
		own = &s.state[s.r.activities.Wait(wait).Thread]
		st.extra, own.extra = own.extra, n
	}
	own.waits--
}

// node returns a free node for one more wait of a thread: the thread's own,
// or, where two recorders wrote the same thread's waits and they overlap, an
// extra one, so that no waiting is lost.
func (s *sweep) node(t format.ThreadID) format.ThreadID {
	if s.state[t].wait == 0 {
		return t
	}
	if n := s.state[t].extra; n != format.NoThread {
		s.state[t].extra, s.state[n].extra = s.state[n].extra, format.NoThread
		return n
	}
	n := format.ThreadID(len(s.state))
	s.state = append(s.state, nodeState{})
	s.g.blocked = append(s.g.blocked, blocked{})
	s.owns = append(s.owns, nil)
	return n
}

func (s *sweep) take(o *owners.Ownership) {
	s.held.Push(column.Key{At: o.End, ID: s.keep(o)})
	s.flushLock(o.Lock)
	s.g.own(o.Lock, o.Holder)
	if o.Holder.Kind == OwnerThread {
		t := o.Holder.Thread
		if s.owns[t] = append(s.owns[t], o.Lock); len(s.owns[t]) == 1 {
			if c := s.crowdOf(t); c != nil {
				c.owning = append(c.owning, t)
			}
		}
	}
}

// keep keeps an ownership until its end, and returns its place.
func (s *sweep) keep(o *owners.Ownership) uint32 {
	if n := len(s.free); n > 0 {
		at := s.free[n-1]
		s.free, s.owned[at] = s.free[:n-1], *o
		return at
	}
	s.owned = append(s.owned, *o)
	return uint32(len(s.owned) - 1)
}

func (s *sweep) release(at uint32) {
	o := &s.owned[at]
	s.free = append(s.free, at)
	s.flushLock(o.Lock)
	s.g.disown(o.Lock, o.Holder)
	if o.Holder.Kind == OwnerThread {
		t := o.Holder.Thread
		at := slices.Index(s.owns[t], o.Lock)
		if s.owns[t] = slices.Delete(s.owns[t], at, at+1); len(s.owns[t]) == 0 {
			if c := s.crowdOf(t); c != nil {
				c.disown(t)
			}
		}
	}
}
