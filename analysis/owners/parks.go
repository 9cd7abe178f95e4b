package owners

import (
	"contend/analysis/internal/column"
	"contend/format"
)

// parkSlack is how long a thread may run between two parks of one acquire, in ns: it was woken
// and found the lock taken by a thread that had not queued (barging).
const parkSlack = int64(100e3)

// arranger sorts activities by thread, in order of time, and joins the successive parks of one
// acquire into one wait: those of the same thread, lock and stack with nothing but samples in
// between, which may be taken of the acquire itself. The time between the parks belongs to the
// wait. A park that timed out ends the wait. Waits for monitors are never joined, nor are waits
// of inputs whose waits are complete (see input.complete).
type arranger struct {
	*Record
	*store
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
	d := &arranger{Record: r, store: newStore(r.perThread), kind: kind, buffers: make([]buffer, len(r.perThread)), runs: make([][]column.Ref, len(r.inputs))}
	d.keys = r.table.list()
	d.starts = make([]column.Ref, 0, r.Waited())
	var most counts
	for l, n := range r.perLock {
		if n > 0 {
			most.add(int(r.same(format.ObjectID(l))), n)
		}
	}
	d.byLock = most.lists()
	return d
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
func (d *arranger) others(from *ordered, before int64) {
	for o := from.next(); o != nil && (o.start < before || before == maxTime); o = from.next() {
		d.interrupt(o)
		i := d.enqueue(o)
		what := &d.keys[o.key>>1]
		if (what.ran() || what.What() == format.ActivitySeen) && what.Stack != format.NoStack && what.had() == format.NoObject {
			in := &d.runs[d.doneIn[o.thread]]
			*in = append(*in, i)
		}
		from.rest = from.rest[1:]
	}
}

// wait takes a wait, unless it continues another one.
func (d *arranger) wait(w *recorded) {
	what := &d.keys[w.key>>1]
	h, joins := &d.buffers[w.thread], true
	if k := d.kind(what.Lock); k == format.KindMonitor || k == format.KindUnknownLock || d.input(what.Lock).complete() {
		h.head, joins = 0, false
	} else if h.head > 0 && d.continues(&h.list[h.head-1], w) {
		return
	}
	lock, i := d.same(what.Lock), d.enqueue(w)
	d.starts, d.byLock[lock] = append(d.starts, i), append(d.byLock[lock], i)
	if joins {
		h.head = len(h.list)
	}
}

// continues joins a park to the wait of its thread if it belongs to the same acquire.
func (d *arranger) continues(head, next *recorded) bool {
	h, n := &d.keys[head.key>>1], &d.keys[next.key>>1]
	if h.info&failedBit != 0 || n.Lock != h.Lock || n.Stack != h.Stack || next.start < head.end || next.start-head.end > parkSlack {
		return false
	}
	head.end = next.end
	if n.info&failedBit != 0 {
		d.fail(head, *h)
	}
	return true
}

// fail notes that a wait ended without the lock.
func (d *arranger) fail(w *recorded, what activityKey) {
	what.info |= failedBit
	n := d.Record.table.number(what)
	if int(n) == len(d.keys) {
		d.keys = append(d.keys, what)
	}
	w.key = n << 1
}

// interrupt ends the acquire of a thread that does something else.
func (d *arranger) interrupt(o *recorded) {
	if h := &d.buffers[o.thread]; h.head > 0 && o.end > o.start && o.start >= h.list[h.head-1].end {
		h.head = 0
	}
}

// enqueue adds an activity to those of its thread.
func (d *arranger) enqueue(r *recorded) column.Ref {
	h := &d.buffers[r.thread]
	if len(h.list) >= blockLen {
		d.flush(h, r.start)
	}
	h.list = append(h.list, *r)
	i := d.Of(r.thread).To + column.Ref(len(h.list)-1)
	if int(d.count[r.thread])+len(h.list) == d.perThread[r.thread] { // its last one: the buffer is not needed any more
		d.flushAll(h)
	}
	return i
}

// flush stores the first activities of a buffer, unless the next park may still change one.
func (d *arranger) flush(h *buffer, now int64) {
	if h.head > 0 && now-h.list[h.head-1].end > parkSlack {
		h.head = 0
	}
	if h.head > 0 && h.head <= blockLen {
		return
	}
	d.add(h.list[:blockLen])
	h.list = h.list[:copy(h.list, h.list[blockLen:])]
	h.head = max(h.head-blockLen, 0)
}

func (d *arranger) flushAll(h *buffer) {
	for list := h.list; len(list) > 0; list = list[min(len(list), blockLen):] {
		d.add(list[:min(len(list), blockLen)])
	}
	h.list = nil
}

func (d *arranger) end() {
	for t := range d.buffers {
		d.flushAll(&d.buffers[t])
	}
}
