// Package deliver takes slices through the filter to the visitors.
//
//	emit.go       applying the filter and booking slices for the visitors
//	dispatcher.go running visitors on goroutines of their own
//	batch.go      calls to visitors, in order
package deliver

import (
	"contend/analysis"
	"contend/analysis/internal/column"
	"contend/analysis/internal/graph"
	"contend/analysis/internal/times"
	"contend/format/workers"
)

// dispatcher delivers booked calls to the visitors. They receive one batch while the next is
// booked: summing slices takes as long as finding them. Each visitor receives its calls in
// the order in which they were booked; different visitors run concurrently.
type dispatcher struct {
	Sym      *analysis.Symbols // for the caller of Run, after the visitors
	visitors []analysis.Visitor
	to       []subscription
	waits    bool // some visitor asks for whole waits

	cur, last  *batch         // being booked, and being delivered
	Hops       graph.HopStore // of cur
	delivering workers.Group
}

// A batch is delivered when it holds this much. The size does not affect results. A batch of
// few calls may still be large, because paths may be long.
const (
	batchCalls = 1024
	batchParts = 1 << 14 // shares, hops and waiters
)

func NewDispatcher(sym *analysis.Symbols, visitors []analysis.Visitor) *dispatcher {
	d := &dispatcher{Sym: sym, visitors: visitors, cur: &batch{}, last: &batch{}}
	for _, v := range visitors {
		one := subscription{visitor: v}
		one.queue, _ = v.(analysis.QueueVisitor)
		one.running, _ = v.(analysis.RunningVisitor)
		one.waits, _ = v.(analysis.WaitVisitor)
		d.waits = d.waits || one.waits != nil
		d.to = append(d.to, one)
	}
	return d
}

// begin calls Begin of all visitors at once: nothing was booked before. Each visitor has
// symbols of its own, because symbols cache the names they are asked for.
func (d *dispatcher) begin(start int64) {
	for _, v := range d.visitors {
		v.Begin(d.Sym.Fork(), start)
	}
}

// slice adds a slice of n waiters. It lists all of them, or only the first of a queue.
func (d *dispatcher) slice(s *analysis.Slice, n int) {
	b, what := d.cur, callSlice
	if n > len(s.Waiters) {
		what = callQueue
		b.lengths = append(b.lengths, n)
	}
	b.order = append(b.order, what)
	at := column.Next(&b.slices)
	*at = *s
	at.Shares, at.Waiters = stored(&b.shares, s.Shares), stored(&b.waiters, s.Waiters)
	d.handOver()
}

// QueueChange adds a waiter that joins or leaves a wait queue.
func (d *dispatcher) QueueChange(m analysis.QueueChange) {
	d.cur.order = append(d.cur.order, callChange)
	d.cur.changes = append(d.cur.changes, m)
	d.handOver()
}

// stored appends items to an array of the batch and returns them as they lie there.
func stored[T any](array *[]T, items []T) []T {
	from := len(*array)
	*array = append(*array, items...)
	return (*array)[from:len(*array):len(*array)]
}

func (d *dispatcher) running(from, to, ns int64) {
	d.cur.order = append(d.cur.order, callRunning)
	d.cur.running = append(d.cur.running, runningTime{times.Span{Start: from, End: to}, ns})
	d.handOver()
}

func (d *dispatcher) tick(ns int64) {
	d.cur.ticks++
	d.cur.tickNs += ns
}

// wholeWait adds a whole wait for the visitors that ask for them.
func (d *dispatcher) wholeWait(w analysis.Waited) {
	d.cur.waits = append(d.cur.waits, w)
	d.handOver()
}

// handOver gives the current batch to the visitors if it is full.
func (d *dispatcher) handOver() {
	b := d.cur
	if b.calls() < batchCalls && len(b.shares)+len(d.Hops.List)+len(b.waiters) < batchParts {
		return
	}
	d.delivering.Wait()
	b.hops = d.Hops.List
	d.delivering.Go(func() { workers.Each(len(d.to), func(i int) { b.deliver(&d.to[i]) })() })
	d.cur, d.last = d.last, b
	d.cur.clear()
	d.Hops.List = d.cur.hops
}

// Wait returns once the visitors have received everything that was booked.
func (d *dispatcher) Wait() {
	d.delivering.Wait()
	if d.cur.calls() > 0 || d.cur.ticks > 0 {
		for i := range d.to {
			d.cur.deliver(&d.to[i])
		}
		d.cur.clear()
		d.Hops.List = d.Hops.List[:0]
	}
}
