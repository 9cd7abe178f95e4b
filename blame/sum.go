package blame

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// Sum is what a row adds up.
type Sum struct {
	ThreadNs     int64 // waiting thread-time
	WallNs       int64 // length of the union of its intervals
	Waits        int64
	ByProvenance [analysis.Provenances]int64
}

// Accumulator is a sum in the making: Finish gives its WallNs.
type Accumulator struct {
	Sum
	wall analysis.Union
}

// Add adds ns nanoseconds of each of some waiters of a slice, charged to an
// owner known in some way.
func (a *Accumulator) Add(s *analysis.Slice, ns int64, waiters int, prov analysis.Provenance) {
	a.ThreadNs += ns * int64(waiters)
	a.ByProvenance[prov] += ns * int64(waiters)
	a.wall.AddSlice(s)
}

// AddAll adds a slice as a whole; charged says whom each share is charged to.
func (a *Accumulator) AddAll(s *analysis.Slice, charged func(*analysis.Share) analysis.Owner) {
	a.ThreadNs += s.Ns()
	a.Waits += s.Firsts()
	a.wall.AddSlice(s)
	for i := range s.Shares {
		a.ByProvenance[charged(&s.Shares[i]).Prov] += s.Shares[i].Ns * int64(len(s.Waiters))
	}
}

// Finish returns the sum. Its wall-time is no longer than its thread-time: one
// of several readers is charged a part of each instant only.
func (a *Accumulator) Finish() Sum {
	a.WallNs = min(a.wall.Len(), a.ThreadNs)
	return a.Sum
}

// WaitCounter tells in which rows a wait was met already: it counts once in
// each, though its slices may be charged to several in turn.
type WaitCounter struct {
	serial []uint32  // by thread: number of its current wait
	last   []counted // by thread
	met    []metRows // by thread
	seen   map[rowThread]uint32
}

// metRows are the first rows that counted a thread's current wait.
type metRows struct {
	serial uint32
	n      uint32
	rows   [fewRows]int32
}

// fewRows is how many rows are compared one by one; most waits have fewer.
const fewRows = 6

// rowThread finds the last wait of a thread that a row has counted.
type rowThread struct {
	row    int
	thread format.ThreadID
}

// counted is the last row that counted a wait of a thread, and which wait.
type counted struct {
	row    int32 // counting from 1
	serial uint32
}

// Begin notes that a thread is seen waiting, in a new wait or in the last one.
func (c *WaitCounter) Begin(w *analysis.Waiter) {
	for len(c.serial) <= int(w.Thread) {
		c.serial = append(c.serial, 0)
		c.last = append(c.last, counted{})
		c.met = append(c.met, metRows{})
	}
	if w.First {
		c.serial[w.Thread]++
	}
}

// IsNew reports whether a row meets a thread's current wait for the first
// time. Only when the row changes in the middle of a wait must it be looked up
// whether it was there before.
func (c *WaitCounter) IsNew(row int, t format.ThreadID) bool {
	now, last := counted{int32(row) + 1, c.serial[t]}, c.last[t]
	if last == now || now.serial == 0 { // it began before what is looked at
		return false
	}
	c.last[t] = now
	m := &c.met[t]
	if m.serial != now.serial {
		m.serial, m.n = now.serial, 0
	}
	if slices.Contains(m.rows[:m.n], now.row) {
		return false
	}
	if m.n < fewRows {
		m.rows[m.n] = now.row
		m.n++
		return true
	}
	if c.seen == nil {
		c.seen = map[rowThread]uint32{}
	}
	before := c.seen[rowThread{row, t}]
	c.seen[rowThread{row, t}] = now.serial
	return before != now.serial
}
