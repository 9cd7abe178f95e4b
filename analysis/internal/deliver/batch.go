package deliver

import (
	"contend/analysis"
	"contend/analysis/internal/times"
	"contend/format"
)

// batch is a list of calls to visitors, in order. The data that its slices refer to lies in
// its own arrays. If one of these grows, slices that refer to the old array stay valid.
type batch struct {
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
	times.Span
	ns int64
}

// calls returns how many calls the batch holds, but for ticks.
func (b *batch) calls() int { return len(b.order) + len(b.waits) }

// subscription is a visitor and the optional interfaces that it implements.
type subscription struct {
	visitor analysis.Visitor
	queue   analysis.QueueVisitor
	waits   analysis.WaitVisitor
	running analysis.RunningVisitor

	queues waitQueues // kept for a visitor that is no QueueVisitor
}

// deliver makes all calls to one visitor.
func (b *batch) deliver(to *subscription) {
	if to.running != nil && b.ticks > 0 {
		to.running.Ticks(b.ticks, b.tickNs)
	}
	if to.waits != nil {
		for i := range b.waits {
			to.waits.Wait(&b.waits[i])
		}
	}
	slices, lengths, changes, running := 0, 0, 0, 0
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
				to.running.Running(r.Start, r.End, r.ns)
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

// clear empties the batch and keeps its memory.
func (b *batch) clear() {
	b.order, b.slices, b.lengths, b.changes, b.running = b.order[:0], b.slices[:0], b.lengths[:0], b.changes[:0], b.running[:0]
	b.ticks, b.tickNs, b.waits = 0, 0, b.waits[:0]
	b.shares, b.hops, b.waiters = b.shares[:0], b.hops[:0], b.waiters[:0]
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
