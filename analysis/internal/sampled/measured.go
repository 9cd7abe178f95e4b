package sampled

import (
	"math/bits"
	"time"

	"contend/analysis"
	"contend/analysis/owners"
	"contend/format"
	"contend/format/human"
)

// measured is the waiting at monitors that the runtime measured. Samples are scaled to it:
// they miss some waiting, because a waiting thread is not always shown blocked. The waiting
// of a thread goes to the monitors at which it was sampled, because hand-off is slower at
// some than at others.
type measured struct {
	enabled      bool  // the trace has measurements
	fresh        bool  // there is one after the pending instants
	until        int64 // time of the last measurement
	unbooked     int64 // thread-time measured and not booked yet
	scaling      bool  // pending instants are being booked
	pending      []booking
	size         int   // of pending: instants, locks and waiters
	ticks        int   // of pending: instants with waiting at monitors
	waiting      int64 // of pending: thread-time at monitors
	knownWaiting int64 // its part before until

	by       map[format.ThreadID]int64        // unbooked, by thread, since the last booking
	seen     map[format.ThreadID]int64        // waiting, by thread
	at       map[threadAtMonitor]int64        // waiting, by thread and monitor
	monitors map[format.ObjectID]*sampledTime // of pending

	sampled, booked int64 // thread-time at monitors before and after scaling
}

// threadAtMonitor is a thread that waits at a monitor.
type threadAtMonitor struct {
	thread  format.ThreadID
	monitor format.ObjectID
}

// sampledTime is sampled thread-time at one monitor, and the time it is scaled to, ns.
type sampledTime struct{ waiting, target int64 }

// booking is a pending instant and the interval it stands for.
type booking struct {
	of     instant
	lo, hi int64
	seen   analysis.Sample
}

// begin drops unbooked measurements when measuring begins or ends.
func (m *measured) begin(enabled bool) {
	m.enabled = enabled
	m.fresh = false
	m.until = format.NoTime
	m.unbooked = 0
	clear(m.by)
	if enabled && m.by == nil {
		m.by, m.seen = map[format.ThreadID]int64{}, map[format.ThreadID]int64{}
		m.at, m.monitors = map[threadAtMonitor]int64{}, map[format.ObjectID]*sampledTime{}
	}
}

// AddWaiting adds the measured waiting of one thread.
func (m *measured) AddWaiting(ev *format.Event) {
	if sum := m.unbooked + max(ev.Weight, earliest); m.enabled && !outOfRange(sum) {
		m.by[min(ev.Thread, owners.MaxID)] += sum - m.unbooked
		m.unbooked = sum
		m.fresh = true
		m.until = ev.Time
		m.knownWaiting = m.waiting
	}
}

// wait counts a thread that is sampled at a monitor.
func (m *measured) wait(t format.ThreadID, l format.ObjectID, ns int64) {
	in := m.monitors[l]
	if in == nil {
		in = &sampledTime{}
		m.monitors[l] = in
	}
	in.waiting += ns
	m.waiting += ns
	m.seen[t] += ns
	m.at[threadAtMonitor{t, l}] += ns
}

// setTargets sets the time to which the samples at each monitor are scaled. The measured
// waiting of a thread goes to the monitors at which it was sampled, in proportion. Waiting
// of other threads, and the remainder of earlier measurements, goes to all monitors. So
// does rest, the target of the samples after the last measurement.
func (m *measured) setTargets(rest int64) {
	left := m.unbooked + rest
	for s, ns := range m.at {
		part := int64(float64(m.by[s.thread]) * float64(ns) / float64(m.seen[s.thread]))
		m.monitors[s.monitor].target += part
		left -= part
	}
	for _, in := range m.monitors {
		in.target += int64(float64(left) * float64(in.waiting) / float64(m.waiting))
	}
}

// factor returns the factor of the time at a monitor that is being booked; the zero scale,
// which scales nothing, otherwise.
func (m *measured) factor(l format.ObjectID) scale {
	if in := m.monitors[l]; m.scaling && in != nil {
		return scale{in.target, in.waiting}
	}
	return scale{}
}

// maxKept bounds the number of instants whose memory is reused.
const maxKept = 1 << 12

// clear drops the pending instants after they are booked.
func (m *measured) clear() {
	m.scaling, m.fresh = false, false
	m.pending = m.pending[:0]
	m.size = 0
	m.ticks = 0
	m.waiting = 0
	m.knownWaiting = 0
	if cap(m.pending) > maxKept {
		m.pending = nil
	}
	clear(m.by)
	clear(m.seen)
	clear(m.at)
	clear(m.monitors)
}

// Warning reports the times to which sampled waiting was scaled.
func (m *measured) Warning() []format.Warning {
	if m.sampled == 0 {
		return nil
	}
	how := "the rest is the time when the lock was free, [handoff], which no sample shows"
	if m.booked < m.sampled {
		how = "the samples are scaled to it"
	}
	return []format.Warning{{Code: format.CodeScaled, Text: human.Say(
		"samples show %v of waiting at monitors, and the JVM measured %v: %s",
		time.Duration(m.sampled),
		time.Duration(m.booked),
		how,
	)}}
}

// maxScale bounds a factor and its inverse. The excess is carried over to later samples.
const maxScale = 16

// scale is the factor to/by.
type scale struct{ to, by int64 }

// scaled returns a duration times the factor.
func (f scale) scaled(length int64) int64 {
	if f.by <= 0 || length <= 0 || length > maxRun {
		return length
	}
	if f.to/maxScale >= f.by {
		return length * maxScale
	}
	high, low := bits.Mul64(uint64(length), uint64(max(f.to, f.by/maxScale)))
	q, _ := bits.Div64(high, low, uint64(f.by))
	return int64(q)
}

// maxRun is the duration up to which successive instants are scaled, one hour: its
// thread-time is far from overflow.
const maxRun = int64(3600e9)

// A trace's times lie between 1823 and 2116, so that the difference of any two fits int64.
// The decoders admit no others.
const (
	earliest = -1 << 62
	latest   = 1<<62 - 1
)

// outOfRange reports whether an instant is outside the times of traces.
func outOfRange(t int64) bool { return uint64(t-earliest) > latest-earliest }
