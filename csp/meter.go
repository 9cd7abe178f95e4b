package csp

import (
	"fmt"
	"math"
	"time"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/format"
)

// Options of a Meter.
type Options struct {
	IntervalNs int64   // length of a measurement interval; 0 means 1 s
	Threshold  float64 // pressure from which a phase begins; 0 means DefaultThreshold
	Root       bool    // charge waiting to the last lock of each path instead of the first
	Phases     bool    // only the phases are wanted: their pressures alone are given intervals of confidence
	Top        int     // how many phases are wanted; 0 means all
}

// DefaultThreshold is the pressure from which a lock is worth a look: Free
// Lunch finds locks above 5 % worth fixing.
const DefaultThreshold = 0.05

// maxIntervals bounds the series, which is printed whole: twelve days of
// seconds. Phases alone are an overview, of three days: a wild time in a
// damaged trace must not fill the memory.
const (
	maxIntervals = 1 << 20
	maxOfPhases  = 1 << 18
)

// Meter is a visitor that sums waiting by interval and lock. Memory grows
// with the intervals and the locks contended in each.
type Meter struct {
	Name  func(lock format.ObjectID, o analysis.Owner) string // writes an owner for people; nil for none
	shown map[named]string

	o       Options
	sym     *analysis.Symbols
	start   int64
	last    int64
	most    int64      // intervals
	running []int64    // by interval
	waits   aggregator // owners left out
	causes  aggregator
	wait    int64
	ran     int64
	rec     bootstrap.Recorder // of sampled traces, by lock
	series  map[format.ObjectID]int
	all     bootstrap.Recorder // of sampled traces, all locks together: coarse, as it is asked about the whole
	whole   int                // series of all locks in it
	at      interval           // that was added to last
	err     error
}

// interval is [from, to) and its number. Most stretches lie in the one of the
// stretch before.
type interval struct {
	from, to int64
	number   int32
}

func (i *interval) holds(from, to int64) bool { return from >= i.from && to <= i.to && from < to }

// New returns an empty meter.
func New(o Options) *Meter {
	if o.IntervalNs <= 0 {
		o.IntervalNs = 1e9
	}
	if o.Threshold <= 0 {
		o.Threshold = DefaultThreshold
	}
	m := &Meter{o: o, most: maxIntervals, series: map[format.ObjectID]int{}, whole: bootstrap.NoSeries}
	if o.Phases {
		m.most = maxOfPhases
	}
	return m
}

// Begin implements analysis.Visitor.
func (m *Meter) Begin(sym *analysis.Symbols, start int64) {
	m.sym, m.start, m.last = sym, start, start
	m.rec.BeginFine(start)
	m.all.Begin(start)
}

// Ticks implements analysis.TickVisitor: the sums are estimates.
func (m *Meter) Ticks(n, ns int64) {
	m.rec.Ticks(n, ns)
	m.all.Ticks(n, ns)
}

// Running implements analysis.RunningVisitor.
func (m *Meter) Running(from, to, ns int64) {
	m.ran += ns
	if m.rec.Sampled() {
		m.rec.Running(from, to, ns)
		m.all.Running(from, to, ns)
	}
	m.each(from, to, func(i int32, lo, hi int64) {
		m.running[i] += analysis.Spread(ns, from, to, lo, hi)
	})
}

// Interval implements analysis.IntervalVisitor.
func (m *Meter) Interval() int64 { return m.o.IntervalNs }

// Slice implements analysis.Visitor. The parts of a slice, and of each share of
// it, in the intervals add up for each waiter.
func (m *Meter) Slice(s *analysis.Slice) { m.QueueSlice(s, len(s.Waiters)) }

// QueueSlice implements analysis.QueueVisitor.
func (m *Meter) QueueSlice(s *analysis.Slice, n int) {
	m.wait += s.Length() * int64(n)
	m.record(s, n)
	m.each(s.Start, s.End, func(i int32, lo, hi int64) { m.charge(s, int64(n), i, lo, hi) })
}

// charge charges the part of a slice of n waiters in an interval.
func (m *Meter) charge(s *analysis.Slice, n int64, i int32, lo, hi int64) {
	if !m.o.Root {
		m.waits.add(i, s.Lock, analysis.Owner{}, n*(hi-lo))
	}
	for j := range s.Shares {
		sh := &s.Shares[j]
		ns := n * analysis.Spread(sh.Ns, s.Start, s.End, lo, hi)
		lock, owner := m.charged(s.Lock, sh)
		if m.o.Root {
			m.waits.add(i, lock, analysis.Owner{}, ns)
		}
		m.causes.add(i, lock, owner, ns)
	}
}

// charged returns the lock and the owner a share is charged to. The owner is a
// call chain, whichever thread ran it and however that is known.
func (m *Meter) charged(lock format.ObjectID, sh *analysis.Share) (format.ObjectID, analysis.Owner) {
	owner := *sh.Owner(m.o.Root)
	if m.o.Root {
		lock = sh.Last
	}
	owner.Thread, owner.Prov, owner.Did = format.NoThread, analysis.Exact, format.ActivityUnknown
	return lock, owner
}

// each calls f for the part of [from, to) in each interval.
func (m *Meter) each(from, to int64, f func(i int32, lo, hi int64)) {
	m.last = max(m.last, to)
	if m.at.holds(from, to) {
		f(m.at.number, from, to)
		return
	}
	for from < to && m.err == nil {
		i := (from - m.start) / m.o.IntervalNs
		if i < 0 || i >= m.most {
			m.err = fmt.Errorf("the trace has more than %d intervals of %v; choose a longer interval", m.most, time.Duration(m.o.IntervalNs))
			return // and no sum from here on would be of use
		}
		for int64(len(m.running)) <= i {
			m.running = append(m.running, 0)
		}
		edge, in := to, (from-m.start)%m.o.IntervalNs
		if left := m.o.IntervalNs - in; left < to-from { // the next edge itself may lie beyond int64
			edge = from + left
		} else {
			m.at = interval{from - in, to + min(left-(to-from), math.MaxInt64-to), int32(i)}
		}
		f(int32(i), from, edge)
		from = edge
	}
}

// Series returns the pressure over the recording. It fails when the interval
// is too short for the recording's length.
func (m *Meter) Series() (*Series, error) {
	if m.err != nil {
		return nil, m.err
	}
	s := &Series{IntervalNs: m.o.IntervalNs, WaitNs: m.wait, RunningNs: m.ran, meter: m, waits: m.waits.sums()}
	phases, found := m.phases(s.waits)
	s.Phases = phases
	m.addIntervals(s, found)
	return s, nil
}

// begin returns the start of interval i.
func (m *Meter) begin(i int32) int64 { return m.start + int64(i)*m.o.IntervalNs }

// end returns the end of interval i, no later than the last instant seen.
func (m *Meter) end(i int32) int64 {
	start := m.begin(i)
	return start + min(m.o.IntervalNs, m.last-start)
}

func ratio(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
