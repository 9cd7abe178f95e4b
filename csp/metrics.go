package csp

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/format"
)

// Metrics is a visitor for the metrics that lock profilers reported before
// critical section pressure, as Free Lunch lists them (David et al., OOPSLA
// 2014, section 2), to be read beside it.
type Metrics struct {
	ElapsedNs int64 // how long was recorded; 0: from the first instant seen to the last

	sym      *analysis.Symbols
	locks    map[format.ObjectID]*counts
	running  int64
	tenures  bool
	inside   int64 // time in critical sections over all locks
	from, to int64
}

type counts struct {
	acquired, failed int64
	inside           int64 // time in critical sections
	waiting          int64 // time spent acquiring
}

// Metric is one lock's row. Ratios that need tenures the trace does not
// record are nil.
type Metric struct {
	Class             string   `json:"class"`
	Lock              string   `json:"lock"`
	CSP               float64  `json:"csp"`               // over the whole recording
	FailedPerSecond   float64  `json:"failedPerSecond"`   // acquisitions that had to wait, per second elapsed
	FailedPerAcquired *float64 `json:"failedPerAcquired"` // the same over all acquisitions
	InsidePerElapsed  *float64 `json:"insidePerElapsed"`  // time in critical sections over time elapsed
	InsidePerAll      *float64 `json:"insidePerAll"`      // the same over that of all locks
	WaitPerElapsed    float64  `json:"waitPerElapsed"`    // time spent acquiring over time elapsed
}

// NewMetrics returns an empty collector.
func NewMetrics() *Metrics { return &Metrics{locks: map[format.ObjectID]*counts{}} }

// Begin implements analysis.Visitor.
func (m *Metrics) Begin(sym *analysis.Symbols, start int64) { m.sym, m.from, m.to = sym, start, start }

// Running implements analysis.RunningVisitor.
func (m *Metrics) Running(_, to, ns int64) {
	m.running += ns
	m.to = max(m.to, to)
}

// Interval implements analysis.IntervalVisitor: one sum.
func (m *Metrics) Interval() int64 { return 0 }

// Slice implements analysis.Visitor.
func (m *Metrics) Slice(s *analysis.Slice) {
	m.of(s.Lock).failed += s.Firsts()
	m.QueueSlice(s, len(s.Waiters))
}

// QueueSlice implements analysis.QueueVisitor: no wait begins in one.
func (m *Metrics) QueueSlice(s *analysis.Slice, n int) {
	m.of(s.Lock).waiting += int64(n) * s.Length()
	m.to = max(m.to, s.End)
}

// Held implements analysis.HoldVisitor.
func (m *Metrics) Held(h *analysis.Hold) {
	if h.Rebuilt {
		return // of those it is not known how many there were
	}
	m.tenures = true
	c := m.of(h.Lock)
	c.acquired++
	c.inside += h.End - h.Start
	m.inside += h.End - h.Start
}

func (m *Metrics) of(lock format.ObjectID) *counts {
	c := m.locks[lock]
	if c == nil {
		c = &counts{}
		m.locks[lock] = c
	}
	return c
}

// Rows returns the locks in order of pressure.
func (m *Metrics) Rows() []Metric {
	elapsed := cmp.Or(m.ElapsedNs, m.to-m.from)
	rows := make([]Metric, 0, len(m.locks))
	for lock, c := range m.locks {
		r := Metric{Class: m.sym.ClassName(lock), Lock: m.sym.LockName(lock),
			FailedPerSecond: ratio(c.failed, elapsed) * 1e9, WaitPerElapsed: ratio(c.waiting, elapsed), CSP: ratio(c.waiting, m.running)}
		if m.tenures {
			r.FailedPerAcquired = new(ratio(c.failed, max(c.acquired, c.failed))) // a wait may end behind the cut, or without the lock
			r.InsidePerElapsed = new(ratio(c.inside, elapsed))
			r.InsidePerAll = new(ratio(c.inside, m.inside))
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b Metric) int {
		return cmp.Or(cmp.Compare(b.CSP, a.CSP), cmp.Compare(a.Lock, b.Lock))
	})
	return rows
}
