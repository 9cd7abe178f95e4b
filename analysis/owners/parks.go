package owners

import (
	"contend/analysis/internal/column"
	"contend/format"
)

// parkSlack is how long a thread may be awake between two parks of one
// acquire: it found the lock taken again by a thread that had not queued.
const parkSlack = int64(100e3)

// dealer deals activities out to their threads, in order of time, and makes one
// wait of the successive parks of one acquire: same thread, lock and stack, no
// activity of the thread in between but samples, which may be of the acquire
// itself. The time awake between them belongs to the wait. Monitors are recorded
// once per wait and are left alone, and what timed out is over. The waits of
// inputs that tell who owned their locks are whole, and so are those of inputs
// that say so.
type dealer struct {
	*Record
	*store
	kind  func(format.ObjectID) format.LockKind
	hands []hand
	most  counts // how many activities each thread has, at most

	starts, runs []column.Ref
	byLock       [][]column.Ref // the starts of each lock
}

// hand is the activities of a thread that were dealt to it and not stored.
type hand struct {
	list []recorded
	head int // that of the wait which its next park may continue, plus one; 0 for none
}

func newDealer(r *Record, kind func(format.ObjectID) format.LockKind) *dealer {
	d := &dealer{Record: r, store: newStore(r.perThread), kind: kind, hands: make([]hand, len(r.perThread)), most: r.perThread}
	d.what = r.doers.list()
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

// ordered is what comes in order, in batches.
type ordered struct {
	batches <-chan []recorded
	rest    []recorded
}

// next returns the first there is; nil at the end.
func (o *ordered) next() *recorded {
	if len(o.rest) == 0 {
		o.rest = <-o.batches
	}
	if len(o.rest) == 0 {
		return nil
	}
	return &o.rest[0]
}

// others deals those that begin before an instant.
func (d *dealer) others(from *ordered, before int64) {
	for o := from.next(); o != nil && (o.start < before || before == maxTime); o = from.next() {
		d.interrupt(o)
		i := d.deal(o)
		what := &d.what[o.doer>>1]
		if (what.ran() || what.does() == format.ActivitySeen) && what.stack != format.NoStack && what.had() == format.NoObject {
			d.runs = append(d.runs, i)
		}
		from.rest = from.rest[1:]
	}
}

// wait deals a wait, unless it continues another.
func (d *dealer) wait(w *recorded) {
	what := &d.what[w.doer>>1]
	h, joins := &d.hands[w.thread], true
	if k := d.kind(what.lock); k == format.KindMonitor || k == format.KindUnknownLock || d.input(what.lock).complete() {
		h.head, joins = 0, false
	} else if h.head > 0 && d.continues(&h.list[h.head-1], w) {
		return
	}
	lock, i := d.same(what.lock), d.deal(w)
	d.starts, d.byLock[lock] = append(d.starts, i), append(d.byLock[lock], i)
	if joins {
		h.head = len(h.list)
	}
}

// continues joins a park to a wait of the same thread if it goes on with it.
func (d *dealer) continues(head, next *recorded) bool {
	h, n := &d.what[head.doer>>1], &d.what[next.doer>>1]
	if h.info&failedBit != 0 || n.lock != h.lock || n.stack != h.stack || next.start < head.end || next.start-head.end > parkSlack {
		return false
	}
	head.end = next.end
	if n.info&failedBit != 0 {
		d.fail(head, *h)
	}
	return true
}

// fail notes that a wait ended without the lock.
func (d *dealer) fail(w *recorded, what doer) {
	what.info |= failedBit
	n := d.Record.doers.number(what)
	if int(n) == len(d.what) {
		d.what = append(d.what, what)
	}
	w.doer = n << 1
}

// interrupt ends what a thread's next park may continue if the thread did
// something else since.
func (d *dealer) interrupt(o *recorded) {
	if h := &d.hands[o.thread]; h.head > 0 && o.end > o.start && o.start >= h.list[h.head-1].end {
		h.head = 0
	}
}

// deal gives an activity to its thread.
func (d *dealer) deal(r *recorded) column.Ref {
	h := &d.hands[r.thread]
	if len(h.list) >= blockLen {
		d.put(h, r.start)
	}
	h.list = append(h.list, *r)
	i := d.Of(r.thread).To + column.Ref(len(h.list)-1)
	if int(d.count[r.thread])+len(h.list) == d.most[r.thread] { // as of most of many threads, soon
		d.putAll(h)
	}
	return i
}

// put stores the first activities of a hand if nothing can change them any more.
func (d *dealer) put(h *hand, now int64) {
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

// putAll stores what is left.
func (d *dealer) putAll(h *hand) {
	for list := h.list; len(list) > 0; list = list[min(len(list), blockLen):] {
		d.add(list[:min(len(list), blockLen)])
	}
	h.list = nil
}

// end stores what is left.
func (d *dealer) end() {
	for t := range d.hands {
		d.putAll(&d.hands[t])
	}
}
