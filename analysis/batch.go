package analysis

// batch is calls of visitors, in order. What their slices refer to lies in
// arrays of its own; when one of these grows, what was taken from the old one
// stays good.
type batch struct {
	calls   int
	order   []sameCalls
	slices  []Slice // also those of queues
	lengths []int   // of the queues
	moves   []Move
	running []runningTime

	ticks, tickNs int64    // all delivered first: they are only counted
	waits         []Waited // delivered next: they come in order of their own

	shares  []Share
	hops    []Hop
	waiters []Waiter
}

// sameCalls is some calls of one kind in a row.
type sameCalls struct {
	what callKind
	n    int
}

type callKind uint8

const (
	callSlice callKind = iota
	callQueue
	callMove
	callRunning
)

// runningTime is some thread-time that fell into an interval.
type runningTime struct {
	span
	ns int64
}

// call notes that one more call of a kind comes next.
func (b *batch) call(what callKind) {
	b.calls++
	if n := len(b.order); n > 0 && b.order[n-1].what == what {
		b.order[n-1].n++
		return
	}
	b.order = append(b.order, sameCalls{what, 1})
}

// subscription is a visitor and the optional interfaces that it implements.
type subscription struct {
	visitor Visitor
	crowd   CrowdVisitor
	waits   WaitVisitor
	running RunningVisitor
	ticks   TickVisitor

	crowds crowds // followed for a visitor that is no CrowdVisitor
}

// deliver makes all calls of one visitor.
func (b *batch) deliver(to *subscription) {
	if to.ticks != nil && b.ticks > 0 {
		to.ticks.Ticks(b.ticks, b.tickNs)
	}
	if to.waits != nil {
		for i := range b.waits {
			to.waits.Wait(&b.waits[i])
		}
	}
	slices, lengths, moves, running := b.slices, b.lengths, b.moves, b.running
	for _, c := range b.order {
		switch c.what {
		case callSlice:
			for i := range slices[:c.n] {
				to.visitor.Slice(&slices[i])
			}
			slices = slices[c.n:]
		case callQueue:
			for i := range slices[:c.n] {
				to.queued(&slices[i], lengths[i])
			}
			slices, lengths = slices[c.n:], lengths[c.n:]
		case callMove:
			for i := range moves[:c.n] {
				to.moved(&moves[i])
			}
			moves = moves[c.n:]
		case callRunning:
			if to.running != nil {
				for _, r := range running[:c.n] {
					to.running.Running(r.start, r.end, r.ns)
				}
			}
			running = running[c.n:]
		}
	}
}

// queued delivers the slice of a queue of n.
func (to *subscription) queued(s *Slice, n int) {
	if to.crowd != nil {
		to.crowd.Crowd(s, n)
		return
	}
	one := *s // the slice is delivered to other visitors as well
	one.Waiters = to.crowds[s.Lock].All()
	to.visitor.Slice(&one)
}

// moved delivers a change of a queue, or follows it for the visitor.
func (to *subscription) moved(m *Move) {
	if to.crowd != nil {
		to.crowd.Moved(m)
		return
	}
	if to.crowds == nil {
		to.crowds = crowds{}
	}
	to.crowds.move(m)
}

// clear empties the batch.
func (b *batch) clear() {
	b.calls, b.order, b.slices, b.lengths, b.moves, b.running = 0, b.order[:0], b.slices[:0], b.lengths[:0], b.moves[:0], b.running[:0]
	b.ticks, b.tickNs, b.waits = 0, 0, b.waits[:0]
	b.shares, b.hops, b.waiters = b.shares[:0], b.hops[:0], b.waiters[:0]
}
