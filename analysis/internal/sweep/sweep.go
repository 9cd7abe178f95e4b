// Package sweep turns recorded waits and inferred owners into slices, in order of time.
//
//	sweep.go     the changes of the wait-for graph, one after the other
//	flush.go     emitting the slices that a change ends, of a long queue together
//	openwaits.go the waits in progress at one instant
package sweep

import (
	"math"
	"slices"

	"contend/analysis"
	"contend/analysis/internal/deliver"
	"contend/analysis/internal/graph"
	"contend/analysis/internal/record"
	"contend/analysis/owners"
	"contend/format"
	"contend/format/column"
)

// Sweep iterates over the recorded waits and the rebuilt ownerships in order of time. It
// emits a slice whenever a pointer on a blocked thread's path changes:
//
//  1. take the next change: a wait or an ownership begins or ends;
//  2. find the locks it affects, which are those from which a path leads through the changed
//     lock or thread, by following the pointers backwards;
//  3. emit for their waiters the interval since their last slice, over the graph as it was:
//     waiters of one lock with the same interval are one slice;
//  4. apply the change.
//
// Emission starts and ends with the filter's cut.
//
// The cost is the number of changes times the number of waiters each affects. The waiters
// of a long queue count as one.
type Sweep struct {
	Open openWaits
	tl   *owners.Timelines

	blocks []column.Ref              // waits that have not begun, by start
	next   owners.Activity           // the first of blocks
	takes  []owners.Ownership        // ownerships that have not begun: the current batch
	taking <-chan []owners.Ownership // later batches
	held   column.KeyHeap            // current ownerships, by end
	owned  []owners.Ownership        // the same, by place
	free   []uint32                  // free places in owned
}

// New prepares a sweep. Until Run returns, it decides for e.Cycles whether a deadlock was
// resolved.
func New(r *record.Whole, tl *owners.Timelines, e *deliver.Emitter) *Sweep {
	locks, threads := len(tl.Unowned), max(len(r.Record.Evidence.Lives), r.Activities.Threads(), tl.Owned.Threads)
	owned := tl.Owned.Drain
	if len(deliver.Asking[analysis.HoldVisitor](e)) > 0 { // which read them again
		owned = tl.Owned.Ordered
	}
	s := &Sweep{
		tl:     tl,
		blocks: r.Activities.Starts,
		taking: owned(),
		Open: openWaits{
			r: r,
			e: e,
			g: graph.Graph{
				Blocked: make([]graph.Blocked, threads),
				Owners:  make([][]analysis.Owner, locks),
				Gap:     tl.Unowned,
				Cycles:  &e.Cycles,
				Hops:    &e.Out.Hops,
			},
			threads:        threads,
			state:          make([]nodeState, threads),
			queue:          make([]queue, locks),
			owns:           make([][]format.ObjectID, threads),
			noEarlierStart: format.NoTime,
		},
	}
	s.takes = <-s.taking
	for l := range s.Open.queue {
		s.Open.queue[l].flushed = format.NoTime
	}
	_, last := r.Record.Bounds()
	e.Cycles.Resolved = func(t format.ThreadID) bool {
		w := s.Open.state[t].wait
		if w == 0 {
			return false
		}
		_, end := r.Activities.Span(w - 1)
		return end < last &&
			!slices.ContainsFunc(r.Record.NotEnded, func(u *format.Event) bool { return u.Thread == t && u.End == end })
	}
	return s
}

// Run merges the four kinds of changes. Waits and ownerships that have begun are in heaps,
// ordered by their end: few are current at once, so this costs less than sorting. At one
// instant a release comes before the next acquisition, and a wait ends before the thread's
// next one begins. The order within an instant changes no sum otherwise.
func (s *Sweep) Run() {
	take, block := s.nextTake(), s.nextBlock()
	for {
		kind, at := changeNone, int64(math.MaxInt64)
		if len(s.held) > 0 {
			kind, at = changeRelease, s.held[0].At
		}
		if take < at {
			kind, at = changeTake, take
		}
		if len(s.Open.waiting) > 0 && s.Open.waiting[0].At < at {
			kind, at = changeUnblock, s.Open.waiting[0].At
		}
		if block < at {
			kind, at = changeBlock, block
		}
		if s.Open.now = at; kind != changeNone && at > s.Open.e.To {
			s.stop()
			return
		}
		switch kind {
		case changeRelease:
			s.release(s.held[0].ID)
			s.held.Pop()
		case changeTake:
			s.beginOwnership(&s.takes[0])
			if s.takes = s.takes[1:]; len(s.takes) == 0 {
				s.takes = <-s.taking
			}
			take = s.nextTake()
		case changeUnblock:
			s.unblock(format.ThreadID(s.Open.waiting[0].ID))
			s.Open.waiting.Pop()
		case changeBlock:
			s.block(s.blocks[0])
			s.blocks = s.blocks[1:]
			block = s.nextBlock()
		default:
			return
		}
	}
}

// stop ends the sweep at the end of the cut: nothing after it is charged.
func (s *Sweep) stop() {
	s.Open.flushAll()
	for range s.taking { // lets the sending goroutine end
	}
}

// nextTake returns the start of the next ownership; math.MaxInt64 if there is none.
func (s *Sweep) nextTake() int64 {
	if len(s.takes) == 0 {
		return math.MaxInt64
	}
	return s.takes[0].Start
}

