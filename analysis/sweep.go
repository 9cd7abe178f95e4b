package analysis

import (
	"cmp"
	"slices"

	"contend/format"
)

// sweep walks through time over the recorded waits and the rebuilt
// ownerships and emits a slice whenever a pointer on a blocked thread's path
// changes:
//
//  1. take the next change: a wait or an ownership begins or ends;
//  2. find the waiters it affects, which are those whose path leads through
//     the changed lock or thread, by following the pointers backwards;
//  3. emit for each of them the stretch since its last slice, over the graph
//     as it was;
//  4. apply the change.
//
// Nothing else is touched: the cost is the number of changes times the
// waiters each affects.
type sweep struct {
	r     *record
	tl    *timelines
	e     *emitter
	g     graph
	now   int64
	state []nodeState         // by thread, shadows after them
	queue [][]format.ThreadID // by lock: the threads blocked on it now
	owns  [][]format.ObjectID // by thread: the locks it owns now
	todo  []format.ThreadID   // scratch: the threads a change affects
	mark  []uint32            // by thread: the round it was last found affected
	round uint32
}

// nodeState is the open slice of a blocked thread.
type nodeState struct {
	wait   uint32 // index+1 into the waits, 0 when not blocked
	since  int64
	begun  bool            // a slice of this wait has been emitted
	shadow format.ThreadID // takes a wait that overlaps this one
}

func (r *record) sweep(tl *timelines, e *emitter, c *cycles) {
	locks, threads := 0, len(r.lives)
	for i := range r.waits {
		locks = max(locks, int(r.waits[i].lock)+1)
		threads = max(threads, int(r.waits[i].thread)+1)
	}
	for i := range tl.owned {
		threads = max(threads, int(tl.owned[i].holder.thread)+1)
	}
	s := &sweep{r: r, tl: tl, e: e,
		g:     graph{blocked: make([]blocked, threads), owners: make([][]holder, locks), gap: tl.gap, cycles: c},
		state: make([]nodeState, threads), queue: make([][]format.ThreadID, locks),
		owns: make([][]format.ObjectID, threads), mark: make([]uint32, threads)}
	_, last := r.bounds()
	c.resolved = func(t format.ThreadID) bool {
		w := s.state[t].wait
		return w > 0 && r.waits[w-1].end < last
	}
	s.run()
}

// run merges the four sorted sequences of changes. At one instant an owner
// lets go before the next one takes over, and a wait ends before the thread's
// next one begins; beyond that, order within an instant changes no sum.
func (s *sweep) run() {
	w, o := s.r.waits, s.tl.owned
	order := [...]*sequence{
		newSequence(len(o), func(i uint32) int64 { return o[i].end }, s.release),
		newSequence(len(o), func(i uint32) int64 { return o[i].start }, s.take),
		newSequence(len(w), func(i uint32) int64 { return w[i].end }, s.unblock),
		newSequence(len(w), func(i uint32) int64 { return w[i].start }, s.block),
	}
	for {
		var first *sequence
		for _, q := range order {
			if len(q.rest) > 0 && (first == nil || q.next() < first.next()) {
				first = q
			}
		}
		if first == nil {
			return
		}
		s.now = first.next()
		i := first.rest[0]
		first.rest = first.rest[1:]
		first.apply(i)
	}
}

// sequence is one kind of change, in order of time.
type sequence struct {
	rest  []uint32
	at    func(uint32) int64
	apply func(uint32)
}

func (q *sequence) next() int64 { return q.at(q.rest[0]) }

func newSequence(n int, at func(uint32) int64, apply func(uint32)) *sequence {
	q := &sequence{rest: make([]uint32, n), at: at, apply: apply}
	for i := range q.rest {
		q.rest[i] = uint32(i)
	}
	slices.SortStableFunc(q.rest, func(a, b uint32) int { return cmp.Compare(at(a), at(b)) })
	return q
}

