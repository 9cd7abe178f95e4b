package analysis

import "contend/format"

// parkSlack is how long a thread may be awake between two parks of one
// acquire: it found the lock taken again by a thread that had not queued.
const parkSlack = int64(100e3)

// joinParks makes one wait of the successive parks of one acquire: same
// thread, lock and stack, no doing of the thread in between. The time awake
// between them belongs to the wait. Monitors are recorded once per wait and
// are left alone, and what timed out is over. The waits joined to others are left out
// of r.starts, and have no length any more.
func (r *record) joinParks(sym *Symbols) {
	if r.tenures.len() > 0 {
		return
	}
	var heads []*wait // by thread: what its next park may continue
	kept := r.starts[:0]
	for _, i := range r.starts {
		w := r.waits.at(i)
		k := sym.Object(w.lock).Kind
		if k == format.KindMonitor || k == format.KindUnknownLock {
			kept = append(kept, i)
			continue
		}
		for len(heads) <= int(w.thread) {
			heads = append(heads, nil)
		}
		head := heads[w.thread]
		if head != nil && !head.failed() && w.lock == head.lock && w.stack == head.stack && w.start >= head.end && w.start-head.end <= parkSlack {
			head.end, w.end = w.end, w.start
			head.last |= w.last & failedBit
			continue
		}
		heads[w.thread] = w
		kept = append(kept, i)
	}
	r.starts = kept
}
