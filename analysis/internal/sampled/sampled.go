package sampled

import (
	"math"
	"strconv"

	"contend/analysis/internal/times"
	"contend/format"
)

// Tick begins a sampling instant.
func (s *Sampler) Tick(t *format.Event) {
	s.ticked = true
	at := t.Intended
	if at == 0 {
		at = t.Time
	}
	if d := at - s.intended; !s.periodKnown && s.intended != format.NoTime && d > 0 {
		s.period = s.intervals.addInterval(d)
	}
	s.intended = at
	s.Booker.bookEnough()
	s.open(t.Time, t.Weight) // charges the tick before, to which the period matters
	s.next.live, s.next.idle = t.Live, t.IdleThreads
	s.Stalls.resolve(s.Booker.e, s.period, at)
	if t.Intended != 0 {
		s.Stalls.begin(t.Intended, t.Time)
	}
}

// Setting takes the recorder's period, its reach, and whether it measures or sums waiting.
func (s *Sampler) Setting(ev *format.Event) {
	switch ev.Name {
	case format.SettingPeriod:
		if ns, err := strconv.ParseInt(ev.Value, 10, 64); err == nil && ns > 0 {
			s.period, s.periodKnown = ns, true
		}
	case format.SettingReach:
		s.inner = ev.Value == format.ReachBetween
	case format.SettingSums:
		s.sums = ev.Value == format.SumsOfWaits
	case format.SettingCalibration:
		s.Booker.bookPending()
		s.Booker.Measured.begin(ev.Value == format.CalibrationBlocked)
	}
}

// Begin begins the next input and charges the open instants. Ticks of different inputs are
// not neighbours, even if they overlap in time.
func (s *Sampler) Begin() {
	s.Finish()
	s.CoveredBefore = s.Recorded()
	s.covered = times.Span{Start: format.NoTime, End: format.NoTime}
	s.prev = format.NoTime
	s.intended = format.NoTime
	s.edge = format.NoTime
	s.period, s.periodKnown = 0, false
	s.inner, s.sums = false, false
	s.intervals = intervalMedian{}
	s.Booker.Measured.begin(false)
	s.threadsBefore += s.Booker.threads
	s.Booker.threads = 0
	s.Booker.number++ // no wait continues
}

// Contention adds a lock to the current instant. Without ticks, every change of time begins
// an instant.
func (s *Sampler) Contention(ev *format.Event) {
	if !s.next.valid || s.next.time != ev.Time {
		s.open(ev.Time, ev.Weight)
	}
	l := s.next.addLock()
	l.set(ev.Object, ev.Owners, ev.Waiters, false)
	if s.next.summed = s.sums; s.sums {
		l.waits = int64(min(ev.Count, math.MaxInt64))
	}
	if len(ev.Owners) > 0 {
		s.owned = true
	} else {
		s.unowned = true
	}
}

// Link adds waiters that stand for no time to their tick; it returns false if there is
// none.
func (s *Sampler) Link(ev *format.Event) bool {
	ok := s.ticked && s.next.valid && s.next.time == ev.Time && len(ev.Waiters) > 0 && ev.Object != format.NoObject
	if ok {
		s.next.addLock().set(ev.Object, ev.Owners, ev.Waiters, true)
	}
	return ok
}

// open begins a new instant and charges the last one but one.
func (s *Sampler) open(t, weight int64) {
	if s.next.valid && s.next.time == t {
		return
	}
	if s.next.valid {
		s.advance(t)
	}
	s.Any = true
	s.Samples++
	s.next.valid = true
	s.next.time = t
	s.next.weight = weight
	s.next.live = 0
	s.next.idle = 0
	s.next.summed = false
	s.next.locks, s.next.idleThreads = s.next.locks[:0], s.next.idleThreads[:0]
}

// advance charges next, whose successor is at t, after everything before it.
func (s *Sampler) advance(t int64) {
	s.cur, s.next = s.next, s.cur
	s.charge(t)
	s.prev = s.cur.time
	s.next.valid = false
}

func (s *Sampler) Finish() {
	if s.next.valid {
		s.advance(format.NoTime)
	}
	s.Booker.bookPending()
	s.Stalls.resolve(s.Booker.e, s.period, math.MaxInt64)
}

// charge emits the slices of cur, or postpones them.
func (s *Sampler) charge(next int64) {
	near := s.rec.Part().Gaps.Around(s.cur.time)
	lo, hi := s.reach(next, near)
	if !s.Booker.e.Begun {
		s.start = lo
		s.Booker.e.Begin(s.rec.Earliest(lo))
	}
	seen := s.sample(s.tickBefore(near), s.tickAfter(next, hi, near))
	s.edge, s.end = hi, max(s.end, hi)
	if s.covered.Start == format.NoTime {
		s.covered.Start = lo
	}
	s.covered.End = hi
	s.chargeIdle(lo, hi)
	if s.Booker.Measured.enabled {
		s.Booker.postpone(s.cur, lo, hi, seen)
		return
	}
	s.Booker.bookInstant(s.cur, lo, hi, &seen)
}

// ShowsOwners reports whether the samples show the owners of contended locks. A source that
// never does shows none for any lock; but a lock may be free for a moment.
func (s *Sampler) ShowsOwners() bool { return s.Samples > 0 && (s.owned || !s.unowned) }
