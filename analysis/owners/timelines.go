// Package owners infers who owned each lock while somebody waited for it. It
// keeps what a trace tells (Record), puts it in order (Activities) and says who
// owned what, when, and how that is known (Timelines). It knows no visitor and
// no wait-for graph.
//
// Its files, each of which uses only what comes after it:
//
//	timelines.go   the owners of all locks: recorded, or inferred
//	infer.go       what package model is asked of the others, and what it is told
//	dumps.go       dumps, and which lock of the waits a dump's lock is
//	releases.go    the owners of locks whose releases the trace tells
//	points.go      what waits and releases show of a lock, by time
//	evidence.go    what owners are inferred from
//	waits.go       when anybody waits for a lock
//	unended.go     waits at the ends of a recording that only samples show
//	activities.go  what each thread did
//	scan.go        a thread's activities one after another, as they lie
//	parks.go       activities dealt out to threads; successive parks that are one wait
//	store.go       activities as they are stored
//	record.go      the events as they are kept while the trace is read
//	recorded.go    activities as they are kept until then
//	others.go      what threads did besides waiting
//	doers.go       what activities are but for their times
//	inputs.go      what each input tells of the owners of its locks
//	pauses.go      stretches in which nobody ran
//	packing.go     ownerships as they are stored
//	calibration.go how much of what is inferred is right
//	owner.go       what an owner is, and how it may be known
package owners

import (
	"cmp"
	"contend/format/workers"
	"slices"

	"contend/analysis/internal/column"
	"contend/analysis/owners/model"
	"contend/format"
)

// Timelines says who owned each contended lock while somebody waited for it.
// Locks whose tenures the trace recorded are taken from there; those of the
// others are inferred.
type Timelines struct {
	Owned    *Owned
	Unowned  []Owner                       // by lock: whom the stretches without an owner are charged to
	Unlinked []Unlinked                    // contended locks of thread dumps that match no recorded wait, by time
	Seen     map[format.ObjectID]Agreement // by lock: dumps that were hidden from the model of its class, and compared
	Whys     map[format.ObjectID]Why       // by lock that was asked for

	add   func(Ownership) // one that was recorded
	asked map[format.ObjectID]span
}

// Why says what speaks for each candidate of a lock.
type Why = model.Why

// Timelines says who owned each lock. It begins to rebuild the owners, and
// they are complete once the function it returns has returned. Until then the
// symbols are read, but no more classes are asked for. If ask is not nil, it says of which
// stretch of each lock's waiting the whys are wanted; an empty one for none.
func (a *Activities) Timelines(sym Symbols, ask func(format.ObjectID) (from, to int64)) (tl *Timelines, rebuilt func()) {
	byLock := a.byLock
	tl = &Timelines{Owned: newOwned(), Unowned: make([]Owner, len(byLock)), Seen: map[format.ObjectID]Agreement{}, Whys: map[format.ObjectID]Why{}, asked: map[format.ObjectID]span{}}
	for i := range a.inputs {
		a.inputs[i].pauses = merge(a.inputs[i].pauses)
	}
	tl.add = func(o Ownership) { a.input(o.Lock).pauses.cut(o, tl.Owned) }
	recorded := tl.addTenures(a)
	ev := a.evidence(sym)
	tl.Unlinked = ev.unlinked
	var unknown []format.ObjectID
	for l, waits := range byLock {
		if len(waits) > 0 && !recorded[l] {
			unknown = append(unknown, format.ObjectID(l))
			if ask != nil {
				if from, to := ask(format.ObjectID(l)); from < to {
					tl.asked[format.ObjectID(l)] = span{from, to}
				}
			}
		}
	}
	var rebuilding workers.Group
	rebuilding.Go(func() {
		a.indexing.Wait()
		tl.infer(ev, unknown)
		a.forget()
	})
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
		busy[l] = a.gather(waits).busy()
	}
	a.Tenures.Each(func(_ column.Ref, t *Tenure) {
		if int(t.Lock) < len(a.byLock) {
			prov := a.input(t.Lock).prov()
			recorded[t.Lock] = true
			tl.Unowned[t.Lock] = Owner{Kind: Handoff, Prov: prov}
			t.owned(prov, a.endOf(t.Thread), busy[t.Lock], tl.add)
		}
	})
	return recorded
}

