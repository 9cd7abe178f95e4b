package blame

import (
	"contend/analysis"
	"contend/format"
)

// Sum is what a row adds up.
type Sum struct {
	ThreadNs     int64          `json:"threadNs"` // waiting thread-time
	WallNs       int64          `json:"wallNs"`   // length of the union of its intervals
	Waits        int64          `json:"waits"`
	ByProvenance analysis.Known `json:"-"`
}

// accumulator is a sum in the making: Finish gives its WallNs.
type accumulator struct {
	Sum
	wall analysis.Union
}

// Add adds ns nanoseconds of each of some waiters of a slice, charged to an
// owner known in some way.
func (a *accumulator) Add(s *analysis.Slice, ns int64, waiters int, prov analysis.Provenance) {
	ns *= int64(waiters)
	a.ThreadNs += ns
	a.ByProvenance.Add(prov, ns)
	a.wall.AddSlice(s)
}

// AddAll adds a whole slice of n waiters, and the waits that begin with it. Each share is
// charged to the direct owner or to the root.
func (a *accumulator) AddAll(s *analysis.Slice, n int, root bool) {
	a.ThreadNs += s.Length() * int64(n)
	a.Waits += s.Firsts()
	a.wall.AddSlice(s)
	for i := range s.Shares {
		sh := &s.Shares[i]
		a.ByProvenance.Add(sh.Owner(root).Prov, sh.Ns*int64(n))
	}
}

// Finish returns the sum. Its wall-time is no longer than its thread-time: one
// of several readers is charged a part of each instant only.
func (a *accumulator) Finish() Sum {
	a.WallNs = min(a.wall.Len(), a.ThreadNs)
	return a.Sum
}

// waitCounter counts a wait once in each row that its slices are charged to, though
// they may alternate between rows.
type waitCounter struct {
	threads ByID[threadWait]
}

// threadWait is the current wait of a thread, and the rows that have counted it, as bits in
// words of 64 rows. Most waits need one word. A wait behind 5,000 others, each with a row,
// needs no more than a bit for each while it lasts.
type threadWait struct {
	began bool
	at    int    // number of the word in use
	rows  uint64 // that word
	other map[int]uint64
}

// Begin notes that threads are seen waiting, each in a new wait or in the last
// one.
func (c *waitCounter) Begin(waiters []analysis.Waiter) {
	for i := range waiters {
		if waiters[i].First {
			c.begin(waiters[i].Thread)
		}
	}
}

// begin notes that a thread is seen in a new wait.
func (c *waitCounter) begin(thread format.ThreadID) {
	*c.threads.At(int(thread)) = threadWait{began: true}
}

// IsNew reports whether a thread's current wait is new to a row. A wait that began
// before the first slice is new to none.
func (c *waitCounter) IsNew(row int, thread format.ThreadID) bool {
	if int(thread) >= len(c.threads) || !c.threads[thread].began {
		return false
	}
	t := &c.threads[thread]
	if row/64 != t.at {
		t.turnTo(row / 64)
	}
	bit := uint64(1) << (row % 64)
	isNew := t.rows&bit == 0
	t.rows |= bit
	return isNew
}

// turnTo makes another word the one in use.
func (t *threadWait) turnTo(at int) {
	if t.rows != 0 && t.other == nil {
		t.other = map[int]uint64{}
	}
	if t.rows != 0 {
		t.other[t.at] = t.rows
	}
	t.at, t.rows = at, t.other[at]
}
