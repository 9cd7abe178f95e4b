package locks

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/analysis/durations"
	"contend/blame"
	"contend/format"
)

// Collector is a pivot by lock, or by class, whose rows describe whole waits.
type Collector struct {
	*blame.Pivot
	byClass bool
}

// Row is one lock, or one class of locks. Times are nanoseconds.
type Row struct {
	ID      uint32 // of the lock, or of the class
	Lock    string
	Class   string
	Kind    string
	Waits   int64
	Failed  int64 // waits that ended without the lock
	WaitNs  int64 // thread-time
	WallNs  int64
	MaxNs   int64 // longest wait; 0 when waits were only sampled
	P50Ns   int64 // percentiles of whole waits, to three digits; 0 when only sampled
	P99Ns   int64
	CSP     float64
	Waiters int // distinct threads
	// waits for the lock again after Object.wait or await, whose beginnings are estimated, and their part of WaitNs
	Reacquired   int64
	ReacquiredNs int64
	// at how many a lock was recorded that collections moved; 0 of others, and of a class
	Addresses int
	// that made the lock; NoStack of a class, and where that is not recorded
	Created      format.StackID
	ByProvenance analysis.Known // WaitNs by how the direct owners are known
	lengths      *durations.Distribution
	at           int // its place in the pivot
}

// New returns an empty collector.
func New(byClass bool) *Collector {
	by := blame.ByLock
	if byClass {
		by = blame.ByClass
	}
	return &Collector{blame.New([]blame.Key{by}, false).Whole(), byClass}
}

// Estimate returns a row's waiting time in nanoseconds and its critical section pressure, see
// blame.Pivot.Estimate.
func (c *Collector) Estimate(r *Row) (waitNs, csp bootstrap.Estimate, ok bool) {
	return c.Pivot.Estimate(r.at)
}

// ByClass reports whether rows are classes.
func (c *Collector) ByClass() bool { return c.byClass }

// Percentile returns the duration that q per cent of the row's whole waits do not exceed, to three
// digits; 0 if they were only sampled.
func (r *Row) Percentile(q float64) int64 {
	if r.lengths == nil {
		return 0
	}
	return r.lengths.Percentile(q)
}

// Rows returns the sums in descending order of waiting time, ties by name.
func (c *Collector) Rows() []Row { return c.Top(0) }

// Top returns the first rows; 0 means all. There may be a million locks, so a name is only made if it
// is shown or decides the order.
func (c *Collector) Top(most int) []Row {
	order, names := make([]int, c.Len()), map[int]string{}
	for i := range order {
		order[i] = i
	}
	name := func(row int) string {
		if _, known := names[row]; !known {
			_, _, w := c.WholeRow(row)
			names[row] = c.name(w.First)
		}
		return names[row]
	}
	slices.SortFunc(order, func(a, b int) int {
		_, x, _ := c.WholeRow(a)
		_, y, _ := c.WholeRow(b)
		if by := cmp.Or(cmp.Compare(y.ThreadNs, x.ThreadNs), cmp.Compare(y.Waits, x.Waits)); by != 0 {
			return by
		}
		return cmp.Compare(name(a), name(b))
	})
	if most > 0 {
		order = order[:min(most, len(order))]
	}
	rows := make([]Row, len(order))
	for i, at := range order {
		id, s, w := c.WholeRow(at)
		rows[i] = c.row(*s, w)
		rows[i].ID = id
		rows[i].WallNs = c.WallNs(at)
		rows[i].at = at
	}
	return rows
}

// Together returns the sum over some locks without its wall-time, and the waiting for the most
// contended of them.
func (c *Collector) Together(ids []uint32) (together Row, mostNs int64) {
	var rows []int
	for _, id := range ids {
		if at := c.With(id); at >= 0 {
			_, s, _ := c.WholeRow(at)
			rows, mostNs = append(rows, at), max(mostNs, s.ThreadNs)
		}
	}
	return c.sum(rows), mostNs
}

// Total returns the sum over all rows.
func (c *Collector) Total() Row {
	all := make([]int, c.Len())
	for i := range all {
		all[i] = i
	}
	total := c.sum(all)
	total.WallNs = c.Pivot.Total().WallNs
	return total
}

// sum returns the sum over some rows without its wall-time.
func (c *Collector) sum(rows []int) Row {
	var s blame.Sum
	w := &blame.Whole{First: format.NoObject}
	for _, at := range rows {
		_, one, whole := c.WholeRow(at)
		s.ThreadNs, s.Waits = s.ThreadNs+one.ThreadNs, s.Waits+one.Waits
		s.ByProvenance.AddAll(&one.ByProvenance)
		w.Join(whole)
	}
	return c.row(s, w)
}

// name returns the name of a row by its first lock.
func (c *Collector) name(first format.ObjectID) string {
	if c.byClass {
		return c.Symbols().ClassName(first)
	}
	return c.Symbols().LockName(first)
}

func (c *Collector) row(s blame.Sum, w *blame.Whole) Row {
	r := Row{
		Waits:        s.Waits,
		Failed:       w.Failed,
		WaitNs:       s.ThreadNs,
		MaxNs:        w.MaxNs,
		P50Ns:        w.Lengths.Percentile(50),
		P99Ns:        w.Lengths.Percentile(99),
		Waiters:      w.Threads.Len(),
		ByProvenance: s.ByProvenance,
		lengths:      &w.Lengths,
		Reacquired:   w.Reacquired,
		ReacquiredNs: w.ReacquiredNs,
	}
	if w.First != format.NoObject || c.byClass {
		o := c.Symbols().Object(w.First)
		r.Lock = c.name(w.First)
		r.Class = c.Symbols().ClassName(w.First)
		r.Kind = o.Kind.String()
		if !c.byClass {
			r.Created, r.Addresses = o.Stack, o.Addresses
		}
	}
	if ran := c.RunningNs(); ran > 0 {
		r.CSP = float64(s.ThreadNs) / float64(ran)
	}
	return r
}
