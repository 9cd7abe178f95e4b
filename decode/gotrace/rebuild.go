package gotrace

import (
	"slices"

	"contend/format"
)

// owner is one whose tenure has begun.
type owner struct {
	since int64
	point *point
}

// rebuilding is the state of a lock while its history is walked through.
type rebuilding struct {
	*history
	owners []owner
	last   int64 // the last acquisition or release
	block  int64 // the first block since, 0 for none
	gave   point // the last release by a writer
}

// rebuild walks through the points in order of time.
func (h *history) rebuild() {
	b := &rebuilding{history: h, last: h.r.first}
	for i := range h.points {
		p := &h.points[i]
		switch p.what {
		case blocked:
			b.leave(p)
			if b.block == 0 {
				b.block = p.at
			}
			continue
		case acquired:
			b.vacate(p.mode, p.at)
			b.owners = append(b.owners, owner{p.at, p})
		case released:
			if b.same(p) {
				continue
			}
			b.release(p)
		}
		b.last, b.block = p.at, 0
	}
	b.end()
}

// leave ends the tenure of an owner that blocks on the same lock: it gave it
// back unseen, or it is a writer that got in line and now waits for readers.
func (b *rebuilding) leave(p *point) {
	if i := b.index(p.thread); i >= 0 {
		b.estimate(b.owners[i], p.at)
		b.owners = slices.Delete(b.owners, i, i+1)
	}
}

// same reports whether a release is part of the one before: a writer wakes all
// readers that are queued, one by one, and then another writer; the first of
// them may run before it is done.
func (b *rebuilding) same(p *point) bool {
	return b.kind == format.KindReadWriteLock && p.mode == format.Exclusive &&
		p.thread == b.gave.thread && p.queued < b.gave.at && b.index(p.thread) < 0
}

// release ends the tenure of a goroutine that gives the lock back, and begins
// it first where that was not seen. When it wakes somebody, all readers are
// gone.
func (b *rebuilding) release(p *point) {
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

// began estimates since when the lock was owned by a goroutine that is first
// seen giving it back.
func (b *rebuilding) began(p *point) int64 {
	at := b.last + (p.at-b.last)/2
	if usual, ok := b.usual[b.function(p)]; ok {
		at = p.at - usual
	}
	if b.block != 0 {
		at = min(at, b.block)
	}
	return max(at, b.last)
}

// vacate ends the tenures that exclude one of the given mode from t on.
func (b *rebuilding) vacate(m format.Mode, t int64) {
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

// estimate ends a tenure whose end was not seen, at t at the latest.
func (b *rebuilding) estimate(o owner, t int64) {
	if usual, ok := b.usual[b.function(o.point)]; ok {
		t = min(t, o.since+usual)
	}
	b.add(o.point, o.since, t)
}

// end closes what is open when the trace ends. Somebody still owns a lock
// that others block on and nobody gives back.
func (b *rebuilding) end() {
	if b.block == 0 {
		b.vacate(format.Exclusive, b.r.last)
		return
	}
	for _, o := range b.owners {
		b.add(o.point, o.since, b.r.last)
	}
	if len(b.owners) == 0 {
		b.add(&point{}, b.block, b.r.last)
	}
}

func (b *rebuilding) add(p *point, start, end int64) {
	if start < end {
		b.out = append(b.out, tenure{start, end, p.thread, b.lock, p.stack, p.mode})
	}
}

func (b *rebuilding) index(t format.ThreadID) int {
	return slices.IndexFunc(b.owners, func(o owner) bool { return o.point.thread == t })
}