// nextBlock returns the start of the next wait, or math.MaxInt64, and loads the wait into s.next.
func (s *Sweep) nextBlock() int64 {
	if len(s.blocks) == 0 {
		return math.MaxInt64
	}
	s.next = s.Open.r.Activities.Activity(s.blocks[0])
	return s.next.Start
}

// change is a kind of event in the sweep.
type change uint8

const (
	changeNone change = iota
	changeRelease
	changeTake
	changeUnblock
	changeBlock
)

// block begins the wait in s.next, which has reference i.
func (s *Sweep) block(i column.Ref) {
	w := &s.next
	s.Open.e.BookWait(w)
	if w.Start == w.End { // counts as a wait, charges nothing
		s.Open.emitEmpty(*w)
		return
	}
	n := s.node(w.Thread)
	s.Open.flushBehind(n)
	q := &s.Open.queue[w.Lock]
	s.Open.state[n].wait, s.Open.state[n].place = i+1, uint32(len(q.open))
	s.Open.g.Blocked[n] = graph.Blocked{Lock: w.Lock, Stack: w.Stack}
	lo, hi, _ := s.Open.e.Cut(w.Start, w.End)
	one := column.Next(&q.waiters)
	one.Thread = w.Thread
	one.Stack = w.Stack
	one.Mode = w.Mode()
	one.First = true
	one.Failed = w.Failed()
	one.WaitNs = w.End - w.Start
	one.CutNs = hi - lo
	unwanted := !s.Open.e.Wanted(w.Thread, w.Lock, w.End-w.Start)
	q.open = append(q.open, openSlice{max(s.Open.now, s.Open.e.From), n, unwanted})
	s.Open.waiting.Push(column.Key{At: w.End, ID: uint32(n)})
}

// unblock ends the wait of a node.
func (s *Sweep) unblock(n format.ThreadID) {
	s.Open.flushBehind(n)
	st := &s.Open.state[n]
	lock := s.Open.g.Blocked[n].Lock
	q := &s.Open.queue[lock]
	if c := s.Open.groupOf(n); c != nil {
		s.Open.leaveGroup(n, c)
	} else {
		if at := int(st.place); q.open[at].since < s.Open.now {
			s.Open.emit(lock, at, at+1)
		}
		last := len(q.open) - 1 // moves to the free place
		q.open[st.place], q.waiters[st.place] = q.open[last], q.waiters[last]
		s.Open.state[q.open[last].node].place = st.place
		q.open, q.waiters = q.open[:last], q.waiters[:last]
	}
	wait := st.wait - 1
	st.wait = 0
	s.Open.g.Blocked[n] = graph.Blocked{}
	if int(n) >= s.Open.threads {
		own := &s.Open.state[s.Open.r.Activities.Activity(wait).Thread]
		st.extra, own.extra = own.extra, n
	}
}

// node returns a free node for a wait of a thread: the thread's own, or an extra one if the
// thread is in another wait. That happens when two recorders wrote the same waits; no
// waiting is lost.
func (s *Sweep) node(t format.ThreadID) format.ThreadID {
	if s.Open.state[t].wait == 0 {
		return t
	}
	if n := s.Open.state[t].extra; n != format.NoThread {
		s.Open.state[t].extra, s.Open.state[n].extra = s.Open.state[n].extra, format.NoThread
		return n
	}
	n := format.ThreadID(len(s.Open.state))
	s.Open.state = append(s.Open.state, nodeState{})
	s.Open.g.Blocked = append(s.Open.g.Blocked, graph.Blocked{})
	s.Open.owns = append(s.Open.owns, nil)
	return n
}

// beginOwnership begins an ownership.
func (s *Sweep) beginOwnership(o *owners.Ownership) {
	s.held.Push(column.Key{At: o.End, ID: s.keep(o)})
	s.Open.flushLock(o.Lock)
	s.Open.g.AddOwner(o.Lock, o.Owner)
	if o.Owner.Kind == analysis.OwnerThread {
		t := o.Owner.Thread
		if s.Open.owns[t] = append(s.Open.owns[t], o.Lock); len(s.Open.owns[t]) == 1 {
			if c := s.Open.groupOf(t); c != nil {
				c.owning = append(c.owning, t)
			}
		}
	}
}

// keep stores an ownership until its end and returns its place.
func (s *Sweep) keep(o *owners.Ownership) uint32 {
	if n := len(s.free); n > 0 {
		at := s.free[n-1]
		s.free, s.owned[at] = s.free[:n-1], *o
		return at
	}
	s.owned = append(s.owned, *o)
	return uint32(len(s.owned) - 1)
}

// release ends the ownership at a place.
func (s *Sweep) release(at uint32) {
	o := &s.owned[at]
	s.free = append(s.free, at)
	s.Open.flushLock(o.Lock)
	s.Open.g.Disown(o.Lock, o.Owner)
	if o.Owner.Kind == analysis.OwnerThread {
		t := o.Owner.Thread
		at := slices.Index(s.Open.owns[t], o.Lock)
		if s.Open.owns[t] = slices.Delete(s.Open.owns[t], at, at+1); len(s.Open.owns[t]) == 0 {
			if c := s.Open.groupOf(t); c != nil {
				c.disown(t)
			}
		}
	}
}
