package blame

import (
	"math"
	"slices"

	"contend/analysis"
	"contend/format"
)

// Sum is what a row adds up.
type Sum struct {
	ThreadNs     int64 // waiting thread-time
	WallNs       int64 // length of the union of its intervals
	Waits        int64
	ByProvenance analysis.Known
}

// Accumulator is a sum in the making: Finish gives its WallNs.
type Accumulator struct {
	Sum
	wall analysis.Union
}

// Add adds ns nanoseconds of each of some waiters of a slice, charged to an
// owner known in some way.
func (a *Accumulator) Add(s *analysis.Slice, ns int64, waiters int, prov analysis.Provenance) {
	a.addTime(ns*int64(waiters), prov)
	a.wall.AddSlice(s)
}

// addTime adds thread-time of owners known in some way.
func (a *Accumulator) addTime(ns int64, prov analysis.Provenance) {
	a.ThreadNs += ns
	a.ByProvenance.Add(prov, ns)
}

// AddAll adds a slice as a whole, of which each share is charged to the direct
// owner or to the root.
func (a *Accumulator) AddAll(s *analysis.Slice, root bool) {
	a.ThreadNs += s.Ns()
	a.Waits += s.Firsts()
	a.wall.AddSlice(s)
	for i := range s.Shares {
		sh := &s.Shares[i]
		a.ByProvenance.Add(sh.Owner(root).Prov, sh.Ns*int64(len(s.Waiters)))
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
	threads []threadWait
}

// threadWait is the current wait of a thread, counted from 1, and the rows that
// have counted it.
type threadWait struct {
	few    uint64 // the first rows, one bit each; all while the thread has no wait
	serial uint32
	last   int32             // of the others: the latest, from 1
	of     uint32            // the wait that rows are of
	rows   []int32           // some of the others, from 1
	many   map[uint32]uint64 // all behind these, by 64 of them, one bit each
}

// So many rows are bits, and so many others are compared one by one; most waits have
// fewer. One behind 5,000 others, each of which is a row, is long, and no more is kept of
// it than a bit for each, as long as it lasts.
const (
	bitRows = 64
	fewRows = 32
)

// Begin notes that threads are seen waiting, each in a new wait or in the last
// one.
func (c *WaitCounter) Begin(waiters []analysis.Waiter) {
	for i := range waiters {
		if waiters[i].First {
			c.begin(waiters[i].Thread)
		}
	}
}

// begin notes that a thread is seen in a new wait.
func (c *WaitCounter) begin(thread format.ThreadID) {
	for len(c.threads) <= int(thread) {
		c.threads = append(c.threads, threadWait{few: math.MaxUint64})
	}
	t := &c.threads[thread]
	t.serial, t.last, t.few = t.serial+1, 0, 0
}

// IsNew reports whether a row meets a thread's current wait for the first
// time. A wait that began before what is looked at is new to none.
func (c *WaitCounter) IsNew(row int, thread format.ThreadID) bool {
	if int(thread) >= len(c.threads) {
		return false
	}
	t := &c.threads[thread]
	if row >= bitRows {
		return t.isNewToMany(row)
	}
	bit := uint64(1) << row
	isNew := t.few&bit == 0
	t.few |= bit
	return isNew
}

// isNewToMany is IsNew for one of many rows. Only when the row changes in the middle
// of a wait must it be looked up whether it was there before.
func (t *threadWait) isNewToMany(row int) bool {
	now := int32(row) + 1
	if t.last == now || t.serial == 0 {
		return false
	}
	t.last = now
	if t.of != t.serial {
		t.of, t.rows = t.serial, t.rows[:0]
		t.many = nil
	}
	if slices.Contains(t.rows, now) {
		return false
	}
	if len(t.rows) < fewRows {
		t.rows = append(t.rows, now)
		return true
	}
	if t.many == nil {
		t.many = map[uint32]uint64{}
	}
	at, bit := uint32(now)/64, uint64(1)<<(now%64)
	before := t.many[at]
	t.many[at] = before | bit
	return before&bit == 0
}
