package locks

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/analysis/dist"
	"contend/format"
)

// Row is one lock, or one class of locks. Times are nanoseconds.
type Row struct {
	ID                uint32 // of the lock, or of the class
	Lock, Class, Kind string
	Waits             int64
	Failed            int64 // waits that ended without the lock
	WaitNs            int64 // thread-time
	WallNs            int64
	MaxNs             int64 // longest wait; 0 when waits were only sampled
	P50Ns, P99Ns      int64 // percentiles of whole waits, to three digits; 0 when only sampled
	CSP               float64
	Waiters           int            // distinct threads
	Addresses         int            // at how many a lock was recorded that collections moved; 0 of others, and of a class
	Created           format.StackID // that made the lock; NoStack of a class, and where the trace does not tell
	ByProvenance      analysis.Known // WaitNs by how the direct owners are known
	Series            int            // names the row to Collector.Estimate; 0 when it is exact
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
	type named struct {
		name string
		sum  int32
	}
	list := make([]named, len(of))
	for i, n := range of {
		list[i] = named{c.name(&c.sums[n]), n}
	}
	slices.SortFunc(list, func(a, b named) int { return cmp.Compare(a.name, b.name) })
	for i := range list {
		of[i] = list[i].sum
	}
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
	r := Row{ID: m.id, lengths: &m.lengths, Series: m.series, Waits: m.waits, Failed: m.failed, WaitNs: m.waitNs, WallNs: m.wall.Len(), MaxNs: m.maxNs, Waiters: m.waiters.len(), ByProvenance: m.known}
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
