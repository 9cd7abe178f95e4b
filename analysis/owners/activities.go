package owners

import (
	"cmp"
	"slices"

	"contend/analysis/internal/column"
	"contend/format"
	"contend/format/workers"
)

// Activities is a record in order of time: the waits and the others of each
// thread, together, by start. Lists of them hold refs, since there may be as many
// as events.
type Activities struct {
	*Record
	*store
	Starts []column.Ref   // the waits, by start; those joined to others are left out
	byLock [][]column.Ref // the same of each lock
	runs   []column.Ref   // samples of running threads, by time

	indexing workers.Group  // who waits for it may read:
	released [][]column.Ref // the releases of each lock, by time
}

// span is a half-open stretch of time.
type span struct{ start, end int64 }

// activity is a stretch (or, for a sample, an instant) in which a thread's
// stack is known.
type activity struct {
	start, end int64
	stack      format.StackID
	lock       format.ObjectID // the lock it waited for, NoObject for others
}

// Arrange puts what has been recorded in order of time, joins the parks of one
// acquire, and lists what each thread did. Nothing may be added any more. The
// lists of releases and by call site are made meanwhile; who needs them waits for
// indexing.
func (r *Record) Arrange(kind func(format.ObjectID) format.LockKind) *Activities {
	r.reach = nil // nothing ends any more
	d := newDealer(r, kind)
	a := &Activities{Record: r, store: d.store}
	others := ordered{batches: r.others.Drain()}
	for waits := r.waits.Drain(); ; {
		batch, more := <-waits
		if !more {
			break
		}
		for i := range batch {
			d.others(&others, batch[i].start)
			d.wait(&batch[i])
		}
	}
	d.others(&others, maxTime)
	d.end()
	a.Starts, a.byLock, a.runs = d.starts, d.byLock, d.runs
	r.doers = doers{} // the store has them
	r.rename(a.store)
	a.indexing.Go(func() { a.released = a.releasesByLock() })
	return a
}

// rename gives locks that are others the ids of those. Parks are joined before,
// so that no waiting is added.
func (r *Record) rename(s *store) {
	if len(r.Same) == 0 {
		return
	}
	for i := range s.what {
		s.what[i].lock = r.same(s.what[i].lock)
	}
	r.releases.Each(func(_ column.Ref, rel *release) { rel.lock = r.same(rel.lock) })
}

// forget drops what only owners are inferred from.
func (a *Activities) forget() {
	a.byLock, a.released, a.runs = nil, nil, nil
	a.releases.Clear()
}

// releasesByLock lists the releases of each lock, by time.
func (a *Activities) releasesByLock() [][]column.Ref {
	var n counts
	a.releases.Each(func(_ column.Ref, r *release) { n.add(int(r.lock), 1) })
	by := n.lists()
	for _, i := range a.releases.Order() {
		l := a.releases.At(i).lock
		by[l] = append(by[l], i)
	}
	return by
}

// owned calls add for the parts of a tenure if somebody waited in them, given
// when its thread died, NoTime when not told: an owner that has ended without
// releasing the lock left the trace.
func (t *Tenure) owned(prov Provenance, died int64, busy []span, add func(Ownership)) {
	keep := func(from, to int64, h Holder) {
		i, _ := slices.BinarySearchFunc(busy, from, func(s span, t int64) int { return cmp.Compare(s.end, t+1) })
		if from < to && i < len(busy) && busy[i].start < to {
			add(Ownership{from, to, t.Lock, h})
		}
	}
	h := Holder{Kind: Thread, Prov: prov, Thread: t.Thread, Stack: t.Stack}
	if t.Thread == format.NoThread {
		h = Holder{Kind: Nobody, Prov: Unknown}
	}
	if died != format.NoTime && died < t.End {
		keep(t.Start, died, h)
		keep(max(died, t.Start), t.End, Holder{Kind: External, Prov: prov})
		return
	}
	keep(t.Start, t.End, h)
}

func (a *Activities) at(i column.Ref) activity {
	d, _ := a.met(i)
	return d
}

// met returns an activity and whose it is.
func (a *Activities) met(i column.Ref) (activity, format.ThreadID) {
	b, data := a.find(i)
	start, end := b.span(data)
	d := a.deed(b, data)
	return activity{start, end, d.stack, d.lock}, b.thread
}

// Pauses lists the pauses of all inputs, in order of time; those of one input do
// not overlap. Timelines has to have been called.
func (a *Activities) Pauses() (all []Pause) {
	for i := range a.inputs {
		all = append(all, a.inputs[i].pauses...)
	}
	slices.SortStableFunc(all, func(a, b Pause) int { return cmp.Compare(a.Start, b.Start) })
	return all
}
