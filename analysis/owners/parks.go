package owners

import (
	"contend/analysis/internal/column"
	"contend/format"
)

// parkSlack is how long a thread may be awake between two parks of one
// acquire: it found the lock taken again by a thread that had not queued.
const parkSlack = int64(100e3)

// joinParks makes one wait of the successive parks of one acquire: same
// thread, lock and stack, no activity of the thread in between. The time awake
// between them belongs to the wait. Monitors are recorded once per wait and
// are left alone, and what timed out is over. The waits of inputs that tell who
// owned their locks are whole, and so are those of inputs that say so. Of waits
// by start it returns those that were not joined to
// another; the others have no length any more.
func (r *Record) joinParks(starts []column.Ref, kind func(format.ObjectID) format.LockKind) []column.Ref {
	var heads []*Wait // by thread: what its next park may continue
	kept := starts[:0]
	for _, i := range starts {
		w := r.Waits.At(i)
		k := kind(w.Lock)
		if in := r.input(w.Lock); k == format.KindMonitor || k == format.KindUnknownLock || in.tenures || in.whole {
			kept = append(kept, i)
			continue
		}
		for len(heads) <= int(w.Thread) {
			heads = append(heads, nil)
		}
		head := heads[w.Thread]
		if head != nil && !head.Failed() && w.Lock == head.Lock && w.Stack == head.Stack && w.Start >= head.End && w.Start-head.End <= parkSlack {
			head.End, w.End = w.End, w.Start
			head.last |= w.last & failedBit
			continue
		}
		heads[w.Thread] = w
		kept = append(kept, i)
	}
	return kept
}
