package analysis

import (
	"slices"
	"strconv"

	"contend/format"
)

// tick begins a sampling instant.
func (s *sampler) tick(t *format.Event) {
	at := t.Intended
	if at == 0 {
		at = t.Time
	}
	if d := at - s.intended; !s.told && s.intended != format.NoTime && d > 0 {
		s.period = s.distances.median(d)
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

// setting takes from the recorder the period, and whether it measures what
// samples stand for.
func (s *sampler) setting(ev *format.Event) {
	switch ev.Name {
	case format.SettingPeriod:
		if ns, err := strconv.ParseInt(ev.Value, 10, 64); err == nil && ns > 0 {
			s.period, s.told = ns, true
		}
	case format.SettingReach:
		s.inner = ev.Value == format.ReachBetween
	case format.SettingCalibration:
		s.bookPending()
		s.measured.begin(ev.Value == format.CalibrationBlocked)
	}
}

// begin charges what is open and begins the next input: its ticks know nothing
// of those before, whose time they may share.
func (s *sampler) begin() {
	s.finish()
	s.seen, s.spans = span{format.NoTime, format.NoTime}, s.recorded()
	s.prev, s.intended, s.period, s.told, s.inner, s.edge = format.NoTime, format.NoTime, 0, false, false, format.NoTime
	s.distances = distances{}
	s.measured.begin(false)
	s.before += s.threads
	s.threads = 0
	s.number++ // no wait goes on
}

// contention adds a lock to the current instant; without ticks every change
// of time is one.
func (s *sampler) contention(ev *format.Event) {
	if !s.next.valid || s.next.time != ev.Time {
		s.open(ev.Time, ev.Weight)
	}
	s.next.add().set(ev.Object, ev.Owners, ev.Waiters)
	s.sees(ev)
}

// open charges the instant before the last one and begins a new one.
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
	s.next.locks, s.next.idlers = s.next.locks[:0], s.next.idlers[:0]
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
	s.stalls.resolve(s.e, s.period, maxTime)
}

// charge emits the slices of cur, or puts them off.
func (s *sampler) charge(next int64) {
	near := s.rec.part().gaps.around(s.cur.time)
	lo, hi := s.reach(next, near)
	if !s.e.begun {
		s.start = lo
		s.e.begin(s.rec.earliest(lo))
	}
	seen := s.sample(s.tickBefore(near), s.tickAfter(next, hi, near))
	s.edge, s.end = hi, max(s.end, hi)
	if s.seen.start == format.NoTime {
		s.seen.start = lo
	}
	s.seen.end = hi
	s.asides(lo, hi)
	if s.measured.told {
		s.putOff(lo, hi, seen)
		return
	}
	s.e.tick(lo, hi)
	if s.stale || !s.repeats() {
		s.stale = false
		s.clear()
		s.build()
	}
	s.book(lo, hi, s.count(), &seen)
}

// repeats reports whether cur shows what the instant charged before it showed,
// which lies in the other buffer until the next one is read into it.
func (s *sampler) repeats() bool {
	return slices.EqualFunc(s.cur.locks, s.next.locks, func(a, b contendedLock) bool {
		return a.lock == b.lock && slices.Equal(a.owners, b.owners) && slices.Equal(a.waiters, b.waiters)
	})
}

// tellsOwners reports whether the samples show who holds the locks others wait
// for. Those of a source that never does have none of any lock; a lock may be
// free for a moment, though.
func (s *sampler) tellsOwners() bool { return s.samples > 0 && (s.owned || !s.unowned) }

// sees notes whether samples show who owns locks.
func (s *sampler) sees(ev *format.Event) {
	switch {
	case ev.Kind != format.KindContention:
	case len(ev.Owners) > 0:
		s.owned = true
	default:
		s.unowned = true
	}
}
