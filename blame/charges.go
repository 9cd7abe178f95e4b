package blame

import "contend/analysis"

// Charges turns slices into charges to the rows of a table. A visitor with such a table
// embeds it, which makes it an analysis.QueueVisitor. The cost of a slice of a long queue is
// the number of rows that its waiters are charged to, not of waiters.
type Charges struct {
	rows    *Rows
	each    bool // some column tells waiters apart
	shares  bool // some column tells shares apart
	classes WaiterClasses
	charge  func(row int, c Charge)
}

// Charge is what a row gets of a slice. A wait begins in one row only, that of its first
// share: so rows sum to the number of waits, as they sum to the waiting.
type Charge struct {
	Slice  *analysis.Slice
	Shares []analysis.Share // those of the slice that are charged to the row
	Ns     int64            // of each waiter
	N      int              // waiters
	Begins int64            // waits that begin
}

// ThreadNs returns the waiting of all waiters together.
func (c *Charge) ThreadNs() int64 { return c.Ns * int64(c.N) }

// NewCharges returns what charges the rows of a table. The function adds to a row: rows are
// numbered from 0, and a new row has the next number.
func NewCharges(rows *Rows, charge func(row int, c Charge)) Charges {
	c := Charges{rows: rows, charge: charge}
	for _, by := range rows.by {
		c.each, c.shares = c.each || by.Key.OfWaiter(), c.shares || by.OfShare()
	}
	waiters := NewRows(rows.keys, ofWaiters(rows.by))
	c.classes = NewWaiterClasses(func(m *analysis.QueueChange) int {
		return waiters.RowOf(m.Lock, &m.Waiter, AnyShare)
	})
	return c
}

// Slice implements analysis.Visitor.
func (c *Charges) Slice(s *analysis.Slice) {
	if !c.each {
		c.addSlice(s, &s.Waiters[0], len(s.Waiters), s.Firsts())
		return
	}
	for i := range s.Waiters {
		c.addSlice(s, &s.Waiters[i], 1, s.Begins(&s.Waiters[i]))
	}
}

// QueueChanged implements analysis.QueueVisitor.
func (c *Charges) QueueChanged(m *analysis.QueueChange) {
	if c.each {
		c.classes.Change(m)
	}
}

// QueueSlice implements analysis.QueueVisitor: no wait begins in one.
func (c *Charges) QueueSlice(s *analysis.Slice, n int) {
	if !c.each {
		c.addSlice(s, &s.Waiters[0], n, 0)
		return
	}
	for _, class := range c.classes.OfLock(s.Lock) {
		c.addSlice(s, &class.Waiter, class.Len(), 0)
	}
}

// addSlice charges a slice of n waiters that no column tells apart, of whose waits some begin
// with it. A wait of length zero has no share.
func (c *Charges) addSlice(s *analysis.Slice, w *analysis.Waiter, n int, begins int64) {
	switch {
	case len(s.Shares) == 0 && begins == 0:
		return
	case len(s.Shares) == 0 || !c.shares:
		c.charge(c.rows.RowOf(s.Lock, w, AnyShare), Charge{s, s.Shares, s.Length(), n, begins})
		return
	}
	for i := range s.Shares {
		sh := &s.Shares[i]
		c.charge(c.rows.RowOf(s.Lock, w, sh), Charge{s, s.Shares[i : i+1], sh.Ns, n, begins})
		begins = 0
	}
}
