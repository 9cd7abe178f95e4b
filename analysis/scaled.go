package analysis

import "contend/format"

// Where the trace tells what was measured of waiting at monitors, instants are
// put off until there are enough of them; then what they stand for there is
// scaled, all alike, to what was measured meanwhile. It is the slices that are
// scaled, so that whatever is summed of them agrees; see sampler.emitScaled for
// who is charged with what is added.

// enoughTicks is how many instants with waiting at monitors are scaled together,
// unless the input ends: the factor of a few would be mostly chance.
const enoughTicks = 64

// maxPending bounds the instants that are put off, with the locks and waiters in
// them.
const maxPending = 1 << 18

// mostKept bounds the memory of instants that is used again.
const mostKept = 1 << 12

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
	threads := int64(0)
	locks := b.of.contended()
	for i := range locks {
		in := &locks[i]
		m.size += 1 + len(in.waiters)
		if s.e.defs.Kind(in.lock) == format.KindMonitor {
			threads += int64(len(in.waiters))
		}
	}
	if threads > 0 && hi-lo <= longestRun {
		m.ticks++
		m.waiting += (hi - lo) * threads
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
	m.factor = scale{m.owed, m.known}
	if rest := m.waiting - m.known; rest > 0 {
		before := m.factor
		if m.sampled > 0 {
			before = scale{m.booked, m.sampled}
		}
		m.factor = scale{m.owed + before.of(rest), m.waiting}
	}
	for i := range m.pending {
		b := &m.pending[i]
		cur := s.cur
		s.cur = &b.of
		s.bookScaled(b)
		s.cur = cur
	}
	m.sampled += m.waiting
	m.factor, m.fresh = scale{}, false
	m.pending, m.size, m.ticks, m.waiting, m.known = m.pending[:0], 0, 0, 0, 0
	if cap(m.pending) > mostKept {
		m.pending = nil
	}
}

// bookScaled books what was put off, of cur.
func (s *sampler) bookScaled(b *booking) {
	s.e.tick(b.lo, b.hi)
	s.clear()
	s.known = nil
	s.build()
	s.simple = s.plain()
	running := s.count()
	s.book(b.lo, b.hi, running, &b.seen)
	s.runMore(b.lo, b.hi, running)
}

// runMore adds running time where waits were scaled to those of more threads
// than ran: who waits for a lock counts as running. It keeps account of what
// was booked.
func (s *sampler) runMore(lo, hi, running int64) {
	monitors := int64(0)
	for _, t := range s.nodes {
		if s.scales(s.g.blocked[t].lock) {
			monitors++
		}
	}
	length := hi - lo
	scaled := s.measured.factor.of(length)
	s.measured.booked += scaled * monitors
	s.measured.owed -= scaled * monitors
	waiting := int64(len(s.nodes))
	for rest := scaled - length; rest > 0 && monitors > 0; rest -= length {
		waiting += monitors
		if missing := waiting - running; missing > 0 {
			s.e.run(hi-min(rest, length), hi, missing)
			running = waiting
		}
	}
}
