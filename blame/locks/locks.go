// Package locks sums slices by lock or class of lock: how often and how long threads
// waited (locks.go), where owners took it, what they did and where the others wait
// (overview.go), and what threads wait for that is no lock (resources.go).
package locks

import (
	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/analysis/dist"
	"contend/format"
)

// Collector is a visitor that sums by lock, or by class.
type Collector struct {
	analysis.AnyQueue
	byClass bool
	sym     *analysis.Symbols
	index   []int32 // by lock, or by class: its sum, counting from 1
	sums    []sum
	wall    analysis.Union // of all
	running int64
	rec     bootstrap.Recorder
	cells   *bootstrap.Cells
}

type sum struct {
	id      uint32
	series  int // in the recorder; 0 when the trace is exact
	first   format.ObjectID
	waiters idSet
	known   analysis.Known
	waits   int64
	failed  int64
	waitNs  int64
	maxNs   int64
	wall    analysis.Union
	lengths dist.Dist
}

// New returns an empty collector.
func New(byClass bool) *Collector {
	return &Collector{byClass: byClass}
}

// ByClass reports whether the ids of rows are those of classes.
func (c *Collector) ByClass() bool { return c.byClass }

// Begin implements analysis.Visitor.
func (c *Collector) Begin(sym *analysis.Symbols, start int64) {
	c.sym = sym
	c.rec.Begin(start)
}

// Running implements analysis.RunningVisitor.
func (c *Collector) Running(from, to, ns int64) {
	c.running += ns
	if c.rec.Sampled() {
		c.rec.Running(from, to, ns)
	}
}

// Intervals implements analysis.RunningVisitor.
func (c *Collector) Intervals() (from, length int64) { return c.rec.Intervals() }

// Ticks implements analysis.RunningVisitor: the sums are estimates.
func (c *Collector) Ticks(n, ns int64) { c.rec.Ticks(n, ns) }

// Slice implements analysis.Visitor.
func (c *Collector) Slice(s *analysis.Slice) {
	i := c.find(s.Lock)
	for j := range s.Waiters {
		if s.Waiters[j].First || s.Sample.Taken { // else it was seen when the wait began
			c.sums[i].waiters.add(uint32(s.Waiters[j].Thread))
		}
	}
	c.add(&c.sums[i], s, len(s.Waiters))
	for j := range s.Waiters {
		if w := &s.Waiters[j]; w.First {
			c.sums[i].begin(w, s.Sample.Taken)
		}
	}
}

// QueueSlice implements analysis.QueueVisitor: all of their waits have begun.
func (c *Collector) QueueSlice(s *analysis.Slice, n int) { c.add(&c.sums[c.find(s.Lock)], s, n) }

// add adds the waiting of n waiters.
func (c *Collector) add(m *sum, s *analysis.Slice, n int) {
	if c.rec.Sampled() {
		c.rec.Add(m.series, s.Start, s.End, s.Length(), n)
	}
	m.waitNs += s.Length() * int64(n)
	for i := range s.Shares {
		m.known.Add(s.Shares[i].Direct.Prov, s.Shares[i].Ns*int64(n))
	}
	m.wall.AddSlice(s)
	c.wall.AddSlice(s)
}

// find returns the sum of a lock, making it if need be.
func (c *Collector) find(lock format.ObjectID) int32 {
	key := uint32(lock)
	if c.byClass {
		key = c.sym.Class(lock)
	}
	for len(c.index) <= int(key) {
		c.index = append(c.index, 0)
	}
	if c.index[key] == 0 {
		m := sum{first: lock}
		if m.id = key; c.rec.Sampled() {
			m.series = c.rec.New()
		}
		c.sums = append(c.sums, m)
		c.index[key] = int32(len(c.sums))
	}
	return c.index[key] - 1
}

// begin counts a wait, which was sampled or not.
func (m *sum) begin(w *analysis.Waiter, sampled bool) {
	m.waits++
	if w.Failed {
		m.failed++
	}
	if !sampled { // else the length is not known
		m.maxNs = max(m.maxNs, w.WaitNs)
		m.lengths.Add(w.WaitNs)
	}
}

// join adds another sum, but for its wall-time.
func (m *sum) join(o *sum) {
	m.waiters.join(&o.waiters)
	for p, ns := range o.known {
		m.known[p] += ns
	}
	m.waits, m.failed, m.waitNs, m.maxNs = m.waits+o.waits, m.failed+o.failed, m.waitNs+o.waitNs, max(m.maxNs, o.maxNs)
	m.lengths.Merge(&o.lengths)
}
