package owners

import (
	"slices"

	"contend/analysis/internal/times"
	"contend/format"
)

// The owners of a lock in a trace with every release that woke a thread
// (format.SettingReleases). Such a trace shows when threads block, when threads that had
// blocked acquire the lock, and releases that wake a thread. It does not show acquisitions
// without a wait, nor releases that wake no thread. But a release wakes a thread whenever one is
// queued and none is already awake and competing. Hence three rules:
//
//  1. A release by the last acquirer ends its hold.
//  2. A release by another thread shows a hold whose beginning the trace does not have. It
//     began as long before as its section usually takes, but not before the last point at
//     which another thread owned the lock, and not after a thread has blocked since.
//  3. An acquirer without a release held the lock for as long as its section usually takes,
//     but not beyond the next owner or its own next wait.
//
// The lock was free in the time that remains: that is the hand-off.

// history has what the trace shows of one lock.
type history struct {
	ev       *evidence
	lock     format.ObjectID
	kind     format.LockKind
	points   []point
	from, to int64              // of the recording
	medians  map[function]int64 // of the durations of sections, ns
	several  bool               // a semaphore whose permits several threads held at once
	busy     []times.Span
	out      batches
}

// showsReleases reports whether the trace has the releases of a lock that woke a thread.
func (ev *evidence) showsReleases(lock format.ObjectID) bool {
	in := ev.activities.record.input(lock)
	return in.waking && (in.whole || len(ev.activities.releasesOf(lock)) > 0)
}

// fromReleases gives the owners of a lock, by its releases, while threads wait for it.
func (ev *evidence) fromReleases(lock format.ObjectID, give func([]Ownership)) {
	in := ev.activities.record.input(lock)
	h := &history{
		ev:      ev,
		lock:    lock,
		kind:    ev.Kind(lock),
		points:  ev.activities.points(lock),
		medians: map[function]int64{},
		busy:    ev.activities.busy(ev.activities.byLock[lock]),
		out:     batches{give: give},
	}
	h.from, h.to = in.from, in.to
	if in.from == format.NoTime {
		h.from, h.to = h.points[0].at, h.points[len(h.points)-1].at
	}
	h.several = h.kind == format.KindSemaphore && overlaps(h.points)
	h.learn()
	h.walk()
	h.out.flush()
}

func (h *history) function(p *point) function { return h.ev.function(p.stack) }

// overlaps reports whether threads acquired a lock during more than one in twenty holds of
// others, which is too often for errors of the trace.
func overlaps(points []point) bool {
	const seldom = 20
	had, number := map[format.ThreadID]int{}, 0 // by owner: the number of its acquisition
	others, all := 0, 0
	for i := range points {
		switch p := &points[i]; p.what {
		case acquired:
			number++
			had[p.thread] = number
		case released:
			if n, ok := had[p.thread]; ok {
				all++
				if n < number {
					others++
				}
				delete(had, p.thread)
			}
		}
	}
	return others*seldom > all
}

// learn sets the median, for each section, of the times from an acquisition to the
// release by the same thread with no other point than blocks in between.
func (h *history) learn() {
	lengths := map[function][]int64{}
	var last *point
	for i := range h.points {
		p := &h.points[i]
		if p.what == blocked {
			continue
		}
		if last != nil && p.what == released && last.what == acquired && last.thread == p.thread {
			lengths[h.function(p)] = append(lengths[h.function(p)], p.at-last.at)
		}
		last = p
	}
	for fn, list := range lengths {
		slices.Sort(list)
		h.medians[fn] = list[len(list)/2]
	}
}

// holding is an owner whose hold has begun.
type holding struct {
	since int64
	point *point
}

// walk is the state of a lock at a point of its history.
type walk struct {
	history *history
	owners  []holding
	last    int64 // the last acquisition or release
	block   int64 // the first block since, NoTime for none
	wrote   point // the last release by a writer
}

// walk goes through the points in order of time.
func (h *history) walk() {
	w := &walk{history: h, last: h.from, block: format.NoTime}
	for i := range h.points {
		p := &h.points[i]
		switch p.what {
		case blocked:
			w.leave(p)
			if w.block == format.NoTime {
				w.block = p.at
			}
			continue
		case acquired:
			if !w.history.several {
				w.vacate(p.mode, p.at)
			}
			w.owners = append(w.owners, holding{p.at, p})
		case released:
			if w.same(p) {
				continue
			}
			w.release(p)
		}
		w.last, w.block = p.at, format.NoTime
	}
	w.end()
}

// leave ends the hold of an owner that blocks on the same lock (rule 3). It released the lock
// without waking a thread, or it is a writer that has queued and now waits for readers.
func (w *walk) leave(p *point) {
	if i := w.index(p.thread); i >= 0 {
		w.estimate(w.owners[i], p.at)
		w.owners = slices.Delete(w.owners, i, i+1)
	}
}

