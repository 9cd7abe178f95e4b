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
// Nothing else is touched: the cost is the number of changes times the
// waiters each affects, with little to do for each waiter.
type sweep struct {
	r     *record
	tl    *owners.Timelines
	e     *emitter
	g     graph
	now   int64
	state []nodeState         // by thread, extra nodes after them
	queue []queue             // by lock: the threads blocked on it now
	owns  [][]format.ObjectID // by thread: the locks it owns now

	blocks        []column.Ref              // waits that are still to begin, by start
	takes         []owners.Ownership        // the same of ownerships, the first of them
	taking        <-chan []owners.Ownership // those behind
	waiting, held column.KeyHeap            // what has begun, by end: nodes that wait, ownerships by their place
	owned         []owners.Ownership        // that have begun; where it is none of those held, a place is free
	free          []uint32                  // such places

	todo  []format.ObjectID // scratch: the locks a change affects
	mark  []uint32          // by lock: the round it was last found affected
	round uint32
	nodes []format.ThreadID // scratch of emit
	group []Waiter

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
}

// openSlice is the stretch of a waiter that has not been emitted.
type openSlice struct {
	since  int64
	node   format.ThreadID
	hidden bool // by the filter
}

func (r *record) sweep(tl *owners.Timelines, e *emitter, c *cycles) *sweep {
	locks, threads := 0, len(r.Lives)
	for _, i := range r.activities.Starts {
		w := r.Waits.At(i)
		locks = max(locks, int(w.Lock)+1)
		threads = max(threads, int(w.Thread)+1)
	}
	threads = max(threads, tl.Owned.Threads)
	s := &sweep{r: r, tl: tl, e: e,
		g:     graph{blocked: make([]blocked, threads), owners: make([][]owners.Holder, locks), gap: tl.Unowned, cycles: c, hops: &e.out.hops},
		state: make([]nodeState, threads), queue: make([]queue, locks),
		owns: make([][]format.ObjectID, threads), mark: make([]uint32, locks),
		noEarlierStart: format.NoTime, blocks: r.activities.Starts, taking: tl.Owned.Ordered()}
	s.takes = <-s.taking
	_, last := r.bounds()
	c.resolved = func(t format.ThreadID) bool {
		w := s.state[t].wait
		return w > 0 && r.Waits.At(w-1).End < last
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
	for {
		kind, at := changeNone, int64(0)
		earlier := func(k change, t int64) {
			if kind == changeNone || t < at {
				kind, at = k, t
			}
		}
		if len(s.held) > 0 {
			earlier(changeRelease, s.held[0].At)
		}
		if len(s.takes) > 0 {
			earlier(changeTake, s.takes[0].Start)
		}
		if len(s.waiting) > 0 {
			earlier(changeUnblock, s.waiting[0].At)
		}
		if len(s.blocks) > 0 {
			earlier(changeBlock, s.r.Waits.At(s.blocks[0]).Start)
		}
		s.now = at
		switch kind {
		case changeRelease:
			s.release(s.held[0].ID)
			s.held.Pop()
		case changeTake:
			s.take(&s.takes[0])
			if s.takes = s.takes[1:]; len(s.takes) == 0 {
				s.takes = <-s.taking
			}
		case changeUnblock:
			s.unblock(format.ThreadID(s.waiting[0].ID))
			s.waiting.Pop()
		case changeBlock:
			s.block(s.blocks[0])
			s.blocks = s.blocks[1:]
		default:
			return
		}
	}
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

func (s *sweep) block(i column.Ref) {
	w := s.r.Waits.At(i)
	if w.Start == w.End { // counts as a wait, charges nobody
		s.emitEmpty(w)
		return
	}
	n := s.node(w.Thread)
	s.flushBehind(n)
	q := &s.queue[w.Lock]
	s.state[n].wait, s.state[n].place = i+1, uint32(len(q.open))
	s.g.blocked[n] = blocked{w.Lock, w.Stack}
	q.waiters = append(q.waiters, Waiter{Thread: w.Thread, Stack: w.Stack, Mode: w.Mode(), First: true, Failed: w.Failed(), WaitNs: w.End - w.Start})
	q.open = append(q.open, openSlice{s.now, n, !s.e.wanted(w.Thread, w.Lock, w.End-w.Start)})
	s.waiting.Push(column.Key{At: w.End, ID: uint32(n)})
}

func (s *sweep) unblock(n format.ThreadID) {
	s.flushBehind(n)
	st := &s.state[n]
	w := s.r.Waits.At(st.wait - 1)
	q := &s.queue[w.Lock]
	if at := int(st.place); q.open[at].since < s.now {
		s.emit(w.Lock, at, at+1)
	}
	st.wait = 0
	s.g.blocked[n] = blocked{}
	last := len(q.open) - 1 // takes the place of the one that goes
	q.open[st.place], q.waiters[st.place] = q.open[last], q.waiters[last]
	s.state[q.open[last].node].place = st.place
	q.open, q.waiters = q.open[:last], q.waiters[:last]
	if own := &s.state[w.Thread]; n != w.Thread {
		st.extra, own.extra = own.extra, n
	}
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
		s.owns[o.Holder.Thread] = append(s.owns[o.Holder.Thread], o.Lock)
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
		owns := s.owns[o.Holder.Thread]
		at := slices.Index(owns, o.Lock)
		s.owns[o.Holder.Thread] = slices.Delete(owns, at, at+1)
	}
}

// flushLock emits the open slices of all whose path leads through a lock.
func (s *sweep) flushLock(l format.ObjectID) {
	s.begin()
	s.found(l)
	s.flush()
}

// flushBehind emits the open slices of all whose path leads through a thread,
// but not its own.
func (s *sweep) flushBehind(t format.ThreadID) {
	s.begin()
	for _, l := range s.owns[t] {
		s.found(l)
	}
	s.flush()
}

func (s *sweep) begin() {
	s.g.changed()
	s.todo = s.todo[:0]
	s.round++
}

func (s *sweep) found(l format.ObjectID) {
	if s.mark[l] != s.round {
		s.mark[l] = s.round
		s.todo = append(s.todo, l)
	}
}

// flush emits the open slices of the waiters of the locks found, and of all
// that wait for these.
func (s *sweep) flush() {
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
func (s *sweep) emit(l format.ObjectID, from, to int) {
	open, waiters := s.queue[l].open[from:to], s.queue[l].waiters[from:to]
	lo, hi, ok := s.e.cut(open[0].since, s.now)
	s.nodes, s.group = s.nodes[:0], s.group[:0]
	for i := range open {
		if ok && !open[i].hidden {
			s.nodes = append(s.nodes, open[i].node)
			s.group = append(s.group, waiters[i])
			waiters[i].First, waiters[i].WaitNs = false, 0
		}
	}
	if len(s.nodes) > 0 {
		s.promise(len(s.nodes))
		s.e.slice = Slice{Start: lo, End: hi, Lock: l, NoEarlierStart: s.noEarlierStart, Waiters: s.group}
		s.e.book(&s.g, s.nodes)
	}
	for i := range open {
		open[i].since = s.now
	}
}

// promiseEvery is after how many waiters in slices it is found out anew before
// which instant no slice starts any more.
const promiseEvery = 1024

// promise finds that instant: each thread's next slice starts where its last one
// ended.
func (s *sweep) promise(more int) {
	if s.emitted += more; s.emitted < promiseEvery {
		return
	}
	s.emitted = 0
	s.noEarlierStart = s.now
	for _, k := range s.waiting {
		st := &s.state[k.ID]
		s.noEarlierStart = min(s.noEarlierStart, s.queue[s.r.Waits.At(st.wait-1).Lock].open[st.place].since)
	}
}

// emitEmpty emits a wait of length zero.
func (s *sweep) emitEmpty(w *owners.Wait) {
	if _, _, ok := s.e.cut(w.Start, w.End); ok && s.e.wanted(w.Thread, w.Lock, 0) {
		s.group = append(s.group[:0], Waiter{Thread: w.Thread, Stack: w.Stack, Mode: w.Mode(), First: true, Failed: w.Failed()})
		s.e.slice = Slice{Start: w.Start, End: w.End, Lock: w.Lock, NoEarlierStart: s.noEarlierStart, Waiters: s.group}
		s.e.emit()
	}
}
