package analysis

import (
	"cmp"
	"slices"

	"contend/analysis/owners"
	"contend/format"
)

// taking is a change of who holds a lock: a wait that ended, or a stretch for
// which an owner is known.
type taking struct {
	Hold
	waited bool
}

// rebuiltTenures calls give for the tenures of the locks whose tenures were
// not recorded: each begins with the end of a wait, or where its owner is
// first known, and lasts as long as the owner stays the same.
func (r *record) rebuiltTenures(tl *owners.Timelines, give func(*Hold)) {
	byLock := map[format.ObjectID][]taking{}
	for _, i := range r.activities.Starts {
		w := r.activities.Wait(i)
		if r.Told(w.Lock) || w.Failed() {
			continue
		}
		byLock[w.Lock] = append(byLock[w.Lock], taking{Hold{Asked: w.Start, Start: w.End, End: w.End, Thread: w.Thread, Lock: w.Lock, Stack: w.Stack, Mode: w.Mode(), Rebuilt: true}, true})
	}
	tl.Owned.Each(func(o *owners.Ownership) {
		if !r.Told(o.Lock) && o.Holder.Kind == OwnerThread {
			byLock[o.Lock] = append(byLock[o.Lock], taking{Hold{Asked: o.Start, Start: o.Start, End: o.End, Thread: o.Holder.Thread, Lock: o.Lock, Stack: o.Holder.Stack, Rebuilt: true}, false})
		}
	})
	for lock := range format.ObjectID(len(tl.Unowned)) {
		if list := byLock[lock]; len(list) > 0 {
			slices.SortStableFunc(list, func(a, b taking) int { return cmp.Compare(a.Start, b.Start) })
			joinTakings(list, give)
		}
	}
}

// joinTakings makes tenures of the changes of one lock: what a thread is known to
// own after it took the lock, with nobody in between, is one tenure.
func joinTakings(list []taking, give func(*Hold)) {
	cur := &list[0]
	for i := 1; i < len(list); i++ {
		next := &list[i]
		if !next.waited && next.Thread == cur.Thread && (cur.waited || next.Start <= cur.End) {
			cur.End = max(cur.End, next.End)
			continue
		}
		give(&cur.Hold)
		cur = next
	}
	give(&cur.Hold)
}
