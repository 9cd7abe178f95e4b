package owners

import (
	"slices"

	"contend/format"
)

// The rules that say who owned a lock where the trace tells of every release
// that woke a thread (format.SettingReleases). What it shows of the lock are
// blocks, acquisitions by threads that had waited, and releases that wake one;
// not acquisitions without waiting nor releases that wake nobody. But a release
// wakes somebody whenever somebody is queued and nobody is awake and competing
// already. So:
//
//  5. a release by the last acquirer ends its tenure;
//  6. a release by another shows a tenure that began unseen, as long before
//     as its section usually takes, not before the last point at which
//     another owned the lock, and not after somebody blocked since;
//  7. an acquirer without a release owned the lock as long as its section
//     usually takes, at most until the next owner or until it waits itself.
//
// What is left in between is the hand-off.

// history is what is known of one lock.
type history struct {
	ev       *evidence
	lock     format.ObjectID
	kind     format.LockKind
	points   []point
	from, to int64              // of the recording
	usual    map[function]int64 // length of sections in ns
	several  bool               // a semaphore whose permits several threads had at once
	busy     []span
	out      []Ownership
}

// fromItsReleases finds out who owned a lock from its releases, where they are told.
func (ev *evidence) fromItsReleases(lock format.ObjectID) []Ownership {
	in := ev.input(lock)
	if !in.waking || !in.whole && len(ev.releasesOf(lock)) == 0 {
		return nil
	}
	return ev.fromReleases(lock, in, ev.gather(ev.byLock[lock]).busy())
}

// fromReleases returns the owners of a lock in busy time.
func (ev *evidence) fromReleases(lock format.ObjectID, in *input, busy []span) []Ownership {
	h := &history{ev: ev, lock: lock, kind: ev.sym.Kind(lock), points: ev.points(lock), usual: map[function]int64{}, busy: busy}
	h.from, h.to = in.from, in.to
	if in.from == format.NoTime {
		h.from, h.to = h.points[0].at, h.points[len(h.points)-1].at
	}
	h.several = h.kind == format.KindSemaphore && overlaps(h.points)
	h.learn()
	h.walk()
	return h.out
}

// function names the section a point belongs to.
func (h *history) function(p *point) function { return h.ev.function(p.stack) }

// overlaps reports whether threads acquired a lock while others had it, too
// often to be mistaken.
func overlaps(points []point) bool {
	const seldom = 20
	had, number := map[format.ThreadID]int{}, 0 // by owner: how many acquired the lock before it
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

// learn takes, for each function, the median time from an acquisition to the
// release by the same thread where nothing else is seen between.
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
		h.usual[fn] = list[len(list)/2]
	}
}

// current is one whose tenure has begun.
type current struct {
	since int64
	point *point
}

// walk is the state of a lock while its history is walked through.
type walk struct {
	*history
	owners []current
	last   int64 // the last acquisition or release
	block  int64 // the first block since, NoTime for none
	gave   point // the last release by a writer
}

// walk goes through the points in order of time.
func (h *history) walk() {
	b := &walk{history: h, last: h.from, block: format.NoTime}
	for i := range h.points {
		p := &h.points[i]
		switch p.what {
		case blocked:
			b.leave(p)
			if b.block == format.NoTime {
				b.block = p.at
			}
			continue
		case acquired:
			if !b.several {
				b.vacate(p.mode, p.at)
			}
			b.owners = append(b.owners, current{p.at, p})
		case released:
			if b.same(p) {
				continue
			}
			b.release(p)
		}
		b.last, b.block = p.at, format.NoTime
	}
	b.end()
}

// leave ends the tenure of an owner that blocks on the same lock (rule 7): it
// gave it back unseen, or it is a writer that got in line and now waits for
// readers.
func (b *walk) leave(p *point) {
	if i := b.index(p.thread); i >= 0 {
		b.estimate(b.owners[i], p.at)
		b.owners = slices.Delete(b.owners, i, i+1)
	}
}

// same reports whether a release is part of the one before: a writer wakes all
// readers that are queued, one by one, and then another writer; the first of
// them may run before it is done.
func (b *walk) same(p *point) bool {
	return b.kind == format.KindReadWriteLock && p.mode == format.Exclusive &&
		p.thread == b.gave.thread && p.queued < b.gave.at && b.index(p.thread) < 0
}

// release ends the tenure of a thread that gives the lock back (rule 5), and
// begins it first where that was not seen (rule 6). When it wakes somebody, all
// readers are gone.
func (b *walk) release(p *point) {
	if b.several {
		b.giveBack(p)
		return
	}
	start := int64(0)
	if i := b.index(p.thread); i >= 0 {
		start = b.owners[i].since
		b.owners = slices.Delete(b.owners, i, i+1)
		b.vacate(format.Exclusive, p.at)
	} else {
		start = b.began(p)
		b.vacate(p.mode, start)
		if p.mode == format.Shared {
			b.vacate(format.Exclusive, p.at)
		}
	}
	b.add(p, start, p.at)
	if p.mode == format.Exclusive {
		b.gave = *p
	}
}

