package analysis

// batch is calls of visitors, in order. What their slices refer to lies in
// arrays of its own; when one of these grows, what was taken from the old one
// stays good.
type batch struct {
	calls     int
	order     []sameCalls
	slices    []Slice
	singles   singles
	stretches []Stretch
	running   []runningTime

	ticks, tickNs int64    // all told first: they are only counted
	waits         []Waited // told next: they come in order of their own

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
	callSingles
	callStretch
	callRunning
)

// runningTime is some thread-time that fell into a stretch.
type runningTime struct {
	span
	ns int64
}

// call notes that one more call of a kind comes next, and reports whether the one
// before it was of another kind.
func (b *batch) call(what callKind) (another bool) {
	b.calls++
	if n := len(b.order); n > 0 && b.order[n-1].what == what {
		b.order[n-1].n++
		return false
	}
	b.order = append(b.order, sameCalls{what, 1})
	return true
}

// ear is a visitor, and what it asks for besides slices; nil where it does not.
type ear struct {
	visitor Visitor
	stretch StretchVisitor
	singles SinglesVisitor
	crowd   CrowdVisitor
	waits   WaitVisitor
	running RunningVisitor
	ticks   TickVisitor
	tallies bool // of stretches it wants no more than sums

	slice  Slice    // of a stretch, for who wants these
	share  [1]Share // of a single slice
	crowds crowds   // for who wants these
}

// tell makes all calls of one visitor.
func (b *batch) tell(to *ear) {
	if to.ticks != nil && b.ticks > 0 {
		to.ticks.Ticks(b.ticks, b.tickNs)
	}
	for i := range b.waits {
		if to.waits == nil {
			break
		}
		to.waits.Wait(&b.waits[i])
	}
	slices, stretches, running := b.slices, b.stretches, b.running
	row, single := 0, 0
	for _, c := range b.order {
		switch c.what {
		case callSlice:
			for i := range slices[:c.n] {
				to.visitor.Slice(&slices[i])
			}
			slices = slices[c.n:]
		case callSingles:
			s := b.singles.row(row, single, c.n, b.waiters)
			to.hearSingles(&s)
			row, single = row+1, single+c.n
		case callStretch:
			for i := range stretches[:c.n] {
				if to.tallies && to.running == nil {
					break
				}
				to.hear(&stretches[i])
			}
			stretches = stretches[c.n:]
		case callRunning:
			for _, r := range running[:c.n] {
				if to.running == nil {
					break
				}
				to.running.Running(r.start, r.end, r.ns)
			}
			running = running[c.n:]
		}
	}
}

// hearSingles makes the call of Singles, or the calls of their slices.
func (e *ear) hearSingles(s *Singles) {
	if e.singles != nil && e.singles.Singles(s) {
		return
	}
	moved := s.Moved()
	for i := range s.Slices {
		if moved {
			e.follow(s.Moves(i))
		}
		one := s.slice(&s.Slices[i], &e.share)
		switch {
		case !s.Slices[i].Crowd:
			e.visitor.Slice(&one)
		case e.crowd != nil:
			e.crowd.Crowd(&one, int(s.Slices[i].Len()))
		default:
			one.Waiters = e.crowds[one.Lock].All()
			e.visitor.Slice(&one)
		}
	}
}

// follow tells a visitor of crowds, or remembers for it who is in them.
func (e *ear) follow(moves []Move) {
	if e.crowds == nil {
		e.crowds = crowds{}
	}
	for i := range moves {
		if e.crowd != nil {
			e.crowd.Moved(&moves[i])
		} else {
			e.crowds.move(&moves[i])
		}
	}
}

// hear makes the calls of a stretch.
func (e *ear) hear(s *Stretch) {
	if e.running != nil && s.Start < s.End {
		e.running.Running(s.Start, s.End, s.Running)
	}
	if e.tallies || e.stretch != nil && e.stretch.Stretch(s) {
		return
	}
	for i := range s.Groups {
		s.slice(i, &e.slice)
		e.visitor.Slice(&e.slice)
	}
}

// clear empties the batch.
func (b *batch) clear() {
	b.calls, b.order, b.slices, b.stretches, b.running = 0, b.order[:0], b.slices[:0], b.stretches[:0], b.running[:0]
	b.ticks, b.tickNs, b.waits = 0, 0, b.waits[:0]
	b.singles.clear()
	b.shares, b.hops, b.waiters = b.shares[:0], b.hops[:0], b.waiters[:0]
}
