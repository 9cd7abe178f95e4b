package analysis

import (
	"math/bits"
	"time"

	"contend/format"
)

// measured is what the runtime measured of waiting at monitors, for samples to
// be scaled to: they miss some of it, since a thread is not shown blocked all
// the time it waits. What was measured of a thread goes to the monitors that the
// thread was sampled at: some are handed over more slowly than others.
type measured struct {
	told    bool  // the trace tells what was measured
	fresh   bool  // and did so after the instants put off
	until   int64 // up to when
	owed    int64 // thread-time that was measured and is not booked
	scaling bool  // what was put off is being booked
	pending []booking
	size    int   // of pending: bookings, and the locks and waiters in them
	ticks   int   // of pending: instants with waiting at monitors
	waiting int64 // of pending: thread-time at monitors
	known   int64 // the part of it that lies before until

	by       map[format.ThreadID]int64        // of owed: measured of each thread since the last booking
	seen     map[format.ThreadID]int64        // of waiting: of each thread
	at       map[seat]int64                   // the same at each monitor
	monitors map[format.ObjectID]*sampledTime // of pending

	sampled, booked int64 // thread-time at monitors that was scaled, and what became of it
}

// seat is a thread at a monitor.
type seat struct {
	thread  format.ThreadID
	monitor format.ObjectID
}

// sampledTime is sampled thread-time at one monitor, and what it stands for.
type sampledTime struct{ waiting, target int64 }

// booking is what an instant stands for, put off.
type booking struct {
	of     instant
	lo, hi int64
	seen   Sample
}

// begin forgets what is owed: measuring begins, or has ended.
func (m *measured) begin(told bool) {
	m.told, m.fresh, m.until, m.owed = told, false, format.NoTime, 0
	clear(m.by)
	if told && m.by == nil {
		m.by, m.seen = map[format.ThreadID]int64{}, map[format.ThreadID]int64{}
		m.at, m.monitors = map[seat]int64{}, map[format.ObjectID]*sampledTime{}
	}
}

// add takes what was measured of one thread.
func (m *measured) add(ev *format.Event) {
	if sum := m.owed + max(ev.Weight, earliest); m.told && !wildly(sum) {
		m.by[min(ev.Thread, maxSymbol)] += sum - m.owed
		m.owed, m.fresh, m.until, m.known = sum, true, ev.Time, m.waiting
	}
}

// wait takes in a thread that is sampled at a monitor.
func (m *measured) wait(t format.ThreadID, l format.ObjectID, ns int64) {
	in := m.monitors[l]
	if in == nil {
		in = &sampledTime{}
		m.monitors[l] = in
	}
	in.waiting += ns
	m.waiting += ns
	m.seen[t] += ns
	m.at[seat{t, l}] += ns
}

// aim sets what the sampled time at each monitor stands for. What was measured of
// a thread goes to the monitors it was sampled at, in parts as it was; what was
// measured of others, and what is left of before, to all. rest is what the samples
// behind the last measurement stand for, to all as well.
func (m *measured) aim(rest int64) {
	left := m.owed + rest
	for s, ns := range m.at {
		part := int64(float64(m.by[s.thread]) * float64(ns) / float64(m.seen[s.thread]))
		m.monitors[s.monitor].target += part
		left -= part
	}
	for _, in := range m.monitors {
		in.target += int64(float64(left) * float64(in.waiting) / float64(m.waiting))
	}
}

// factor returns that of the time at a monitor while it is being booked; the zero
// one, which scales nothing, for other locks and at other times.
func (m *measured) factor(l format.ObjectID) scale {
	if in := m.monitors[l]; m.scaling && in != nil {
		return scale{in.target, in.waiting}
	}
	return scale{}
}

// mostKept bounds the memory of instants that is used again, and nothing else.
const mostKept = 1 << 12

// clear forgets what was put off, when it is booked.
func (m *measured) clear() {
	m.scaling, m.fresh = false, false
	m.pending, m.size, m.ticks, m.waiting, m.known = m.pending[:0], 0, 0, 0, 0
	if cap(m.pending) > mostKept {
		m.pending = nil
	}
	clear(m.by)
	clear(m.seen)
	clear(m.at)
	clear(m.monitors)
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