// giveBack ends the tenure of one permit among several, whose other owners it
// tells nothing of.
func (b *walk) giveBack(p *point) {
	start := b.last
	if i := b.index(p.thread); i >= 0 {
		start = b.owners[i].since
		b.owners = slices.Delete(b.owners, i, i+1)
	} else if usual, ok := b.usual[b.function(p)]; ok {
		start = p.at - usual
	}
	b.add(p, min(start, p.at), p.at)
}

// began estimates since when the lock was owned by a thread that is first seen
// giving it back (rule 6).
func (b *walk) began(p *point) int64 {
	at := b.last + (p.at-b.last)/2
	if usual, ok := b.usual[b.function(p)]; ok {
		at = p.at - usual
	}
	if b.block != format.NoTime {
		at = min(at, b.block)
	}
	return b.earlier(p, max(at, b.last))
}

// earlier moves an estimated beginning of a tenure before what its thread was
// doing there inside the section: it slept, or waited for another lock. Before
// the last point at which another owned the lock it cannot begin.
func (b *walk) earlier(p *point, at int64) int64 {
	list := b.ev.Of(p.thread)
	for i := b.ev.before(list, at) - 1; i >= 0; i-- {
		d := b.ev.at(list.at(i))
		if d.end <= at || d.start < b.last || d.lock == b.lock {
			break
		}
		if _, ok := b.inside(p, d.stack); !ok || b.ev.sym.Bare(d.stack) {
			break
		}
		at = d.start
	}
	return at
}

// vacate ends the tenures that exclude one of the given mode from t on (rule
// 7).
func (b *walk) vacate(m format.Mode, t int64) {
	kept := b.owners[:0]
	for _, o := range b.owners {
		if m == format.Shared && o.point.mode == format.Shared {
			kept = append(kept, o)
			continue
		}
		b.estimate(o, t)
	}
	b.owners = kept
}

// estimate ends a tenure whose end was not seen (rule 7), at t at the latest.
func (b *walk) estimate(o current, t int64) {
	if usual, ok := b.usual[b.function(o.point)]; ok {
		t = min(t, o.since+usual)
	}
	b.add(o.point, o.since, t)
}

// end closes what is open when the trace ends. Somebody still owns a lock
// that others block on and nobody gives back.
func (b *walk) end() {
	if b.block == format.NoTime {
		b.vacate(format.Exclusive, b.to)
		return
	}
	for _, o := range b.owners {
		b.add(o.point, o.since, b.to)
	}
	if len(b.owners) == 0 {
		b.add(&point{}, b.block, b.to)
	}
}

// add books a tenure, with what its thread is known to have done meanwhile: a
// release has the stack of an instant, and not of the sleep before it.
func (b *walk) add(p *point, start, end int64) {
	list := b.ev.Of(p.thread)
	for i := list.at(max(b.ev.before(list, start)-1, 0)); i < list.To; i++ {
		d := b.ev.at(i)
		if d.start >= end {
			break
		}
		stack, ok := b.inside(p, d.stack)
		if d.start = max(d.start, start); !ok || b.ev.IsWait(i) || d.end <= d.start || d.end > end {
			continue
		}
		b.book(p, start, d.start, p.stack, format.ActivityUnknown)
		b.book(p, d.start, d.end, stack, b.ev.deed(b.ev.find(i)).does())
		start = d.end
	}
	b.book(p, start, end, p.stack, format.ActivityUnknown)
}

// inside returns the stack to show for an activity during a tenure: its own if it
// goes through the function of the section, that of the tenure if it shows the
// runtime only; ok is false for a stack that is of another part of the program:
// where the tenure began is an estimate.
func (b *walk) inside(p *point, stack format.StackID) (shown format.StackID, ok bool) {
	switch {
	case b.ev.sym.Bare(stack):
		return p.stack, true
	case b.ev.inside(stack, p.stack):
		return stack, true
	}
	return format.NoStack, false
}

// book appends the busy parts of a stretch of a tenure.
func (b *walk) book(p *point, start, end int64, stack format.StackID, did format.Activity) {
	if start >= end {
		return
	}
	t := Tenure{Start: start, End: end, Thread: p.thread, Lock: b.lock, Stack: stack}
	t.owned(byReleases, b.ev.endOf(p.thread), b.busy, func(o Ownership) {
		if o.Holder.Kind == Thread {
			o.Holder.Did = did
		}
		b.out = append(b.out, o)
	})
}

func (b *walk) index(t format.ThreadID) int {
	return slices.IndexFunc(b.owners, func(o current) bool { return o.point.thread == t })
}