func (s *sweep) block(i uint32) {
	w := &s.r.waits[i]
	if w.start == w.end {
		return // unblock has counted it
	}
	n := s.node(w.thread)
	s.flushBehind(n)
	s.state[n] = nodeState{wait: i + 1, since: s.now, shadow: s.state[n].shadow}
	s.g.blocked[n] = blocked{w.lock, w.stack}
	s.queue[w.lock] = append(s.queue[w.lock], n)
}

func (s *sweep) unblock(i uint32) {
	w := &s.r.waits[i]
	if w.start == w.end { // counts as a wait, charges nobody
		s.emitEmpty(w)
		return
	}
	n := w.thread
	for s.state[n].wait != i+1 {
		n = s.state[n].shadow
	}
	s.flushBehind(n)
	s.flush(n)
	s.state[n].wait = 0
	s.g.blocked[n] = blocked{}
	q := s.queue[w.lock]
	at := slices.Index(q, n)
	s.queue[w.lock] = slices.Delete(q, at, at+1)
}

// node returns a free node for one more wait of a thread: the thread's own,
// or, where two recorders wrote the same thread's waits and they overlap, a
// shadow of it, so that no waiting is lost.
func (s *sweep) node(t format.ThreadID) format.ThreadID {
	n := t
	for s.state[n].wait != 0 {
		if s.state[n].shadow == format.NoThread {
			s.state[n].shadow = format.ThreadID(len(s.state))
			s.state = append(s.state, nodeState{})
			s.g.blocked = append(s.g.blocked, blocked{})
			s.owns = append(s.owns, nil)
			s.mark = append(s.mark, 0)
		}
		n = s.state[n].shadow
	}
	return n
}

func (s *sweep) take(i uint32) {
	o := &s.tl.owned[i]
	s.flushLock(o.lock)
	s.g.own(o.lock, o.holder)
	if o.holder.kind == OwnerThread {
		s.owns[o.holder.thread] = append(s.owns[o.holder.thread], o.lock)
	}
}

func (s *sweep) release(i uint32) {
	o := &s.tl.owned[i]
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
	s.found(s.queue[l])
	s.drain()
}

// flushBehind emits the open slices of all whose path leads through a thread,
// but not its own.
func (s *sweep) flushBehind(t format.ThreadID) {
	s.begin()
	for _, l := range s.owns[t] {
		s.found(s.queue[l])
	}
	s.drain()
}

func (s *sweep) begin() {
	s.todo = s.todo[:0]
	s.round++
}

func (s *sweep) found(waiters []format.ThreadID) {
	for _, t := range waiters {
		if s.mark[t] != s.round {
			s.mark[t] = s.round
			s.todo = append(s.todo, t)
		}
	}
}

func (s *sweep) drain() {
	for i := 0; i < len(s.todo); i++ {
		t := s.todo[i]
		s.flush(t)
		for _, l := range s.owns[t] {
			s.found(s.queue[l])
		}
	}
}

// flush emits the open slice of a thread, if it has any length.
func (s *sweep) flush(t format.ThreadID) {
	if st := &s.state[t]; st.wait != 0 && st.since < s.now {
		s.emit(t, st.since, s.now)
		st.since = s.now
	}
}

func (s *sweep) emit(n format.ThreadID, lo, hi int64) {
	st := &s.state[n]
	w := &s.r.waits[st.wait-1]
	lo, hi, ok := s.e.cut(lo, hi)
	if !ok || !s.e.wanted(w.thread, w.lock, w.end-w.start) {
		return
	}
	s.e.slice = Slice{Start: lo, End: hi, Thread: w.thread, Stack: w.stack, Lock: w.lock, Mode: w.mode,
		First: !st.begun, Shares: s.g.push(n, lo, hi)}
	if !st.begun {
		s.e.slice.WaitNs = w.end - w.start
	}
	st.begun = true
	s.e.emit()
}

// emitEmpty emits a wait of length zero.
func (s *sweep) emitEmpty(w *wait) {
	if _, _, ok := s.e.cut(w.start, w.end); ok && s.e.wanted(w.thread, w.lock, 0) {
		s.e.slice = Slice{Start: w.start, End: w.end, Thread: w.thread, Stack: w.stack, Lock: w.lock, Mode: w.mode, First: true}
		s.e.emit()
	}
}
