package owners

import (
	"cmp"
	"slices"
	"sync"

	"contend/analysis/internal/column"
	"contend/format"
)

// Activities is a record in order of time: the waits and the others of each
// thread, together, by start. It holds refs, since there may be as many as
// events.
type Activities struct {
	*Record
	Starts   []column.Ref   // the waits, by start; those joined to others are left out
	byThread [][]column.Ref // waits and others, told apart by otherBit
	runs     []column.Ref   // samples of running threads, by time

	indexing sync.WaitGroup // who waits for it may read:
	byLock   [][]column.Ref // the waits for each lock, by start
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
// lists by lock and by call site are made meanwhile; who needs them waits for
// indexing.
func (r *Record) Arrange(kind func(format.ObjectID) format.LockKind) *Activities {
	var others []column.Ref
	done := make(chan struct{})
	go func() {
		defer close(done)
		others = r.others.Order()
	}()
	a := &Activities{Record: r, Starts: r.Waits.Order()}
	<-done
	a.Starts = r.joinParks(a.Starts, others, kind)
	r.rename()
	a.indexing.Go(a.index)
	a.byThread = a.deal(others)
	for _, i := range others {
		if o := a.others.At(i); o.What() == format.ActivityRun && o.Stack != format.NoStack {
			a.runs = append(a.runs, i)
		}
	}
	return a
}

// rename gives locks that are others the ids of those. Parks are joined before,
// so that no waiting is added.
func (r *Record) rename() {
	if len(r.Same) == 0 {
		return
	}
	r.Waits.Each(func(_ column.Ref, w *Wait) {
		if one, ok := r.Same[w.Lock]; ok {
			w.Lock = one
		}
	})
	r.releases.Each(func(_ column.Ref, rel *release) {
		if one, ok := r.Same[rel.lock]; ok {
			rel.lock = one
		}
	})
}

// index lists the waits for each lock, its releases and, where an input tells
// neither owners nor releases, what was done at each call site.
func (a *Activities) index() {
	a.byLock = byLock(&a.Waits, a.Starts, func(w *Wait) format.ObjectID { return w.Lock })
	a.released = byLock(&a.releases, a.releases.Order(), func(r *release) format.ObjectID { return r.lock })
	for i := range a.inputs {
		if in := &a.inputs[i]; in.waits && !in.complete() {
			a.sites.fill(a.Record)
		}
	}
}

// byLock lists what each lock has of a column, in the order given, in one
// array.
func byLock[T any](c *column.Column[T], order []column.Ref, lock func(*T) format.ObjectID) [][]column.Ref {
	var n counts
	for _, i := range order {
		n.add(int(lock(c.At(i))), 1)
	}
	by := n.lists()
	for _, i := range order {
		l := lock(c.At(i))
		by[l] = append(by[l], i)
	}
	return by
}

// deal distributes waits and others over their threads, in one array. It has
// room for the waits that were joined to others too.
func (a *Activities) deal(others []column.Ref) [][]column.Ref {
	by := a.perThread.lists()
	next := 0
	for _, i := range a.Starts {
		w := a.Waits.At(i)
		for ; next < len(others); next++ {
			o := a.others.At(others[next])
			if o.Start >= w.Start {
				break
			}
			by[o.Thread()] = append(by[o.Thread()], others[next]|otherBit)
		}
		by[w.Thread] = append(by[w.Thread], i)
	}
	for _, i := range others[next:] {
		t := a.others.At(i).Thread()
		by[t] = append(by[t], i|otherBit)
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

// busy returns the union of a lock's waits, which are in order.
func (a *Activities) busy(waits []column.Ref) []span {
	n := 0
	a.eachBusy(waits, func(span) { n++ })
	out := make([]span, 0, n) // there may be as many as waits
	a.eachBusy(waits, func(s span) { out = append(out, s) })
	return out
}

func (a *Activities) eachBusy(waits []column.Ref, f func(span)) {
	var s span
	for n, i := range waits {
		w := a.Waits.At(i)
		if n > 0 && w.Start <= s.end {
			s.end = max(s.end, w.End)
			continue
		}
		if n > 0 {
			f(s)
		}
		s = span{w.Start, w.End}
	}
	if len(waits) > 0 {
		f(s)
	}
}

// Threads returns a bound of the ids of threads that did anything.
func (a *Activities) Threads() int { return len(a.byThread) }

// Of returns what a thread did, by start.
func (a *Activities) Of(t format.ThreadID) []column.Ref {
	if int(t) < len(a.byThread) {
		return a.byThread[t]
	}
	return nil
}

// IsWait reports whether an activity is a wait for a lock; if so, it is a ref
// of Waits.
func IsWait(i column.Ref) bool { return i&otherBit == 0 }

// Other returns an activity that is no wait.
func (a *Activities) Other(i column.Ref) Other { return a.others.At(i &^ otherBit) }

func (a *Activities) at(i column.Ref) activity {
	if IsWait(i) {
		w := a.Waits.At(i)
		return activity{w.Start, w.End, w.Stack, w.Lock}
	}
	o := a.Other(i)
	return activity{o.Start, o.End, o.Stack, format.NoObject}
}

// met returns an activity and whose it is: to find it costs more than to read it.
func (a *Activities) met(i column.Ref) (activity, format.ThreadID) {
	if IsWait(i) {
		w := a.Waits.At(i)
		return activity{w.Start, w.End, w.Stack, w.Lock}, w.Thread
	}
	o := a.Other(i)
	return activity{o.Start, o.End, o.Stack, format.NoObject}, o.Thread()
}

// did returns what an activity is; of a wait, nothing.
func (a *Activities) did(i column.Ref) format.Activity {
	if IsWait(i) {
		return none
	}
	return a.Other(i).What()
}

func (a *Activities) start(i column.Ref) int64 {
	if IsWait(i) {
		return a.Waits.At(i).Start
	}
	return a.others.start(i &^ otherBit)
}

// ahead is before for a list of which few begin before t.
func (a *Activities) ahead(list []column.Ref, t int64) int {
	if len(list) == 0 || a.start(list[0]) >= t { // mostly
		return 0
	}
	hi := 1
	for hi < len(list) && a.start(list[hi]) < t {
		hi *= 2
	}
	return hi/2 + a.before(list[hi/2:min(hi, len(list))], t)
}

// before returns how many of a thread's activities begin before t.
func (a *Activities) before(list []column.Ref, t int64) int {
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); a.start(list[mid]) < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// places are where some threads' activities were searched last: who goes through
// a lock's acquisitions asks for instants that are near.
type places [16]struct {
	thread format.ThreadID
	at     int32
}

// before is that of Activities, for the list of a thread.
func (p *places) before(a *Activities, t format.ThreadID, list []column.Ref, at int64) int {
	last := &p[int(t)%len(p)]
	if last.thread != t {
		last.thread, last.at = t, int32(a.before(list, at))
		return int(last.at)
	}
	n := int(last.at)
	if n > 0 && a.start(list[n-1]) >= at {
		n = a.behind(list[:n], at)
	} else {
		n += a.ahead(list[n:], at)
	}
	last.at = int32(n)
	return n
}

// behind is before for a list of which few begin at t or later.
func (a *Activities) behind(list []column.Ref, t int64) int {
	step := 1
	for step < len(list) && a.start(list[len(list)-step]) >= t {
		step *= 2
	}
	lo := max(len(list)-step, 0)
	return lo + a.before(list[lo:], t)
}

// activitiesAt returns the activities at a call site in the input of a lock.
func (a *Activities) activitiesAt(at callSite, lock format.ObjectID) []column.Ref {
	if n, ok := a.sites.index[inputSite{at, a.inputOf[lock]}]; ok {
		return a.sites.lists[n]
	}
	return nil
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
