package analysis

import (
	"math"
	"strconv"

	"contend/format"
)

// tick begins a sampling instant.
func (s *sampler) tick(t *format.Event) {
	s.ticked = true
	at := t.Intended
	if at == 0 {
		at = t.Time
	}
	if d := at - s.intended; !s.periodKnown && s.intended != format.NoTime && d > 0 {
		s.period = s.intervals.add(d)
	}
	s.intended = at
	s.bookEnough()
	s.open(t.Time, t.Weight) // charges the tick before, to which the period matters
	s.next.live, s.next.idle = t.Live, t.IdleThreads
	s.stalls.resolve(s.e, s.period, at)
	if t.Intended != 0 {
		s.stalls.begin(t.Intended, t.Time)
	}
}

// setting takes the recorder's period, its reach, and whether it measures waiting.
func (s *sampler) setting(ev *format.Event) {
	switch ev.Name {
	case format.SettingPeriod:
		if ns, err := strconv.ParseInt(ev.Value, 10, 64); err == nil && ns > 0 {
			s.period, s.periodKnown = ns, true
		}
	case format.SettingReach:
		s.inner = ev.Value == format.ReachBetween
	case format.SettingCalibration:
		s.bookPending()
		s.measured.begin(ev.Value == format.CalibrationBlocked)
	}
}

// begin begins the next input and charges what is open. Ticks of different inputs are no
// neighbours, even if they overlap in time.
func (s *sampler) begin() {
	s.finish()
	s.covered, s.coveredBefore = span{format.NoTime, format.NoTime}, s.recorded()
	s.prev, s.intended, s.period, s.periodKnown, s.inner, s.edge = format.NoTime, format.NoTime, 0, false, false, format.NoTime
	s.intervals = intervalMedian{}
	s.measured.begin(false)
	s.before += s.threads
	s.threads = 0
	s.number++ // no wait continues
}

// contention adds a lock to the current instant. Without ticks, every change of time begins
// an instant.
func (s *sampler) contention(ev *format.Event) {
	if !s.next.valid || s.next.time != ev.Time {
		s.open(ev.Time, ev.Weight)
	}
	s.next.add().set(ev.Object, ev.Owners, ev.Waiters, false)
	s.noteOwners(ev)
}

// link adds waiters that stand for no time to the tick they belong to; it returns false if
// there is none.
func (s *sampler) link(ev *format.Event) bool {
	ok := s.ticked && s.next.valid && s.next.time == ev.Time && len(ev.Waiters) > 0 && ev.Object != format.NoObject
	if ok {
		s.next.add().set(ev.Object, ev.Owners, ev.Waiters, true)
	}
	return ok
}

// open begins a new instant and charges the last one but one.
func (s *sampler) open(t, weight int64) {
	if s.next.valid && s.next.time == t {
		return
	}
	if s.next.valid {
		s.advance(t)
	}
	s.any = true
	s.samples++
	s.next.valid, s.next.time, s.next.weight = true, t, weight
	s.next.live, s.next.idle = 0, 0
	s.next.locks, s.next.idleThreads = s.next.locks[:0], s.next.idleThreads[:0]
}

// advance charges next, whose successor is at t, after everything before it.
func (s *sampler) advance(t int64) {
	s.cur, s.next = s.next, s.cur
	s.charge(t)
	s.prev = s.cur.time
	s.next.valid = false
}

func (s *sampler) finish() {
	if s.next.valid {
		s.advance(format.NoTime)
	}
	s.bookPending()
	s.stalls.resolve(s.e, s.period, math.MaxInt64)
}

// charge emits the slices of cur, or postpones them.
func (s *sampler) charge(next int64) {
	near := s.rec.part().gaps.around(s.cur.time)
	lo, hi := s.reach(next, near)
	if !s.e.begun {
		s.start = lo
		s.e.begin(s.rec.earliest(lo))
	}
	seen := s.sample(s.tickBefore(near), s.tickAfter(next, hi, near))
	s.edge, s.end = hi, max(s.end, hi)
	if s.covered.start == format.NoTime {
		s.covered.start = lo
	}
	s.covered.end = hi
	s.chargeIdle(lo, hi)
	if s.measured.enabled {
		s.postpone(lo, hi, seen)
		return
	}
	s.bookInstant(lo, hi, &seen)
}

// showsOwners reports whether the samples show the owners of contended locks. A source that
// never does shows none for any lock; but a lock may be free for a moment.
func (s *sampler) showsOwners() bool { return s.samples > 0 && (s.owned || !s.unowned) }

// noteOwners notes whether a sample shows an owner.
func (s *sampler) noteOwners(ev *format.Event) {
	switch {
	case ev.Kind != format.KindContention:
	case len(ev.Owners) > 0:
		s.owned = true
	default:
		s.unowned = true
	}
}
