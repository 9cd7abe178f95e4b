package analysis

import (
	"slices"

	"contend/format"
)

// Where the trace tells what was measured of waiting at monitors, instants are
// put off until there are enough of them; then what they stand for there is
// scaled to what was measured meanwhile. It is the slices that are scaled, so that
// whatever is summed of them agrees; see sampler.emitScaled for who is charged with
// what is added.

// enoughTicks is how many instants with waiting at monitors are scaled together,
// unless the input ends: the factor of a few would be mostly chance.
const enoughTicks = 64

// maxPending bounds the instants that are put off, with the locks and waiters in
// them.
const maxPending = 1 << 18

// putOff keeps cur, which stands for [lo, hi).
func (s *sampler) putOff(lo, hi int64, seen Sample) {
	m := &s.measured
	if n := len(m.pending); n < cap(m.pending) {
		m.pending = m.pending[:n+1]
	} else {
		m.pending = append(m.pending, booking{})
	}
	b := &m.pending[len(m.pending)-1]
	b.lo, b.hi, b.seen = lo, hi, seen
	b.of.copy(s.cur)
	m.size++
	before := m.waiting
	for i := range b.of.locks {
		in := &b.of.locks[i]
		m.size += 1 + len(in.waiters)
		if hi-lo <= longestRun && s.e.defs.Kind(in.lock) == format.KindMonitor {
			for _, w := range in.waiters {
				m.wait(min(w.Thread, maxSymbol), min(in.lock, maxSymbol), hi-lo)
			}
		}
	}
	if m.waiting > before {
		m.ticks++
	}
	if s.cur.time <= m.until {
		m.known = m.waiting
	}
}

// bookEnough books what was put off, if it is enough.
func (s *sampler) bookEnough() {
	if m := &s.measured; m.fresh && (m.ticks >= enoughTicks || m.size > maxPending) || m.size > 4*maxPending {
		s.bookPending()
	}
}

// bookPending books all that was put off. What was sampled after the last
// measurement is scaled as everything before it.
func (s *sampler) bookPending() {
	m := &s.measured
	rest := m.waiting - m.known
	if m.sampled > 0 {
		rest = scale{m.booked, m.sampled}.of(rest)
	} else {
		rest = scale{m.owed, m.known}.of(rest)
	}
	m.aim(rest)
	m.scaling = true
	for i := range m.pending {
		b := &m.pending[i]
		cur := s.cur
		s.cur = &b.of
		s.bookScaled(b)
		s.cur = cur
	}
	m.sampled += m.waiting
	m.clear()
}

// bookScaled books what was put off, of cur.
func (s *sampler) bookScaled(b *booking) {
	s.e.tick(b.lo, b.hi)
	s.clear()
	s.build()
	s.stale = true
	running := s.count()
	s.book(b.lo, b.hi, running, &b.seen)
	s.runMore(b.lo, b.hi, running)
}

// runMore adds running time where waits were scaled to those of more threads
// than ran: who waits for a lock counts as running. It keeps account of what
// was booked. The time that is added lies at the end of [lo, hi), as often as it
// takes.
func (s *sampler) runMore(lo, hi, running int64) {
	m, length := &s.measured, hi-lo
	s.added = s.added[:0]
	for _, t := range s.nodes {
		f := m.factor(s.g.blocked[t].lock)
		if f.by == 0 {
			continue
		}
		scaled := f.of(length)
		m.booked += scaled
		m.owed -= scaled
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
		s.e.run(hi-s.added[i], hi-from, missing)
	}
}
