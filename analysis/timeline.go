package analysis

import (
	"cmp"
	"slices"
	"sync"

	"contend/format"
)

// ownership is one owner of one lock over [start, end), however it is known.
type ownership struct {
	start, end int64
	lock       format.ObjectID
	holder     holder
}

// timelines says who owned each contended lock while somebody waited for it.
// Locks whose tenures the trace recorded are taken from there; the others are
// rebuilt from evidence.
type timelines struct {
	owned pile[ownership] // in no order
	gap   []Owner         // by lock: whom the stretches without an owner are charged to

	unlinked int // contended locks of thread dumps that match no recorded wait
}

// timelines says who owned each lock. It begins to rebuild the owners and
// leaves the symbols alone from then on, but for reading them; they are
// complete once the function it returns has returned.
func (r *record) timelines(sym *Symbols) (tl *timelines, rebuilt func()) {
	r.indexing.Wait()
	byLock := r.byLock
	tl = &timelines{gap: make([]Owner, len(byLock))}
	tl.owned.start = func(o *ownership) int64 { return o.start }
	for l := range byLock {
		tl.gap[l] = Owner{Kind: OwnerUnknown, Prov: Unknown}
	}
	recorded := r.recordedTenures(tl, byLock)
	ev := r.evidence(sym, byLock)
	tl.unlinked = ev.missed
	var unknown []format.ObjectID
	for l, waits := range byLock {
		if len(waits) > 0 && !recorded[l] {
			unknown = append(unknown, format.ObjectID(l))
		}
	}
	var rebuilding sync.WaitGroup
	rebuilding.Go(func() { ev.rebuildAll(unknown, byLock, &tl.owned) })
	return tl, rebuilding.Wait
}

// recordedTenures takes the owners the trace itself tells; recorded says of
// which locks.
func (r *record) recordedTenures(tl *timelines, byLock [][]ref) (recorded []bool) {
	recorded = make([]bool, len(byLock))
	if r.tenures.len() == 0 {
		return recorded
	}
	busy := make([][]span, len(byLock))
	for l, waits := range byLock {
		busy[l] = r.busy(waits)
	}
	r.tenures.each(func(t *tenure) {
		if int(t.lock) < len(byLock) {
			recorded[t.lock] = true
			tl.gap[t.lock] = Owner{Kind: OwnerHandoff, Prov: r.tenureProv}
			tl.addTenure(t, r.tenureProv, r.endOf(t.thread), busy[t.lock])
		}
	})
	return recorded
}

// addTenure keeps the parts of a tenure somebody waited through. An owner
// that has ended without releasing the lock left the trace.
func (tl *timelines) addTenure(t *tenure, prov Provenance, died int64, busy []span) {
	h := holder{kind: OwnerThread, prov: prov, thread: t.thread, stack: t.stack}
	if t.thread == format.NoThread {
		h = holder{kind: OwnerUnknown, prov: Unknown}
	}
	if died != format.NoTime && died < t.end {
		tl.addBusy(ownership{t.start, died, t.lock, h}, busy)
		tl.addBusy(ownership{max(died, t.start), t.end, t.lock, holder{kind: OwnerExternal, prov: prov}}, busy)
		return
	}
	tl.addBusy(ownership{t.start, t.end, t.lock, h}, busy)
}

func (tl *timelines) addBusy(o ownership, busy []span) {
	if o.start >= o.end {
		return
	}
	i, _ := slices.BinarySearchFunc(busy, o.start, func(s span, t int64) int { return cmp.Compare(s.end, t+1) })
	if i < len(busy) && busy[i].start < o.end {
		tl.owned.add(o)
	}
}

// waitsByLock returns each lock's waits, by start, in one array.
func (r *record) waitsByLock() [][]ref {
	var counts tally
	for _, i := range r.starts {
		counts.add(int(r.waits.at(i).lock), 1)
	}
	by := counts.lists()
	for _, i := range r.starts {
		l := r.waits.at(i).lock
		by[l] = append(by[l], i)
	}
	return by
}

// busy returns the union of a lock's waits, which are in order.
func (r *record) busy(waits []ref) []span {
	var out []span
	for _, i := range waits {
		w := r.waits.at(i)
		if n := len(out); n > 0 && w.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, w.end)
			continue
		}
		out = append(out, span{w.start, w.end})
	}
	return out
}

func (r *record) endOf(t format.ThreadID) int64 {
	if int(t) < len(r.lives) {
		return r.lives[t].end
	}
	return format.NoTime
}
