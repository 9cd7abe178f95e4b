// Package owners infers who owned each lock while somebody waited for it. It
// keeps what a trace tells (Record), puts it in order (Activities) and says who
// owned what, when, and how that is known (Timelines). It knows no visitor and
// no wait-for graph.
//
// Its files, each of which uses only what comes after it:
//
//	timelines.go   the owners of all locks: recorded, or rebuilt
//	rebuild.go     four numbered rules that make owners of one lock's evidence
//	sections.go    what threads do only while they hold the lock
//	homes.go       where activities belong whose stack shows the runtime only
//	section.go     what is known of one lock: acquisitions, busy stretches
//	evidence.go    dumps, and which lock of the waits a dump's lock is
//	activities.go  what each thread did, and what was done at each call site
//	parks.go       successive parks that are one wait
//	record.go      the events as they are kept
//	owner.go       what an owner is, and how it may be known
package owners

import (
	"cmp"
	"slices"
	"sync"

	"contend/analysis/internal/column"
	"contend/format"
)

// Timelines says who owned each contended lock while somebody waited for it.
// Locks whose tenures the trace recorded are taken from there; the others are
// rebuilt from evidence.
type Timelines struct {
	Owned    column.Column[Ownership] // in no order
	Unowned  []Owner                  // by lock: whom the stretches without an owner are charged to
	Unlinked int                      // contended locks of thread dumps that match no recorded wait
}

// Timelines says who owned each lock. It begins to rebuild the owners, and
// they are complete once the function it returns has returned. Until then the
// symbols are read, but no more classes are asked for.
func (a *Activities) Timelines(sym Symbols) (tl *Timelines, rebuilt func()) {
	a.indexing.Wait()
	byLock := a.byLock
	tl = &Timelines{Unowned: make([]Owner, len(byLock))}
	tl.Owned.Start = func(o *Ownership) int64 { return o.Start }
	for l := range byLock {
		tl.Unowned[l] = Owner{Kind: Nobody, Prov: Unknown}
	}
	recorded := tl.addTenures(a)
	ev := a.evidence(sym)
	tl.Unlinked = ev.missed
	var unknown []format.ObjectID
	for l, waits := range byLock {
		if len(waits) > 0 && !recorded[l] {
			unknown = append(unknown, format.ObjectID(l))
		}
	}
	var rebuilding sync.WaitGroup
	rebuilding.Go(func() { ev.rebuildAll(unknown, &tl.Owned) })
	return tl, rebuilding.Wait
}

// addTenures takes the owners the trace itself tells; recorded says of which
// locks.
func (tl *Timelines) addTenures(a *Activities) (recorded []bool) {
	recorded = make([]bool, len(a.byLock))
	if a.Tenures.Len() == 0 {
		return recorded
	}
	busy := make([][]span, len(a.byLock))
	for l, waits := range a.byLock {
		busy[l] = a.busy(waits)
	}
	a.Tenures.Each(func(_ column.Ref, t *Tenure) {
		if int(t.Lock) < len(a.byLock) {
			recorded[t.Lock] = true
			tl.Unowned[t.Lock] = Owner{Kind: Handoff, Prov: a.TenureProv}
			tl.addTenure(t, a.TenureProv, a.endOf(t.Thread), busy[t.Lock])
		}
	})
	return recorded
}

// addTenure keeps the parts of a tenure somebody waited through. An owner
// that has ended without releasing the lock left the trace.
func (tl *Timelines) addTenure(t *Tenure, prov Provenance, died int64, busy []span) {
	h := Holder{Kind: Thread, Prov: prov, Thread: t.Thread, Stack: t.Stack}
	if t.Thread == format.NoThread {
		h = Holder{Kind: Nobody, Prov: Unknown}
	}
	if died != format.NoTime && died < t.End {
		tl.addBusy(Ownership{t.Start, died, t.Lock, h}, busy)
		tl.addBusy(Ownership{max(died, t.Start), t.End, t.Lock, Holder{Kind: External, Prov: prov}}, busy)
		return
	}
	tl.addBusy(Ownership{t.Start, t.End, t.Lock, h}, busy)
}

// addBusy keeps an ownership if somebody waited meanwhile.
func (tl *Timelines) addBusy(o Ownership, busy []span) {
	if o.Start >= o.End {
		return
	}
	i, _ := slices.BinarySearchFunc(busy, o.Start, func(s span, t int64) int { return cmp.Compare(s.end, t+1) })
	if i < len(busy) && busy[i].start < o.End {
		tl.Owned.Add(o)
	}
}
