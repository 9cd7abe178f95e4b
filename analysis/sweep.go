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
	tl    *owners.Timelines
	e     *emitter
	g     graph
	now   int64
	state []nodeState         // by thread, shadows after them
	queue [][]format.ThreadID // by lock: the threads blocked on it now
	owns  [][]format.ObjectID // by thread: the locks it owns now

	blocks, takes []column.Ref   // what is still to begin: waits and ownerships, by start
	waiting, held column.KeyHeap // what has begun, by end: nodes that wait, ownerships

	todo  []format.ThreadID // scratch: the threads a change affects
	mark  []uint32          // by thread: the round it was last found affected
	round uint32

	emitted int   // slices
	settled int64 // see Slice
}

// nodeState is the open slice of a blocked thread.
type nodeState struct {
	wait   column.Ref // of the wait, plus one; 0 when not blocked
	since  int64
	begun  bool            // a slice of this wait has been emitted
	shadow format.ThreadID // the first of the thread's free shadows; of a free shadow the next
	place  uint32          // in the queue of the lock
}

func (r *record) sweep(tl *owners.Timelines, e *emitter, c *cycles) {
	locks, threads := 0, len(r.Lives)
	for _, i := range r.activities.Starts {
		w := r.Waits.At(i)
		locks = max(locks, int(w.Lock)+1)
		threads = max(threads, int(w.Thread)+1)
	}
	tl.Owned.Each(func(_ column.Ref, o *owners.Ownership) { threads = max(threads, int(o.Holder.Thread)+1) })
	s := &sweep{r: r, tl: tl, e: e,
		g:     graph{blocked: make([]blocked, threads), owners: make([][]owners.Holder, locks), gap: tl.Unowned, cycles: c},
		state: make([]nodeState, threads), queue: make([][]format.ThreadID, locks),
		owns: make([][]format.ObjectID, threads), mark: make([]uint32, threads),
		settled: format.NoTime, blocks: r.activities.Starts, takes: tl.Owned.Order()}
	_, last := r.bounds()
	c.resolved = func(t format.ThreadID) bool {
		w := s.state[t].wait
		return w > 0 && r.Waits.At(w-1).End < last
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
			earlier(changeRelease, s.held[0].At)
		}
		if len(s.takes) > 0 {
			earlier(changeTake, s.tl.Owned.At(s.takes[0]).Start)
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
			s.take(s.takes[0])
			s.takes = s.takes[1:]
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
	st := &s.state[n]
	st.wait, st.since, st.begun, st.place = i+1, s.now, false, uint32(len(s.queue[w.Lock]))
	s.g.blocked[n] = blocked{w.Lock, w.Stack}
	s.queue[w.Lock] = append(s.queue[w.Lock], n)
	s.waiting.Push(column.Key{At: w.End, ID: uint32(n)})
}

func (s *sweep) unblock(n format.ThreadID) {
	s.flushBehind(n)
	s.flush(n)
	st := &s.state[n]
	w := s.r.Waits.At(st.wait - 1)
	st.wait = 0
	s.g.blocked[n] = blocked{}
	q := s.queue[w.Lock]
	moved := q[len(q)-1] // takes the place of the one that goes
	q[st.place], s.state[moved].place = moved, st.place
	s.queue[w.Lock] = q[:len(q)-1]
	if own := &s.state[w.Thread]; n != w.Thread {
		st.shadow, own.shadow = own.shadow, n
	}
}

// node returns a free node for one more wait of a thread: the thread's own,
// or, where two recorders wrote the same thread's waits and they overlap, a
// shadow of it, so that no waiting is lost.
func (s *sweep) node(t format.ThreadID) format.ThreadID {
	if s.state[t].wait == 0 {
		return t
	}
	if n := s.state[t].shadow; n != format.NoThread {
		s.state[t].shadow, s.state[n].shadow = s.state[n].shadow, format.NoThread
		return n
	}
	n := format.ThreadID(len(s.state))
	s.state = append(s.state, nodeState{})
	s.g.blocked = append(s.g.blocked, blocked{})
	s.owns = append(s.owns, nil)
	s.mark = append(s.mark, 0)
	return n
}

func (s *sweep) take(i column.Ref) {
	o := s.tl.Owned.At(i)
	s.held.Push(column.Key{At: o.End, ID: i})
	s.flushLock(o.Lock)
	s.g.own(o.Lock, o.Holder)
	if o.Holder.Kind == OwnerThread {
		s.owns[o.Holder.Thread] = append(s.owns[o.Holder.Thread], o.Lock)
	}
}

func (s *sweep) release(i column.Ref) {
	o := s.tl.Owned.At(i)
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
	w := s.r.Waits.At(st.wait - 1)
	lo, hi, ok := s.e.cut(lo, hi)
	if !ok || !s.e.wanted(w.Thread, w.Lock, w.End-w.Start) {
		return
	}
	s.settle()
	s.e.slice = Slice{Start: lo, End: hi, Thread: w.Thread, Stack: w.Stack, Lock: w.Lock, Mode: w.Mode(), Settled: s.settled,
		First: !st.begun, Shares: s.g.push(n, lo, hi)}
	if !st.begun {
		s.e.slice.WaitNs, s.e.slice.Failed = w.End-w.Start, w.Failed()
	}
	st.begun = true
	s.e.emit()
}

// settleEvery is after how many slices what is settled is found out anew.
const settleEvery = 1024

// settle finds the instant before which no further slice starts: each thread's
// next one starts where its last one ended.
func (s *sweep) settle() {
	if s.emitted++; s.emitted%settleEvery != 0 {
		return
	}
	s.settled = s.now
	for _, k := range s.waiting {
		s.settled = min(s.settled, s.state[k.ID].since)
	}
}

// emitEmpty emits a wait of length zero.
func (s *sweep) emitEmpty(w *owners.Wait) {
	if _, _, ok := s.e.cut(w.Start, w.End); ok && s.e.wanted(w.Thread, w.Lock, 0) {
		s.e.slice = Slice{Start: w.Start, End: w.End, Thread: w.Thread, Stack: w.Stack, Lock: w.Lock, Mode: w.Mode(), Settled: s.settled, First: true}
		s.e.emit()
	}
}
