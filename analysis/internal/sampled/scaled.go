package sampled

import (
	"slices"

	"contend/analysis"
	"contend/analysis/owners"
	"contend/format"
	"contend/format/column"
)

// If the trace measures waiting at monitors, instants are postponed until there are enough
// of them. Their slices are then scaled to the waiting measured in the same time, so all
// sums of slices agree. See emitScaled for the owner of the added time.

// enoughTicks is the number of instants with waiting at monitors that are scaled together,
// unless the input ends: the factor of a few would be mostly chance.
const enoughTicks = 64

// maxPending bounds the pending instants, counted with their locks and waiters.
const maxPending = 1 << 18

// postpone keeps an instant that stands for [lo, hi).
func (b *booker) postpone(of *instant, lo, hi int64, seen analysis.Sample) {
	m := &b.Measured
	to := column.Next(&m.pending)
	to.lo = lo
	to.hi = hi
	to.seen = seen
	to.of.copy(of)
	m.size++
	before := m.waiting
	for i := range of.locks {
		in := &of.locks[i]
		m.size += 1 + len(in.waiters)
		if !in.links && hi-lo <= maxRun && b.e.Defs.Kind(in.lock) == format.KindMonitor {
			for _, w := range in.waiters {
				m.wait(min(w.Thread, owners.MaxID), min(in.lock, owners.MaxID), hi-lo)
			}
		}
	}
	if m.waiting > before {
		m.ticks++
	}
	if of.time <= m.until {
		m.knownWaiting = m.waiting
	}
}

// bookEnough books the pending instants if there are enough.
func (b *booker) bookEnough() {
	if m := &b.Measured; m.fresh && (m.ticks >= enoughTicks || m.size > maxPending) || m.size > 4*maxPending {
		b.bookPending()
	}
}

// bookPending books all pending instants. Samples after the last measurement are scaled
// like all samples before.
func (b *booker) bookPending() {
	m := &b.Measured
	rest := m.waiting - m.knownWaiting
	if m.sampled > 0 {
		rest = scale{m.booked, m.sampled}.scaled(rest)
	} else {
		rest = scale{m.unbooked, m.knownWaiting}.scaled(rest)
	}
	m.setTargets(rest)
	m.scaling = true
	for i := range m.pending {
		p := &m.pending[i]
		b.bookInstant(&p.of, p.lo, p.hi, &p.seen)
	}
	m.sampled += m.waiting
	m.clear()
}

// bookInstant books an instant that stands for [lo, hi).
func (b *booker) bookInstant(of *instant, lo, hi int64, seen *analysis.Sample) {
	b.e.Tick(lo, hi)
	b.clear()
	b.build(of)
	if b.summed = of.summed; b.summed {
		b.waits = of.locks[0].waits
	}
	running := b.count(of)
	b.book(lo, hi, running, seen)
	b.runMore(lo, hi, running)
}

// runMore adds running time if waits were scaled to more threads than ran, because a
// waiting thread counts as running. It also accounts for what was booked. Added time is at
// the end of [lo, hi), as many times as needed.
func (b *booker) runMore(lo, hi, running int64) {
	m, length := &b.Measured, hi-lo
	b.added = b.added[:0]
	for _, t := range b.nodes {
		f := m.factor(b.g.Blocked[t].Lock)
		if f.by == 0 {
			continue
		}
		scaled := f.scaled(length)
		m.booked += scaled
		m.unbooked -= scaled
		for rest := scaled - length; rest > 0 && length > 0; rest -= length {
			b.added = append(b.added, min(rest, length))
		}
	}
	slices.Sort(b.added)
	for i, missing := 0, int64(len(b.nodes)+len(b.added))-running; i < len(b.added) &&
		missing > 0; i, missing = i+1, missing-1 {
		from := int64(0)
		if i > 0 {
			from = b.added[i-1]
		}
		b.e.Run(hi-b.added[i], hi-from, missing)
	}
}
