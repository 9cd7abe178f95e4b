package analysis

import (
	"cmp"
	"slices"

	"contend/format"
)

// parkSlack is how long a thread may be awake between two parks of one
// acquire: it found the lock taken again by a thread that had not queued.
const parkSlack = int64(100e3)

// joinParks makes one wait of the successive parks of one acquire: same
// thread, lock and stack, no doing of the thread in between. The time awake
// between them belongs to the wait. Monitors are recorded once per wait and
// are left alone.
func (r *record) joinParks(sym *Symbols) {
	byThread := map[format.ThreadID][]uint32{}
	for i := range r.waits {
		if k := sym.Object(r.waits[i].lock).Kind; k != format.KindMonitor && k != format.KindUnknownLock && len(r.tenures) == 0 {
			byThread[r.waits[i].thread] = append(byThread[r.waits[i].thread], uint32(i))
		}
	}
	gone := map[uint32]bool{}
	for _, list := range byThread {
		slices.SortFunc(list, func(a, b uint32) int { return cmp.Compare(r.waits[a].start, r.waits[b].start) })
		head := &r.waits[list[0]]
		for _, i := range list[1:] {
			w := &r.waits[i]
			if w.lock == head.lock && w.stack == head.stack && w.start >= head.end && w.start-head.end <= parkSlack {
				head.end = w.end
				head.parks++
				gone[i] = true
				continue
			}
			head = w
		}
	}
	if len(gone) == 0 {
		return
	}
	kept := r.waits[:0]
	for i := range r.waits {
		if !gone[uint32(i)] {
			kept = append(kept, r.waits[i])
		}
	}
	r.waits = kept
}
