package csp

import (
	"cmp"
	"math"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/blame/cube"
	"contend/format"
)

// Metrics is a visitor for the metrics of lock profilers that precede critical section
// pressure, as Free Lunch lists them (David et al., OOPSLA 2014, section 2), for comparison.
type Metrics struct {
	*cube.Cube       // waits by lock, in one bin
	ElapsedNs  int64 // recorded time; 0: from the first instant seen to the last

	holds  map[format.ObjectID]*holdSums
	holdNs int64 // of all locks
}

// holdSums are the recorded holds of a lock: their number and their total length.
type holdSums struct{ acquired, holdNs int64 }

// Metric is one lock's row. Ratios that need holds are nil if the trace does not record them.
type Metric struct {
	Class             string
	Lock              string
	CSP               float64  // over the whole recording
	FailedPerSecond   float64  // acquisitions that had to wait, per second elapsed
	FailedPerAcquired *float64 // the same over all acquisitions
	InsidePerElapsed  *float64 // time in critical sections over time elapsed
	InsidePerAll      *float64 // the same over that of all locks
	WaitPerElapsed    float64  // time spent acquiring over time elapsed
}

// NewMetrics returns an empty collector.
func NewMetrics() *Metrics {
	one := cube.Limits{Bins: 1, Cells: math.MaxInt}
	return &Metrics{
		Cube:  cube.Over([]blame.Column{{Key: blame.ByLock}}, math.MaxInt64, one),
		holds: map[format.ObjectID]*holdSums{},
	}
}

// Held implements analysis.HoldVisitor.
func (m *Metrics) Held(h *analysis.Hold) {
	if h.Rebuilt {
		return // their number is not known
	}
	c := blame.Entry(m.holds, h.Lock)
	c.acquired++
	c.holdNs += h.End - h.Start
	m.holdNs += h.End - h.Start
}

// Idle implements analysis.HoldVisitor.
func (*Metrics) Idle(format.ThreadID, int64, int64, bool) {}

// Rows returns the locks in order of pressure.
func (m *Metrics) Rows() []Metric {
	elapsed, running := cmp.Or(m.ElapsedNs, m.End-m.Start), int64(0)
	for _, ns := range m.RunningNs {
		running += ns
	}
	rows := make([]Metric, 0, len(m.Cube.Rows))
	waited := map[format.ObjectID]bool{}
	for i := range m.Cube.Rows {
		r := &m.Cube.Rows[i]
		waited[r.Lock] = true
		rows = append(rows, m.row(r.Lock, r.Waits, r.Ns, elapsed, running))
	}
	for lock := range m.holds {
		if !waited[lock] {
			rows = append(rows, m.row(lock, 0, 0, elapsed, running))
		}
	}
	slices.SortFunc(rows, func(a, b Metric) int {
		return cmp.Or(cmp.Compare(b.CSP, a.CSP), cmp.Compare(a.Lock, b.Lock))
	})
	return rows
}

// row returns the metrics of a lock with failed waits of waitNs in all.
func (m *Metrics) row(lock format.ObjectID, failed, waitNs, elapsed, running int64) Metric {
	name, _ := m.Text(0, uint32(lock))
	r := Metric{
		Class:           m.Class(uint32(lock)),
		Lock:            name,
		FailedPerSecond: analysis.Ratio(failed, elapsed) * 1e9,
		WaitPerElapsed:  analysis.Ratio(waitNs, elapsed),
		CSP:             analysis.Ratio(waitNs, running),
	}
	if len(m.holds) == 0 {
		return r
	}
	var c holdSums
	if h := m.holds[lock]; h != nil {
		c = *h
	}
	r.FailedPerAcquired = new(
		analysis.Ratio(failed, max(c.acquired, failed)),
	) // a wait may end after the cut, or without the lock
	r.InsidePerElapsed = new(analysis.Ratio(c.holdNs, elapsed))
	r.InsidePerAll = new(analysis.Ratio(c.holdNs, m.holdNs))
	return r
}