// locksAhead is how many locks may be answered ahead of the one whose owners are
// taken.
const locksAhead = 1 << 12

// batchesAhead is how many batches of ownerships of a lock may wait for those of
// the locks before it.
const batchesAhead = 64

// infer finds out who owned the locks of an unclear past, those of a few inputs
// after those of others: what is learnt of one input tells nothing of another.
func (tl *Timelines) infer(ev *evidence, locks []format.ObjectID) {
	for len(locks) > 0 {
		n := ev.together(locks)
		tl.inferAll(ev, locks[:n])
		locks = locks[n:]
	}
}

// How many waits, and how many locks, of small inputs are looked at together at most:
// so many keep all cores busy. What is learnt of locks takes memory until all of
// those looked at together are done with, however few waits they have; of profiles,
// with many samples and few waits, that is half of all memory for four times as many.
const (
	fewWaits = 1 << 15
	fewLocks = 1 << 10
)

// together returns how many of some locks are inferred together: all where two
// inputs have locks in turns.
func (ev *evidence) together(locks []format.ObjectID) int {
	if !slices.IsSortedFunc(locks, func(a, b format.ObjectID) int { return cmp.Compare(ev.InputOf(a), ev.InputOf(b)) }) {
		return len(locks)
	}
	waits, whole := 0, 0
	for i, l := range locks {
		if i > 0 && ev.InputOf(l) != ev.InputOf(locks[i-1]) {
			whole = i
		}
		if waits += len(ev.byLock[l]); (waits > fewWaits || i >= fewLocks) && whole > 0 {
			return whole
		}
	}
	return len(locks)
}

// inferAll finds out who owned several locks, on all cores: from their releases, where
// they are told, else by a model of all that are of a class. They come out lock by lock,
// in the order asked for, whichever is ready first.
func (tl *Timelines) inferAll(ev *evidence, locks []format.ObjectID) {
	told := make([][]Ownership, len(locks))
	largest := ev.largestFirst(locks)
	workers.Each(len(locks), func(i int) {
		i = largest[i]
		told[i] = ev.fromItsReleases(locks[i])
	})()
	of := ev.classes(locks, func(i int) bool { return len(told[i]) == 0 && ev.waited(locks[i]) })
	workers.InOrder(len(locks), &workers.Handover[[]Ownership]{
		Ahead: locksAhead,
		Room:  func(i int) int { return min(batchesAhead, len(ev.byLock[locks[i]])/batch+1) },
		Make: func(i int, give func([]Ownership)) {
			if of[i].of != nil {
				ev.answer(of[i], give)
				return
			}
			give(told[i])
		},
		Take: func(i int, list []Ownership) {
			ev.input(locks[i]).pauses.cutAll(list, tl.Owned)
			ev.recycle(list)
		},
		Taken: func(i int) {
			tl.Unowned[locks[i]] = Owner{Kind: Nobody, Prov: Unknown}
			if len(told[i]) > 0 {
				tl.Unowned[locks[i]] = Owner{Kind: Handoff, Prov: byReleases}
			}
			told[i] = nil
			if m := of[i].of; m != nil {
				tl.Seen[locks[i]] = Agreement(of[i].lock().Seen)
				if s, ok := tl.asked[locks[i]]; ok {
					tl.Whys[locks[i]] = m.class.Why(of[i].lock(), s.start, s.end)
				}
				if m.left--; m.left == 0 {
					m.class, m.locks, m.ids = nil, nil, nil
				}
			}
		},
	})
}

// waited reports whether anybody waited for a lock for any time.
func (ev *evidence) waited(l format.ObjectID) bool {
	for _, i := range ev.byLock[l] {
		if start, end := ev.Span(i); end > start {
			return true
		}
	}
	return false
}

// largestFirst returns the order in which cores that take the next of some locks
// whenever they are free are done at about the same time.
func (ev *evidence) largestFirst(locks []format.ObjectID) []int {
	order := make([]int, len(locks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(ev.byLock[locks[b]]), len(ev.byLock[locks[a]])) })
	return order
}
