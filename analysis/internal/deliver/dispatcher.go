// Package deliver takes slices through the filter to the visitors.
//
//	emit.go       applying the filter and booking slices for the visitors
//	dispatcher.go calls to visitors in batches, of different visitors at the same time
package deliver

import (
	"contend/analysis"
	"contend/analysis/internal/graph"
	"contend/analysis/internal/times"
	"contend/format"
	"contend/format/column"
	"contend/format/workers"
)

// Dispatcher delivers booked calls to the visitors. They receive one batch while the next is
// booked: summing slices takes as long as finding them. Each visitor receives its calls in
// the order in which they were booked; different visitors run concurrently.
type Dispatcher struct {
	Sym      *analysis.Symbols // for the caller of Run, after the visitors
	visitors []analysis.Visitor
	to       []subscription
	waits    bool // some visitor asks for whole waits

	cur, last  *callList      // being booked, and being delivered
	Hops       graph.HopStore // of cur
	delivering workers.Group
}

// A batch is delivered when it holds this much. The size does not affect results. A batch of
// few calls may still be large, because paths may be long.
const (
	batchCalls = 1024
	batchParts = 1 << 14 // shares, hops and waiters
)

// NewDispatcher returns a dispatcher for some visitors; each gets a fork of the symbols.
func NewDispatcher(sym *analysis.Symbols, visitors []analysis.Visitor) *Dispatcher {
	d := &Dispatcher{Sym: sym, visitors: visitors, cur: &callList{}, last: &callList{}}
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
// its own symbols, because symbols cache names.
func (d *Dispatcher) begin(start int64) {
	for _, v := range d.visitors {
		v.Begin(d.Sym.Fork(), start)
	}
}

// slice adds a slice of n waiters. It lists all of them, or only the first of a queue.
func (d *Dispatcher) slice(s *analysis.Slice, n int) {
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
func (d *Dispatcher) QueueChange(m analysis.QueueChange) {
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

func (d *Dispatcher) running(from, to, ns int64) {
	d.cur.order = append(d.cur.order, callRunning)
	d.cur.running = append(d.cur.running, runningTime{times.Span{Start: from, End: to}, ns})
	d.handOver()
}

func (d *Dispatcher) tick(ns int64) {
	d.cur.ticks++
	d.cur.tickNs += ns
}

// wholeWait adds a whole wait for the visitors that ask for them.
func (d *Dispatcher) wholeWait(w analysis.Waited) {
	d.cur.waits = append(d.cur.waits, w)
	d.handOver()
}

// handOver gives the current batch to the visitors if it is full.
func (d *Dispatcher) handOver() {
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
func (d *Dispatcher) Wait() {
	d.delivering.Wait()
	if d.cur.calls() > 0 || d.cur.ticks > 0 {
		for i := range d.to {
			d.cur.deliver(&d.to[i])
		}
		d.cur.clear()
		d.Hops.List = d.Hops.List[:0]
	}
}

// callList is a list of calls to visitors, in order. The data that its slices refer to lies in
// its own arrays. If one of these grows, slices that refer to the old array stay valid.
type callList struct {
	order   []callKind
	slices  []analysis.Slice // also those of queues
	lengths []int            // of the queues
	changes []analysis.QueueChange
	running []runningTime

	ticks, tickNs int64             // delivered first: they are only counted
	waits         []analysis.Waited // delivered next: they have an order of their own

	shares  []analysis.Share
	hops    []analysis.Hop
	waiters []analysis.Waiter
}

// callKind says which list of a batch holds the next call.
type callKind uint8

const (
	callSlice callKind = iota
	callQueue
	callChange
	callRunning
)

// runningTime is running thread-time within an interval.
type runningTime struct {
	time times.Span
	ns   int64
}

// calls returns how many calls the list holds, but for ticks.
func (b *callList) calls() int { return len(b.order) + len(b.waits) }

// subscription is a visitor and the optional interfaces that it implements.
type subscription struct {
	visitor analysis.Visitor
	queue   analysis.QueueVisitor
	waits   analysis.WaitVisitor
	running analysis.RunningVisitor

	queues waitQueues // kept for a visitor that is no QueueVisitor
}

// deliver makes all calls to one visitor.
func (b *callList) deliver(to *subscription) {
	if to.running != nil && b.ticks > 0 {
		to.running.Ticks(b.ticks, b.tickNs)
	}
	if to.waits != nil {
		for i := range b.waits {
			to.waits.Wait(&b.waits[i])
		}
	}
	slices := 0
	lengths := 0
	changes := 0
	running := 0
	for _, what := range b.order {
		switch what {
		case callSlice:
			to.visitor.Slice(&b.slices[slices])
			slices++
		case callQueue:
			to.queued(&b.slices[slices], b.lengths[lengths])
			slices, lengths = slices+1, lengths+1
		case callChange:
			to.changed(&b.changes[changes])
			changes++
		case callRunning:
			if r := &b.running[running]; to.running != nil {
				to.running.Running(r.time.Start, r.time.End, r.ns)
			}
			running++
		}
	}
}

// queued delivers the slice of a queue of n waiters.
func (to *subscription) queued(s *analysis.Slice, n int) {
	if to.queue != nil {
		to.queue.QueueSlice(s, n)
		return
	}
	one := *s // the slice is delivered to other visitors as well
	one.Waiters = to.queues[s.Lock].All()
	to.visitor.Slice(&one)
}

// changed delivers a change of a queue, or tracks it for a visitor that does not.
func (to *subscription) changed(m *analysis.QueueChange) {
	if to.queue != nil {
		to.queue.QueueChanged(m)
		return
	}
	if to.queues == nil {
		to.queues = waitQueues{}
	}
	to.queues.apply(m)
}

// clear empties the list and keeps its memory.
func (b *callList) clear() {
	b.order = b.order[:0]
	b.slices, b.lengths = b.slices[:0], b.lengths[:0]
	b.changes, b.running = b.changes[:0], b.running[:0]
	b.ticks, b.tickNs = 0, 0
	b.waits, b.waiters = b.waits[:0], b.waiters[:0]
	b.shares, b.hops = b.shares[:0], b.hops[:0]
}

// waitQueues are the wait queues by lock, for visitors that do not follow them.
type waitQueues map[format.ObjectID]*analysis.WaitQueue[analysis.Waiter]

// apply makes a change.
func (c waitQueues) apply(m *analysis.QueueChange) {
	at := c[m.Lock]
	if at == nil {
		at = &analysis.WaitQueue[analysis.Waiter]{}
		c[m.Lock] = at
	}
	if m.Leaves {
		at.Leave(m.Number)
	} else {
		at.Join(m.Number, m.Waiter)
	}
}
