package csp

import (
	"fmt"
	"math"
	"time"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/blame"
	"contend/blame/cube"
	"contend/format"
)

// Options of a Meter.
type Options struct {
	IntervalNs int64   // length of a measurement interval; 0 means 1 s
	Threshold  float64 // pressure from which a phase begins; 0 means DefaultThreshold
	Root       bool    // charge waiting to the last lock of each path instead of the first
	Phases     bool    // only phases are wanted: no other pressure gets a confidence interval
	ByClass    bool    // pressure of classes of locks instead of single locks
	Top        int     // number of phases; 0 means all
}

// DefaultThreshold is the pressure from which a lock is worth a look: Free
// Lunch finds locks above 5 % worth fixing.
const DefaultThreshold = 0.05

// maxPhaseIntervals bounds the intervals if only phases are wanted, to three days of seconds: a
// wrong time in a damaged trace must not fill the memory of an overview.
const maxPhaseIntervals = 1 << 18

// Meter is a visitor that sums waiting by interval and lock. Memory grows with the intervals
// and the locks contended in each.
type Meter struct {
	analysis.AnyQueue
	// the place of an owner of a lock; nil: causes have none
	PlaceOf func(lock format.ObjectID, o analysis.Owner) OwnerPlace
	// the site in a lock's name, "" if unknown; nil: all are unknown
	Site func(lock format.ObjectID) string

	opts  Options
	sym   *analysis.Symbols
	waits *cube.Cube // by lock, and the running time
	// by lock and the owner's call chain, whichever thread ran it and however that is known
	causes    *cube.Cube
	waitNs    int64                   // of all locks
	runningNs int64                   // of all threads
	rec       bootstrap.Recorder      // of sampled traces, by lock
	series    map[format.ObjectID]int // by lock: its series in rec
	// of sampled traces: all locks in one series, in coarse cells, as only whole-trace ratios are asked
	// of it
	coarse   bootstrap.Recorder
	allLocks int // the series of all locks in coarse
}

// New returns an empty meter.
func New(o Options) *Meter {
	if o.IntervalNs <= 0 {
		o.IntervalNs = 1e9
	}
	if o.Threshold <= 0 {
		o.Threshold = DefaultThreshold
	}
	lock, bins := blame.Column{Key: blame.ByLock}, analysis.MaxIntervals
	if o.Root {
		lock = blame.Column{Key: blame.ByRootLock, Root: true}
	}
	if o.Phases {
		bins = maxPhaseIntervals
	}
	table := func(columns ...blame.Column) *cube.Cube {
		return cube.Over(columns, o.IntervalNs, cube.Limits{Bins: bins, Cells: math.MaxInt})
	}
	return &Meter{
		opts:     o,
		series:   map[format.ObjectID]int{},
		allLocks: bootstrap.NoSeries,
		waits:    table(lock),
		causes:   table(lock, blame.Column{Key: blame.ByOwnerStack, Root: o.Root}),
	}
}

// Begin implements analysis.Visitor.
func (m *Meter) Begin(sym *analysis.Symbols, start int64) {
	m.sym = sym
	m.waits.Begin(sym, start)
	m.causes.Begin(sym, start)
	m.rec.BeginFine(start)
	m.coarse.Begin(start)
}

// Ticks implements analysis.RunningVisitor: the sums are estimates.
func (m *Meter) Ticks(n, ns int64) {
	m.rec.Ticks(n, ns)
	m.coarse.Ticks(n, ns)
}

// Running implements analysis.RunningVisitor.
func (m *Meter) Running(from, to, ns int64) {
	m.runningNs += ns
	if m.rec.Sampled() {
		m.rec.Running(from, to, ns)
		m.coarse.Running(from, to, ns)
	}
	m.waits.Running(from, to, ns)
}

// Intervals implements analysis.RunningVisitor.
func (m *Meter) Intervals() (from, length int64) { return m.waits.Intervals() }

// Slice implements analysis.Visitor. The parts of a slice, and of each share of
// it, in the intervals add up for each waiter.
func (m *Meter) Slice(s *analysis.Slice) { m.QueueSlice(s, len(s.Waiters)) }

// QueueSlice implements analysis.QueueVisitor.
func (m *Meter) QueueSlice(s *analysis.Slice, n int) {
	if s.Length() == 0 {
		return // it may lie at the end of the last interval
	}
	m.waitNs += s.Length() * int64(n)
	m.record(s, n)
	m.waits.QueueSlice(s, n)
	m.causes.QueueSlice(s, n)
}

// Series returns the pressure over the recording. It fails when the interval
// is too short for the recording's length.
func (m *Meter) Series() (*Series, error) {
	if m.waits.BinNs > m.opts.IntervalNs { // there were too many
		return nil, fmt.Errorf(
			"the trace has more than %d intervals of %v; choose a longer interval",
			m.waits.MaxBins(),
			time.Duration(m.opts.IntervalNs),
		)
	}
	s := &Series{IntervalNs: m.opts.IntervalNs, WaitNs: m.waitNs, RunningNs: m.runningNs, meter: m, n: m.waits.Bins()}
	phases, found := m.phases()
	s.Phases = phases
	m.addConfidence(s, found)
	return s, nil
}

// running returns the running thread-time of an interval.
func (m *Meter) running(i int32) int64 {
	if int(i) < len(m.waits.RunningNs) {
		return m.waits.RunningNs[i]
	}
	return 0
}

// begin returns the start of interval i.
func (m *Meter) begin(i int32) int64 { return m.waits.Start + int64(i)*m.opts.IntervalNs }

// end returns the end of interval i, no later than the last instant seen.
func (m *Meter) end(i int32) int64 {
	start := m.begin(i)
	return start + min(m.opts.IntervalNs, m.waits.End-start)
}
