package analysis

import (
	"math/bits"
	"time"

	"contend/format"
)

// measured is what the runtime measured of waiting at monitors, for samples to
// be scaled to: they miss some of it, since a thread is not shown blocked all
// the time it waits.
type measured struct {
	told    bool  // the trace tells what was measured
	fresh   bool  // and did so after the instants put off
	until   int64 // up to when
	owed    int64 // thread-time that was measured and is not booked
	factor  scale // of what is being booked; the zero one scales nothing
	pending []booking
	size    int   // of pending: bookings, and the locks and waiters in them
	ticks   int   // of pending: instants with waiting at monitors
	waiting int64 // of pending: thread-time at monitors
	known   int64 // the part of it that lies before until

	sampled, booked int64 // thread-time at monitors that was scaled, and what became of it
}

// booking is what an instant stands for, put off.
type booking struct {
	of     instant
	lo, hi int64
	seen   Sample
}

// begin forgets what is owed: measuring begins, or has ended.
func (m *measured) begin(told bool) {
	m.told, m.fresh, m.until, m.owed = told, false, format.NoTime, 0
}

// add takes what was measured of one thread.
func (m *measured) add(ev *format.Event) {
	if sum := m.owed + max(ev.Weight, earliest); m.told && !wildly(sum) {
		m.owed, m.fresh, m.until, m.known = sum, true, ev.Time, m.waiting
	}
}

// warning says what sampled waiting was scaled to.
func (m *measured) warning() []format.Warning {
	if m.sampled == 0 {
		return nil
	}
	how := "what is missing is when the lock was free, [handoff], of which no sample tells"
	if m.booked < m.sampled {
		how = "what samples show is scaled to that"
	}
	return []format.Warning{{Code: "scaled", Text: format.Say(
		"samples show %v of waiting at monitors, and the JVM measured %v: %s", time.Duration(m.sampled), time.Duration(m.booked), how)}}
}

// maxScale bounds a factor and its inverse: what is beyond is owed to later
// samples.
const maxScale = 16

// scale is the factor to/by.
type scale struct{ to, by int64 }

// of returns a length times the factor.
func (f scale) of(length int64) int64 {
	if f.by <= 0 || length <= 0 || length > longestRun {
		return length
	}
	if f.to/maxScale >= f.by {
		return length * maxScale
	}
	high, low := bits.Mul64(uint64(length), uint64(max(f.to, f.by/maxScale)))
	q, _ := bits.Div64(high, low, uint64(f.by))
	return int64(q)
}

// longestRun is the length up to which successive instants are charged at once,
// and scaled, an hour: its thread-time is far from what int64 holds.
const longestRun = int64(3600e9)
