package owners

import (
	"contend/analysis/internal/column"
	"contend/format"
)

// parkSlack is how long a thread may be awake between two parks of one
// acquire: it found the lock taken again by a thread that had not queued.
const parkSlack = int64(100e3)

// joinParks makes one wait of the successive parks of one acquire: same
// thread, lock and stack, no activity of the thread in between but samples,
// which may be of the acquire itself. The time awake between them belongs to
// the wait. Monitors are recorded once per wait and are left alone, and what
// timed out is over. The waits of inputs that tell who owned their locks are
// whole, and so are those of inputs that say so. Of waits by start it returns
// those that were not joined to another; the others have no length any more.
func (r *Record) joinParks(starts, others []column.Ref, kind func(format.ObjectID) format.LockKind) []column.Ref {
	var open heads
	kept := starts[:0]
	for _, i := range starts {
		w := r.Waits.At(i)
		for ; len(others) > 0 && r.others.start(others[0]) < w.Start; others = others[1:] {
			open.interrupt(r.others.At(others[0]))
		}
		head := open.of(w.Thread)
		if k := kind(w.Lock); k == format.KindMonitor || k == format.KindUnknownLock || r.input(w.Lock).complete() {
			*head = nil
		} else if *head != nil && (*head).continuedBy(w) {
			continue
		} else {
			*head = w
		}
		kept = append(kept, i)
	}
	return kept
}

// continuedBy joins a park to a wait of the same thread if it goes on with it.
func (w *Wait) continuedBy(next *Wait) bool {
	if w.Failed() || next.Lock != w.Lock || next.Stack != w.Stack || next.Start < w.End || next.Start-w.End > parkSlack {
		return false
	}
	w.End, next.End = next.End, next.Start
	w.last |= next.last & failedBit
	return true
}

// heads are the waits, by thread, that its next park may continue; nil for none.
type heads []*Wait

func (h *heads) of(t format.ThreadID) **Wait {
	for len(*h) <= int(t) {
		*h = append(*h, nil)
	}
	return &(*h)[t]
}

// interrupt ends what a thread's next park may continue if the thread did
// something else since.
func (h *heads) interrupt(o Other) {
	if t := o.Thread(); int(t) < len(*h) && o.End > o.Start {
		if head := (*h)[t]; head != nil && o.Start >= head.End {
			(*h)[t] = nil
		}
	}
}
