package analysis

import (
	"cmp"
	"slices"

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
	owned []ownership // in no order
	gap   []Owner     // by lock: whom the stretches without an owner are charged to

	unlinked int // contended locks of thread dumps that match no recorded wait
}

func (r *record) timelines(sym *Symbols) *timelines {
	byLock := r.waitsByLock()
	tl := &timelines{gap: make([]Owner, len(byLock))}
	recorded := make([]bool, len(byLock))
	busy := make([][]span, len(byLock))
	for l, waits := range byLock {
		busy[l] = r.busy(waits)
		tl.gap[l] = Owner{Kind: OwnerUnknown, Prov: Unknown}
	}
	for i := range r.tenures {
		t := &r.tenures[i]
		if int(t.lock) < len(byLock) {
			recorded[t.lock] = true
			tl.gap[t.lock] = Owner{Kind: OwnerHandoff, Prov: r.tenureProv}
			tl.addTenure(t, r.tenureProv, r.endOf(t.thread), busy[t.lock])
		}
	}
	ev := r.evidence(sym, byLock)
	tl.unlinked = ev.missed
	for l, waits := range byLock {
		if len(waits) > 0 && !recorded[l] {
			tl.owned = ev.rebuild(format.ObjectID(l), waits, busy[l], tl.owned)
		}
	}
	return tl
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
		tl.owned = append(tl.owned, o)
	}
}

// waitsByLock returns the indices of each lock's waits, by start.
func (r *record) waitsByLock() [][]uint32 {
	var by [][]uint32
	for i := range r.waits {
		l := int(r.waits[i].lock)
		if l > maxSymbol {
			continue
		}
		for len(by) <= l {
			by = append(by, nil)
		}
		by[l] = append(by[l], uint32(i))
	}
	for _, waits := range by {
		slices.SortFunc(waits, func(a, b uint32) int { return cmp.Compare(r.waits[a].start, r.waits[b].start) })
	}
	return by
}

// busy returns the union of a lock's waits.
func (r *record) busy(waits []uint32) []span {
	out := make([]span, 0, len(waits))
	for _, i := range waits {
		out = append(out, span{r.waits[i].start, r.waits[i].end})
	}
	return union(out)
}

func (r *record) endOf(t format.ThreadID) int64 {
	if int(t) < len(r.lives) {
		return r.lives[t].end
	}
	return format.NoTime
}
