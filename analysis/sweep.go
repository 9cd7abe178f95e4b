package analysis

import (
	"slices"

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
	tl    *timelines
	e     *emitter
	g     graph
	now   int64
	state []nodeState         // by thread, extra nodes after them
	queue []queue             // by lock: the threads blocked on it now
	owns  [][]format.ObjectID // by thread: the locks it owns now

	blocks, takes []ref   // what is still to begin: waits and ownerships, by start
	waiting, held keyHeap // what has begun, by end: nodes that wait, ownerships

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
	wait  ref             // of the wait, plus one; 0 when not blocked
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

func (r *record) sweep(tl *timelines, e *emitter, c *cycles) {
	locks, threads := 0, len(r.lives)
	for _, i := range r.starts {
		w := r.waits.at(i)
		locks = max(locks, int(w.lock)+1)
		threads = max(threads, int(w.thread)+1)
	}
	tl.owned.each(func(o *ownership) { threads = max(threads, int(o.holder.thread)+1) })
	s := &sweep{r: r, tl: tl, e: e,
		g:     graph{blocked: make([]blocked, threads), owners: make([][]holder, locks), gap: tl.gap, cycles: c, hops: &e.out.hops},
		state: make([]nodeState, threads), queue: make([]queue, locks),
		owns: make([][]format.ObjectID, threads), mark: make([]uint32, locks),
		noEarlierStart: format.NoTime, blocks: r.starts, takes: tl.owned.order()}
	_, last := r.bounds()
	c.resolved = func(t format.ThreadID) bool {
		w := s.state[t].wait
		return w > 0 && r.waits.at(w-1).end < last
	}
	s.run()
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
			earlier(changeRelease, s.held[0].at)
		}
		if len(s.takes) > 0 {
			earlier(changeTake, s.tl.owned.at(s.takes[0]).start)
		}
		if len(s.waiting) > 0 {
			earlier(changeUnblock, s.waiting[0].at)
		}
		if len(s.blocks) > 0 {
			earlier(changeBlock, s.r.waits.at(s.blocks[0]).start)
		}
		s.now = at
		switch kind {
		case changeRelease:
			s.release(s.held[0].id)
			s.held.pop()
		case changeTake:
			s.take(s.takes[0])
			s.takes = s.takes[1:]
		case changeUnblock:
			s.unblock(format.ThreadID(s.waiting[0].id))
			s.waiting.pop()
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

func (s *sweep) block(i ref) {
	w := s.r.waits.at(i)
	if w.start == w.end { // counts as a wait, charges nobody
		s.emitEmpty(w)
		return
	}
	n := s.node(w.thread)
	s.flushBehind(n)
	q := &s.queue[w.lock]
	s.state[n].wait, s.state[n].place = i+1, uint32(len(q.open))
	s.g.blocked[n] = blocked{w.lock, w.stack}
	q.waiters = append(q.waiters, Waiter{Thread: w.thread, Stack: w.stack, Mode: w.mode(), First: true, WaitNs: w.end - w.start})
	q.open = append(q.open, openSlice{s.now, n, !s.e.wanted(w.thread, w.lock, w.end-w.start)})
	s.waiting.push(keyed{w.end, uint32(n)})
}

func (s *sweep) unblock(n format.ThreadID) {
	s.flushBehind(n)
	st := &s.state[n]
	w := s.r.waits.at(st.wait - 1)
	q := &s.queue[w.lock]
	if at := int(st.place); q.open[at].since < s.now {
		s.emit(w.lock, at, at+1)
	}
	st.wait = 0
	s.g.blocked[n] = blocked{}
	last := len(q.open) - 1 // takes the place of the one that goes
	q.open[st.place], q.waiters[st.place] = q.open[last], q.waiters[last]
	s.state[q.open[last].node].place = st.place
	q.open, q.waiters = q.open[:last], q.waiters[:last]
	if own := &s.state[w.thread]; n != w.thread {
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

func (s *sweep) take(i ref) {
	o := s.tl.owned.at(i)
	s.held.push(keyed{o.end, i})
	s.flushLock(o.lock)
	s.g.own(o.lock, o.holder)
	if o.holder.kind == OwnerThread {
		s.owns[o.holder.thread] = append(s.owns[o.holder.thread], o.lock)
	}
}

func (s *sweep) release(i ref) {
	o := s.tl.owned.at(i)
	s.flushLock(o.lock)
	s.g.disown(o.lock, o.holder)
	if o.holder.kind == OwnerThread {
		owns := s.owns[o.holder.thread]
		at := slices.Index(owns, o.lock)
		s.owns[o.holder.thread] = slices.Delete(owns, at, at+1)
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
		s.settle(len(s.nodes))
		s.e.slice = Slice{Start: lo, End: hi, Lock: l, NoEarlierStart: s.noEarlierStart, Waiters: s.group}
		s.e.book(&s.g, s.nodes)
	}
	for i := range open {
		open[i].since = s.now
	}
}

// settleEvery is after how many waiters in slices it is found out anew before
// which instant no slice starts any more.
const settleEvery = 1024

// settle finds that instant: each thread's next slice starts where its last one
// ended.
func (s *sweep) settle(more int) {
	if s.emitted += more; s.emitted < settleEvery {
		return
	}
	s.emitted = 0
	s.noEarlierStart = s.now
	for _, k := range s.waiting {
		st := &s.state[k.id]
		s.noEarlierStart = min(s.noEarlierStart, s.queue[s.r.waits.at(st.wait-1).lock].open[st.place].since)
	}
}

// emitEmpty emits a wait of length zero.
func (s *sweep) emitEmpty(w *wait) {
	if _, _, ok := s.e.cut(w.start, w.end); ok && s.e.wanted(w.thread, w.lock, 0) {
		s.group = append(s.group[:0], Waiter{Thread: w.thread, Stack: w.stack, Mode: w.mode(), First: true})
		s.e.slice = Slice{Start: w.start, End: w.end, Lock: w.lock, NoEarlierStart: s.noEarlierStart, Waiters: s.group}
		s.e.emit()
	}
}
