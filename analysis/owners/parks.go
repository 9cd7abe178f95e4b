package owners

import (
	"contend/format"
	"contend/format/column"
)

// parkSlack is how long a thread may run between two parks of one acquire, in ns: it was woken
// and found the lock taken by a thread that had not queued (barging).
const parkSlack = int64(100e3)

// arranger sorts activities by thread, in order of time, and joins the successive parks of one
// acquire into one wait: those of the same thread, lock and stack with nothing but samples in
// between, which may be taken of the acquire itself. The time between the parks belongs to the
// wait. A park that timed out ends the wait. Waits for monitors are never joined, nor are waits
// of inputs whose waits are complete (see Record.complete).
type arranger struct {
	record  *Record
	store   *store
	kind    func(format.ObjectID) format.LockKind
	buffers []buffer

	starts []column.Ref
	byLock [][]column.Ref // the starts of each lock
	runs   [][]column.Ref // as in Activities
}

// buffer has the activities of a thread that are not stored yet.
type buffer struct {
	list []recorded
	head int // one plus the place of the wait that the next park may continue; 0 for none
}

func newArranger(r *Record, kind func(format.ObjectID) format.LockKind) *arranger {
	a := &arranger{
		record:  r,
		store:   newStore(r.perThread),
		kind:    kind,
		buffers: make([]buffer, len(r.perThread)),
		runs:    make([][]column.Ref, len(r.inputs)),
	}
	a.store.keys = r.table.all.List()
	a.starts = make([]column.Ref, 0, r.Waited())
	var most counts
	for l, n := range r.perLock {
		if n > 0 {
			most.makeRoom(int(r.same(format.ObjectID(l))), n)
		}
	}
	a.byLock = most.lists()
	return a
}

// ordered is a sequence of activities that arrives in batches.
type ordered struct {
	batches <-chan []recorded
	rest    []recorded
}

// next returns the first one left, nil at the end.
func (o *ordered) next() *recorded {
	if len(o.rest) == 0 {
		o.rest = <-o.batches
	}
	if len(o.rest) == 0 {
		return nil
	}
	return &o.rest[0]
}

// others takes the activities, other than waits, that begin before an instant.
func (a *arranger) others(from *ordered, before int64) {
	for o := from.next(); o != nil && (o.start < before || before == maxTime); o = from.next() {
		a.interrupt(o)
		i := a.enqueue(o)
		what := &a.store.keys[o.key>>1]
		if (what.ran() || what.What() == format.ActivitySeen) && what.Stack != format.NoStack &&
			what.had() == format.NoObject {
			in := &a.runs[a.record.reach[o.thread].input]
			*in = append(*in, i)
		}
		from.rest = from.rest[1:]
	}
}

// wait takes a wait, unless it continues another one.
func (a *arranger) wait(w *recorded) {
	what := &a.store.keys[w.key>>1]
	h, joins := &a.buffers[w.thread], true
	if k := a.kind(what.Lock); k == format.KindMonitor || k == format.KindUnknownLock || a.record.complete(what.Lock) {
		h.head, joins = 0, false
	} else if h.head > 0 && a.continues(&h.list[h.head-1], w) {
		return
	}
	lock, i := a.record.same(what.Lock), a.enqueue(w)
	a.starts, a.byLock[lock] = append(a.starts, i), append(a.byLock[lock], i)
	if joins {
		h.head = len(h.list)
	}
}

// continues joins a park to the wait of its thread if it belongs to the same acquire.
func (a *arranger) continues(head, next *recorded) bool {
	h, n := &a.store.keys[head.key>>1], &a.store.keys[next.key>>1]
	if h.info&failedBit != 0 || n.Lock != h.Lock || n.Stack != h.Stack || next.start < head.end ||
		next.start-head.end > parkSlack {
		return false
	}
	head.end = next.end
	if n.info&failedBit != 0 {
		a.fail(head, *h)
	}
	return true
}

// fail notes that a wait ended without the lock.
func (a *arranger) fail(w *recorded, what activityKey) {
	what.info |= failedBit
	n := a.record.table.number(what)
	if int(n) == len(a.store.keys) {
		a.store.keys = append(a.store.keys, what)
	}
	w.key = n << 1
}

// interrupt ends the acquire of a thread that does something else.
func (a *arranger) interrupt(o *recorded) {
	if h := &a.buffers[o.thread]; h.head > 0 && o.end > o.start && o.start >= h.list[h.head-1].end {
		h.head = 0
	}
}

// enqueue adds an activity to those of its thread.
func (a *arranger) enqueue(r *recorded) column.Ref {
	h := &a.buffers[r.thread]
	if len(h.list) >= blockLen {
		a.flush(h, r.start)
	}
	h.list = append(h.list, *r)
	i := a.store.OfThread(r.thread).To + column.Ref(len(h.list)-1)
	// After its last one the buffer is not needed any more.
	if int(a.store.count[r.thread])+len(h.list) == a.record.perThread[r.thread] {
		a.flushAll(h)
	}
	return i
}

// flush stores the first activities of a buffer, unless the next park may still change one.
func (a *arranger) flush(h *buffer, now int64) {
	if h.head > 0 && now-h.list[h.head-1].end > parkSlack {
		h.head = 0
	}
	if h.head > 0 && h.head <= blockLen {
		return
	}
	a.store.addBlock(h.list[:blockLen])
	h.list = h.list[:copy(h.list, h.list[blockLen:])]
	h.head = max(h.head-blockLen, 0)
}

func (a *arranger) flushAll(h *buffer) {
	for list := h.list; len(list) > 0; list = list[min(len(list), blockLen):] {
		a.store.addBlock(list[:min(len(list), blockLen)])
	}
	h.list = nil
}

func (a *arranger) end() {
	for t := range a.buffers {
		a.flushAll(&a.buffers[t])
	}
}
