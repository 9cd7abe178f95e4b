package owners

import (
	"cmp"
	"contend/format/workers"
	"slices"

	"contend/analysis/internal/column"
	"contend/format"
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

	had map[format.ObjectID][]column.Ref // by lock: what threads did that are known to have had it, by time

	indexing workers.Group  // who waits for it may read:
	released [][]column.Ref // the releases of each lock, by time
	sites    callSites
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

func (d *activity) callSite() callSite { return callSite{d.stack, d.lock} }

// none is what a thread did of which nothing is known.
const none = format.ActivityUnknown

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
	a.Starts, a.byLock, a.runs, a.had = d.starts, d.byLock, d.runs, d.had
	r.doers = doers{} // the store has them
	r.rename(a.store)
	a.indexing.Go(a.index)
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
	a.byLock, a.released, a.runs, a.had, a.sites = nil, nil, nil, nil, callSites{}
	a.releases.Clear()
}

// index lists the releases of each lock and, where an input tells neither owners
// nor releases, what was done at each call site.
func (a *Activities) index() {
	a.released = a.releasesByLock()
	for i := range a.inputs { // not a copy: their pauses are written meanwhile
		if in := &a.inputs[i]; in.waits && !in.complete() {
			a.sites.fill(a.Record, a.store)
			return
		}
	}
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

// lockOf returns the lock that was waited for.
func (a *Activities) lockOf(i column.Ref) format.ObjectID { return a.deed(a.find(i)).lock }

// awaits returns the lock a thread waits for until t or longer, of whose activities n
// begin before t; false where the last of these is no such wait.
func (a *Activities) awaits(list Refs, n int, t int64) (format.ObjectID, bool) {
	if n == 0 || !a.IsWait(list.at(n-1)) {
		return format.NoObject, false
	}
	d := a.at(list.at(n - 1))
	return d.lock, d.end >= t
}

// did returns what an activity is; of a wait, nothing.
func (a *Activities) did(i column.Ref) format.Activity {
	if a.IsWait(i) {
		return none
	}
	return a.deed(a.find(i)).does()
}

// ahead is before for a list of which few begin before t.
func (a *Activities) ahead(list Refs, t int64) int {
	if list.Len() == 0 || a.Begins(list.at(0)) >= t { // mostly
		return 0
	}
	return a.further(list, t)
}

// further is ahead for a list of which the first begins before t.
func (a *Activities) further(list Refs, t int64) int {
	hi := 1
	for hi < list.Len() && a.Begins(list.at(hi)) < t {
		hi *= 2
	}
	known := hi/2 + 1
	return known + a.before(list.part(known, max(min(hi, list.Len()), known)), t)
}

// places are where some threads' activities were searched last: who goes through
// a lock's acquisitions asks for instants that are near.
type places [64]struct {
	thread format.ThreadID
	at     int32
}

// before is that of Activities, for the list of a thread.
func (p *places) before(a *Activities, t format.ThreadID, list Refs, at int64) int {
	last := &p[int(t)%len(p)]
	if last.thread != t {
		last.thread, last.at = t, int32(a.before(list, at))
		return int(last.at)
	}
	n := int(last.at)
	if n > 0 && a.Begins(list.at(n-1)) >= at {
		n = a.behind(list.part(0, n), at)
	} else {
		n += a.ahead(list.part(n, list.Len()), at)
	}
	last.at = int32(n)
	return n
}

// behind is before for a list of which few begin at t or later.
func (a *Activities) behind(list Refs, t int64) int {
	step := 1
	for step < list.Len() && a.Begins(list.at(list.Len()-step)) >= t {
		step *= 2
	}
	lo := max(list.Len()-step, 0)
	return lo + a.before(list.part(lo, list.Len()), t)
}

// activitiesAt returns the activities at a call site in the input of a lock.
func (a *Activities) activitiesAt(at callSite, lock format.ObjectID) siteList {
	return a.sites.at(inputSite{at, a.inputOf[lock]})
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
