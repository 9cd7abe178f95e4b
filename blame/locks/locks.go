// Package locks sums slices by lock or class of lock: how often and how
// long threads waited, and how that is distributed.
package locks

import (
	"cmp"
	"slices"
	"sort"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/analysis/dist"
	"contend/format"
)

// Row is one lock, or one class of locks. Times are nanoseconds.
type Row struct {
	ID                uint32 // of the lock, or of the class
	Lock, Class, Kind string
	Locks             int // how many locks the row stands for
	Waits             int64
	Failed            int64 // waits that ended without the lock
	WaitNs            int64 // thread-time
	WallNs            int64
	MaxNs             int64 // longest wait; 0 when waits were only sampled
	P50Ns, P99Ns      int64 // percentiles of whole waits, to three digits; 0 when only sampled
	CSP               float64
	Waiters           int                         // distinct threads
	Addresses         int                         // at how many a lock was recorded that collections moved; 0 of others, and of a class
	Created           format.StackID              // that made the lock; NoStack of a class, and where the trace does not tell
	ByProvenance      [analysis.Provenances]int64 // WaitNs by how the direct owners are known
	Series            int                         // names the row to Collector.Estimate; 0 when it is exact
	lengths           *dist.Dist
}

// Percentile returns the length at or below which q per cent of the row's
// whole waits lie, to three digits; 0 when they were only sampled.
func (r *Row) Percentile(q float64) int64 {
	if r.lengths == nil {
		return 0
	}
	return r.lengths.Percentile(q)
}

// Collector is a visitor that sums by lock, or by class.
type Collector struct {
	byClass bool
	sym     *analysis.Symbols
	index   []int32 // by lock, or by class: its sum, counting from 1
	sums    []sum
	wall    analysis.Union // of all
	running int64
	rec     bootstrap.Recorder
	cells   *bootstrap.Cells
	groups  analysis.ByGroup[int32] // their sums
	last    [][fewSums]lastSum      // by thread, the latest first
}

// fewSums is how many sums a thread's slices mostly go to in turn.
const fewSums = 4

// lastSum is a sum that a thread's slices went to, counting from 1. A thread
// that waits there again costs no look-up.
type lastSum struct {
	lock format.ObjectID
	sum  int32
}

type sum struct {
	id      uint32
	series  int // in the recorder; 0 when the trace is exact
	first   format.ObjectID
	locks   idSet
	waiters idSet
	known   [analysis.Provenances]int64
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

// Begin implements analysis.Visitor.
func (c *Collector) Begin(sym *analysis.Symbols, start int64) {
	c.sym, c.groups = sym, analysis.ByGroup[int32]{}
	c.rec.Begin(start)
}

// Running implements analysis.RunningVisitor.
func (c *Collector) Running(from, to, ns int64) {
	c.running += ns
	if c.rec.Sampled() {
		c.rec.Running(from, to, ns)
	}
}

// Ticks implements analysis.TickVisitor: the sums are estimates.
func (c *Collector) Ticks(n, ns int64) { c.rec.Ticks(n, ns) }

// Slice implements analysis.Visitor.
func (c *Collector) Slice(s *analysis.Slice) {
	i := c.find(s.Lock)
	for j := range s.Waiters {
		if s.Waiters[j].First || s.Sample.Taken { // else it was met when the wait began
			c.meet(s.Waiters[j].Thread, s.Lock, i)
		}
	}
	m := &c.sums[i]
	if c.rec.Sampled() {
		c.rec.Add(m.series, s.Start, s.End, s.Length(), len(s.Waiters))
	}
	m.add(s)
	c.wall.AddSlice(s)
}

// Stretch implements analysis.StretchVisitor.
func (c *Collector) Stretch(s *analysis.Stretch) bool {
	for i := range s.Groups {
		g := &s.Groups[i]
		m := c.sumOf(g)
		if c.rec.Sampled() {
			c.rec.Add(m.series, s.Start, s.End, s.Length(), len(g.Waiters))
		}
		m.wall.AddStretch(s)
	}
	c.wall.AddStretch(s)
	return true
}

// Tally implements analysis.TallyVisitor.
func (c *Collector) Tally(w *analysis.Waiting, length, n int64) {
	for i := range w.Groups {
		g := &w.Groups[i]
		m, ns := c.sumOf(g), length*int64(len(g.Waiters))
		m.waits += n * int64(len(w.Begun(i)))
		m.waitNs += ns
		m.known[g.Share.Direct.Prov] += ns
	}
}

// sumOf returns the sum of a group's lock.
func (c *Collector) sumOf(g *analysis.Group) *sum {
	at, known := c.groups.At(g.Number)
	if !known {
		*at = c.find(g.Lock)
		for j := range g.Waiters {
			c.meet(g.Waiters[j].Thread, g.Lock, *at)
		}
	}
	return &c.sums[*at]
}

// meet notes who waits for what.
func (c *Collector) meet(t format.ThreadID, lock format.ObjectID, sum int32) {
	for len(c.last) <= int(t) {
		c.last = append(c.last, [fewSums]lastSum{})
	}
	now, last := lastSum{lock, sum + 1}, &c.last[t]
	at := slices.Index(last[:], now)
	if at < 0 {
		c.sums[sum].meet(t, lock)
		at = fewSums - 1
	}
	copy(last[1:at+1], last[:at])
	last[0] = now
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

// meet notes who waits for what.
func (m *sum) meet(t format.ThreadID, lock format.ObjectID) {
	m.locks.add(uint32(lock))
	m.waiters.add(uint32(t))
}

func (m *sum) add(s *analysis.Slice) {
	m.waitNs += s.Ns()
	m.wall.AddSlice(s)
	for i := range s.Shares {
		m.known[s.Shares[i].Direct.Prov] += s.Shares[i].Ns * int64(len(s.Waiters))
	}
	for i := range s.Waiters {
		w := &s.Waiters[i]
		if !w.First {
			continue
		}
		m.waits++
		if w.Failed {
			m.failed++
		}
		if !s.Sample.Taken { // else the length is not known
			m.maxNs = max(m.maxNs, w.WaitNs)
			m.lengths.Add(w.WaitNs)
		}
	}
}

// join adds another sum, but for its wall-time.
func (m *sum) join(o *sum) {
	m.locks.join(&o.locks)
	m.waiters.join(&o.waiters)
	for p, ns := range o.known {
		m.known[p] += ns
	}
	m.waits, m.failed, m.waitNs, m.maxNs = m.waits+o.waits, m.failed+o.failed, m.waitNs+o.waitNs, max(m.maxNs, o.maxNs)
	m.lengths.Merge(&o.lengths)
}

// Rows returns the sums in descending order of waiting time, ties by name.
func (c *Collector) Rows() []Row { return c.Top(0) }

// Top returns the first of the rows; 0 means all.
func (c *Collector) Top(most int) []Row {
	order := make([]int32, len(c.sums))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return c.sums[a].compare(&c.sums[b]) })
	if most <= 0 || most > len(order) {
		most = len(order)
	}
	rows := make([]Row, 0, most)
	for len(rows) < most {
		at := len(rows)
		same := at + 1 // where the ties end: their names are made for these only
		for same < len(order) && c.sums[order[at]].compare(&c.sums[order[same]]) == 0 {
			same++
		}
		if same > at+1 {
			c.sortByName(order[at:same])
		}
		for _, i := range order[at:min(same, most)] {
			rows = append(rows, c.row(&c.sums[i]))
		}
	}
	return rows
}