// same reports whether a release is a part of the one before it: a writer wakes all queued
// readers one after another, and then a writer. The first of them may run before that is done.
func (w *walk) same(p *point) bool {
	return w.history.kind == format.KindReadWriteLock && p.mode == format.Exclusive &&
		p.thread == w.wrote.thread && p.queued < w.wrote.at && w.index(p.thread) < 0
}

// release ends the hold of the releasing thread (rule 1), or adds one whose beginning the trace
// does not have (rule 2). A release that wakes a thread leaves no readers.
func (w *walk) release(p *point) {
	if w.history.several {
		w.releasePermit(p)
		return
	}
	start := int64(0)
	if i := w.index(p.thread); i >= 0 {
		start = w.owners[i].since
		w.owners = slices.Delete(w.owners, i, i+1)
		w.vacate(format.Exclusive, p.at)
	} else {
		start = w.began(p)
		w.vacate(p.mode, start)
		if p.mode == format.Shared {
			w.vacate(format.Exclusive, p.at)
		}
	}
	w.add(p, start, p.at)
	if p.mode == format.Exclusive {
		w.wrote = *p
	}
}

// releasePermit ends the hold of one permit. It says nothing of the holders of others.
func (w *walk) releasePermit(p *point) {
	start := w.last
	if i := w.index(p.thread); i >= 0 {
		start = w.owners[i].since
		w.owners = slices.Delete(w.owners, i, i+1)
	} else if median, ok := w.history.medians[w.history.function(p)]; ok {
		start = p.at - median
	}
	w.add(p, min(start, p.at), p.at)
}

// began estimates when the hold began of a thread that the trace first shows releasing the lock
// (rule 2).
func (w *walk) began(p *point) int64 {
	at := w.last + (p.at-w.last)/2
	if median, ok := w.history.medians[w.history.function(p)]; ok {
		at = p.at - median
	}
	if w.block != format.NoTime {
		at = min(at, w.block)
	}
	return w.earlier(p, max(at, w.last))
}

// earlier moves the estimated beginning of a hold before activities of its thread inside the
// section, such as a sleep, but not before the last point at which another thread owned the lock.
func (w *walk) earlier(p *point, at int64) int64 {
	list := w.history.ev.activities.OfThread(p.thread)
	for i := w.history.ev.activities.before(list, at, list.From) - 1; i >= 0; i-- {
		d := w.history.ev.activities.Activity(list.nth(i))
		if d.End <= at || d.Start < w.last || d.Lock == w.history.lock {
			break
		}
		if w.history.ev.Bare(d.Stack) || !w.history.ev.inside(d.Stack, p.stack) {
			break
		}
		at = d.Start
	}
	return at
}

// vacate ends, at t at the latest, the holds that exclude one of the given mode (rule 3).
func (w *walk) vacate(m format.Mode, t int64) {
	kept := w.owners[:0]
	for _, o := range w.owners {
		if m == format.Shared && o.point.mode == format.Shared {
			kept = append(kept, o)
			continue
		}
		w.estimate(o, t)
	}
	w.owners = kept
}

// estimate ends a hold whose release the trace does not have (rule 3), at t at the latest.
func (w *walk) estimate(o holding, t int64) {
	if median, ok := w.history.medians[w.history.function(o.point)]; ok {
		t = min(t, o.since+median)
	}
	w.add(o.point, o.since, t)
}

// end ends the holds that are left at the end of the trace. If threads are still blocked, some
// thread holds the lock until then, even if it is not known.
func (w *walk) end() {
	if w.block == format.NoTime {
		w.vacate(format.Exclusive, w.history.to)
		return
	}
	for _, o := range w.owners {
		w.add(o.point, o.since, w.history.to)
	}
	if len(w.owners) == 0 {
		w.add(&point{}, w.block, w.history.to)
	}
}

// add adds the parts of a hold in which threads wait for the lock.
func (w *walk) add(p *point, start, end int64) {
	if start >= end {
		return
	}
	o := Ownership{start, end, w.history.lock, Owner{Thread: p.thread, Stack: p.stack}}
	if p.thread == format.NoThread {
		o.Owner.Kind = Nobody
	}
	w.history.ev.divide(o, true, func(part Ownership) {
		t := Tenure{
			Start:  part.Start,
			End:    part.End,
			Thread: part.Owner.Thread,
			Lock:   part.Lock,
			Stack:  part.Owner.Stack,
		}
		t.owned(byReleases, w.history.ev.activities.record.endOf(p.thread), w.history.busy, func(o Ownership) {
			if o.Owner.Kind == Thread {
				o.Owner.Did = part.Owner.Did
			}
			w.history.out.addOwnership(o)
		})
	})
}

func (w *walk) index(t format.ThreadID) int {
	return slices.IndexFunc(w.owners, func(o holding) bool { return o.point.thread == t })
}
