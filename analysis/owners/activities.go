package owners

import (
	"cmp"
	"slices"

	"contend/analysis/internal/times"
	"contend/format"
	"contend/format/column"
	"contend/format/workers"
)

// Activities is a record in order of time: the waits and other activities of each thread, by
// start. Lists of activities hold refs, because there may be as many as events.
type Activities struct {
	record *Record
	*store
	Starts []column.Ref   // the waits, by start; parks of one acquire are one wait
	byLock [][]column.Ref // the same by lock
	runs   [][]column.Ref // by input: samples of running threads, by time

	indexing workers.Group  // has to be waited for before reading:
	released [][]column.Ref // the releases of each lock, by time
}

// Arrange sorts the record by time and by thread, and joins the parks of one acquire. Nothing
// may be added to the record afterwards. Releases are still being listed when it returns: see
// indexing.
func (r *Record) Arrange(kind func(format.ObjectID) format.LockKind) *Activities {
	sorted := newArranger(r, kind)
	a := &Activities{record: r, store: sorted.store}
	others := ordered{batches: r.others.Drain()}
	for waits := r.waits.Drain(); ; {
		batch, more := <-waits
		if !more {
			break
		}
		for i := range batch {
			sorted.others(&others, batch[i].start)
			sorted.wait(&batch[i])
		}
	}
	sorted.others(&others, maxTime)
	sorted.end()
	a.Starts = sorted.starts
	a.byLock = sorted.byLock
	a.runs = sorted.runs
	r.table = keyTable{} // the store has them
	r.rename(a.store)
	a.indexing.Go(func() { a.released = a.releasesByLock() })
	return a
}

// rename replaces the ids of locks that are the same as another one. Parks are joined before
// that, so that parks of two ids stay apart and no waiting is added.
func (r *Record) rename(s *store) {
	if len(r.Same) == 0 {
		return
	}
	for i := range s.keys {
		s.keys[i].Lock = r.same(s.keys[i].Lock)
	}
	r.releases.Each(func(_ column.Ref, rel *release) { rel.lock = r.same(rel.lock) })
}

func (a *Activities) forget() {
	a.byLock = nil
	a.released = nil
	a.runs = nil
	a.record.releases.Clear()
}

func (a *Activities) releasesByLock() [][]column.Ref {
	var n counts
	a.record.releases.Each(func(_ column.Ref, r *release) { n.makeRoom(int(r.lock), 1) })
	by := n.lists()
	for _, i := range a.record.releases.Order() {
		l := a.record.releases.Elem(i).lock
		by[l] = append(by[l], i)
	}
	return by
}

// owned calls add for a hold if threads waited for the lock in it. An owner that died, at a
// time that is NoTime if not known, without a release is External from then on.
func (t *Tenure) owned(prov Provenance, died int64, busy []times.Span, add func(Ownership)) {
	keep := func(from, to int64, h Owner) {
		i := times.FirstAfter(busy, from)
		if from < to && i < len(busy) && busy[i].Start < to {
			add(Ownership{from, to, t.Lock, h})
		}
	}
	h := Owner{Kind: Thread, Prov: prov, Thread: t.Thread, Stack: t.Stack}
	if t.Thread == format.NoThread {
		h = Owner{Kind: Nobody, Prov: Unknown}
	}
	if died != format.NoTime && died < t.End {
		keep(t.Start, died, h)
		keep(max(died, t.Start), t.End, Owner{Kind: External, Prov: prov})
		return
	}
	keep(t.Start, t.End, h)
}

// Pauses lists the pauses of all inputs, in order of time; those of one input are disjoint. It
// may be called after Timelines only.
func (a *Activities) Pauses() (all []Pause) {
	for i := range a.record.inputs {
		all = append(all, a.record.inputs[i].pauses...)
	}
	slices.SortStableFunc(all, func(a, b Pause) int { return cmp.Compare(a.Start, b.Start) })
	return all
}

// busy returns when at least one thread waits for a lock, given its waits.
func (s *store) busy(waits []column.Ref) (out []times.Span) {
	for _, i := range waits {
		start, end := s.Span(i)
		out = times.Extended(out, times.Span{Start: start, End: end})
	}
	return out
}

// Readers returns the stacks with which threads wait for a lock in shared mode.
func (s *store) Readers() map[format.StackID]bool {
	out := map[format.StackID]bool{}
	for _, k := range s.keys {
		if k.Lock != format.NoObject && k.Mode() == format.Shared {
			out[k.Stack] = true
		}
	}
	return out
}

// MostWaited returns the locks with most waits, at most n.
func (a *Activities) MostWaited(n int) (list []format.ObjectID) {
	for l, waits := range a.byLock {
		if len(waits) > 0 {
			list = append(list, format.ObjectID(l))
		}
	}
	slices.SortStableFunc(list, func(x, y format.ObjectID) int {
		return cmp.Compare(len(a.byLock[y]), len(a.byLock[x]))
	})
	return list[:min(n, len(list))]
}