// compare orders sums by waiting, most first.
func (m *sum) compare(o *sum) int {
	return cmp.Or(cmp.Compare(o.waitNs, m.waitNs), cmp.Compare(o.waits, m.waits))
}

// sortByName orders sums by the names of their rows.
func (c *Collector) sortByName(of []int32) {
	names := make([]string, len(of))
	for i := range of {
		names[i] = c.name(&c.sums[of[i]])
	}
	sort.Sort(&named{names, of})
}

// named are numbers to be sorted by names.
type named struct {
	names []string
	of    []int32
}

func (n *named) Len() int           { return len(n.of) }
func (n *named) Less(i, j int) bool { return n.names[i] < n.names[j] }
func (n *named) Swap(i, j int) {
	n.names[i], n.names[j] = n.names[j], n.names[i]
	n.of[i], n.of[j] = n.of[j], n.of[i]
}

// Together returns the sum over some locks, but for its wall-time, and the waiting
// for the one that is waited for most.
func (c *Collector) Together(ids []uint32) (together Row, mostNs int64) {
	all := sum{first: format.NoObject}
	for _, id := range ids {
		if int(id) < len(c.index) && c.index[id] > 0 {
			one := &c.sums[c.index[id]-1]
			all.join(one)
			mostNs = max(mostNs, one.waitNs)
		}
	}
	return c.row(&all), mostNs
}

// Total returns the sum over all rows.
func (c *Collector) Total() Row {
	all := sum{first: format.NoObject}
	for i := range c.sums {
		all.join(&c.sums[i])
	}
	all.wall = c.wall
	return c.row(&all)
}

// RunningNs returns the cumulated running time of all threads.
func (c *Collector) RunningNs() int64 { return c.running }

// Estimate returns a row's waiting time in nanoseconds and its critical
// section pressure, each with its 95 % interval; false when the trace is exact
// or the row is one too many to tell. Nothing can be added any more.
func (c *Collector) Estimate(r *Row) (waitNs, csp bootstrap.Estimate, ok bool) {
	if !c.rec.Sampled() || r.Series <= 0 {
		return waitNs, csp, false
	}
	if c.cells == nil {
		c.cells = c.rec.Finish()
	}
	s := c.cells.Series(r.Series)
	return c.cells.Rate(s).Scale(float64(c.cells.Span())), c.cells.Ratio(s, c.cells.Series(bootstrap.Running)), true
}

// name is what the row of a sum is called.
func (c *Collector) name(m *sum) string {
	if c.byClass {
		return c.sym.ClassName(m.first)
	}
	return c.sym.LockName(m.first)
}

func (c *Collector) row(m *sum) Row {
	r := Row{ID: m.id, lengths: &m.lengths, Series: m.series, Locks: m.locks.len(), Waits: m.waits, Failed: m.failed, WaitNs: m.waitNs, WallNs: m.wall.Len(), MaxNs: m.maxNs, Waiters: m.waiters.len(), ByProvenance: m.known}
	if m.first != format.NoObject || c.byClass {
		r.Class = c.sym.ClassName(m.first)
		r.Kind = c.sym.Object(m.first).Kind.String()
		r.Lock = c.name(m)
		r.Created = c.sym.Object(m.first).Stack
		r.Addresses = c.sym.Object(m.first).Addresses
		if c.byClass {
			r.Created, r.Addresses = format.NoStack, 0
		}
	}
	r.P50Ns, r.P99Ns = m.lengths.Percentile(50), m.lengths.Percentile(99)
	if c.running > 0 {
		r.CSP = float64(m.waitNs) / float64(c.running)
	}
	return r
}
