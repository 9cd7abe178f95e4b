package sampled

import (
	"slices"

	"contend/analysis"
	"contend/analysis/internal/column"
	"contend/analysis/owners"
	"contend/format"
)

// If the trace measures waiting at monitors, instants are postponed until there are enough
// of them. Their slices are then scaled to the waiting measured in the same time, so all
// sums of slices agree. See emitScaled for the owner of the added time.

// enoughTicks is the number of instants with waiting at monitors that are scaled together,
// unless the input ends: the factor of a few would be mostly chance.
const enoughTicks = 64

// maxPending bounds the pending instants, counted with their locks and waiters.
const maxPending = 1 << 18

// postpone keeps cur, which stands for [lo, hi).
func (s *Sampler) postpone(lo, hi int64, seen analysis.Sample) {
	m := &s.Measured
	b := column.Next(&m.pending)
	b.lo, b.hi, b.seen = lo, hi, seen
	b.of.copy(s.cur)
	m.size++
	before := m.waiting
	for i := range b.of.locks {
		in := &b.of.locks[i]
		m.size += 1 + len(in.waiters)
		if !in.links && hi-lo <= maxRun && s.e.Defs.Kind(in.lock) == format.KindMonitor {
			for _, w := range in.waiters {
				m.wait(min(w.Thread, owners.MaxID), min(in.lock, owners.MaxID), hi-lo)
			}
		}
	}
	if m.waiting > before {
		m.ticks++
	}
	if s.cur.time <= m.until {
		m.knownWaiting = m.waiting
	}
}

// bookEnough books the pending instants if there are enough.
func (s *Sampler) bookEnough() {
	if m := &s.Measured; m.fresh && (m.ticks >= enoughTicks || m.size > maxPending) || m.size > 4*maxPending {
		s.bookPending()
	}
}

// bookPending books all pending instants. Samples after the last measurement are scaled
// like all samples before.
func (s *Sampler) bookPending() {
	m := &s.Measured
	rest := m.waiting - m.knownWaiting
	if m.sampled > 0 {
		rest = scale{m.booked, m.sampled}.of(rest)
	} else {
		rest = scale{m.unbooked, m.knownWaiting}.of(rest)
	}
	m.setTargets(rest)
	m.scaling = true
	for i := range m.pending {
		b := &m.pending[i]
		cur := s.cur
		s.cur = &b.of
		s.bookInstant(b.lo, b.hi, &b.seen)
		s.cur = cur
	}
	m.sampled += m.waiting
	m.clear()
}

// bookInstant books cur, which stands for [lo, hi).
func (s *Sampler) bookInstant(lo, hi int64, seen *analysis.Sample) {
	s.e.Tick(lo, hi)
	s.clear()
	s.build()
	running := s.count()
	s.book(lo, hi, running, seen)
	s.runMore(lo, hi, running)
}

// runMore adds running time if waits were scaled to more threads than ran, because a
// waiting thread counts as running. It also accounts for what was booked. Added time is at
// the end of [lo, hi), as many times as needed.
func (s *Sampler) runMore(lo, hi, running int64) {
	m, length := &s.Measured, hi-lo
	s.added = s.added[:0]
	for _, t := range s.nodes {
		f := m.factor(s.g.Blocked[t].Lock)
		if f.by == 0 {
			continue
		}
		scaled := f.of(length)
		m.booked += scaled
		m.unbooked -= scaled
		for rest := scaled - length; rest > 0 && length > 0; rest -= length {
			s.added = append(s.added, min(rest, length))
		}
	}
	slices.Sort(s.added)
	for i, missing := 0, int64(len(s.nodes)+len(s.added))-running; i < len(s.added) && missing > 0; i, missing = i+1, missing-1 {
		from := int64(0)
		if i > 0 {
			from = s.added[i-1]
		}
		s.e.Run(hi-s.added[i], hi-from, missing)
	}
}
