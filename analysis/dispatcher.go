package analysis

import (
	"slices"

	"contend/analysis/cores"
	"contend/format"
)

// dispatcher passes what is booked on to the visitors, which work on goroutines
// of their own, some batches behind: summing slices takes as long as finding
// them. Each visitor hears everything in the order in which it was booked, a
// batch at a time; several may hear one batch at once.
type dispatcher struct {
	sym      *Symbols // for whoever comes after the visitors
	visitors []Visitor
	ears     []ear
	tally    tally

	cur   *batch
	hops  hopStore // of cur
	alike alikes   // of cur
	spare []*batch
	ahead int         // batches the visitors have not done with
	todo  chan *batch // nil until the first one is full
	done  chan *batch
}

// ear is a visitor, and what it asks for besides slices; nil where it does not.
type ear struct {
	visitor Visitor
	stretch StretchVisitor
	singles SinglesVisitor
	running RunningVisitor
	ticks   TickVisitor
	tallies bool // of stretches it wants no more than sums

	slice Slice    // of a stretch, for who wants these
	share [1]Share // of a single slice
}

// A batch is handed over when it holds so much. Batches of few calls may be
// large too, where paths are long.
const (
	batchCalls   = 512
	batchParts   = 1 << 14 // shares, hops and waiters
	batchesAhead = 3
)

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

	ticks, tickNs int64 // all told first: they are only counted

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

func newDispatcher(sym *Symbols, visitors []Visitor) *dispatcher {
	d := &dispatcher{sym: sym, visitors: visitors, cur: &batch{}, hops: hopStore{number: 1}}
	for _, v := range visitors {
		one := ear{visitor: v}
		one.stretch, _ = v.(StretchVisitor)
		one.singles, _ = v.(SinglesVisitor)
		one.running, _ = v.(RunningVisitor)
		one.ticks, _ = v.(TickVisitor)
		if t, ok := v.(TallyVisitor); ok {
			one.tallies, d.tally.ears = one.stretch == nil, append(d.tally.ears, t)
		}
		d.ears = append(d.ears, one)
	}
	return d
}

// begin is heard at once: nothing was booked before. Names are remembered as they
// are asked for, so that each visitor has symbols of its own.
func (d *dispatcher) begin(start int64) {
	for _, v := range d.visitors {
		v.Begin(&Symbols{definitions: d.sym.definitions}, start)
	}
}

// slice returns a new slice of the batch at hand, to be filled with what is
// stored in the batch and then handed over.
func (d *dispatcher) slice() *Slice {
	d.cur.call(callSlice)
	return next(&d.cur.slices)
}

// single adds a slice whose waiters have one share of waiting, to be handed over.
func (d *dispatcher) single(lo, hi int64, lock format.ObjectID, share *Share, waiters []Waiter, noEarlierStart int64) {
	b := d.cur
	if b.call(callSingles) {
		b.singles.begin(noEarlierStart)
		d.alike.row++
	}
	s := &b.singles
	at := d.alike.of(s, lock, share)
	s.alike[at].Ns += (hi - lo) * int64(len(waiters))
	from := uint32(len(b.waiters))
	b.waiters = append(b.waiters, waiters...)
	s.slices = append(s.slices, Single{Start: lo, End: hi, Alike: at - uint32(s.rows[len(s.rows)-1].alike),
		Begins: firsts(waiters), from: from, to: uint32(len(b.waiters))})
}

// next returns the place behind the last of a list, which is one longer then. It
// holds what it held before.
func next[T any](list *[]T) *T {
	n := len(*list)
	*list = slices.Grow(*list, 1)[:n+1]
	return &(*list)[n]
}

// stored copies items into an array of the batch at hand and returns them as they
// lie there.
func stored[T any](array *[]T, items []T) []T {
	from := len(*array)
	*array = append(*array, items...)
	return (*array)[from:len(*array):len(*array)]
}

func (d *dispatcher) running(from, to, ns int64) {
	d.cur.call(callRunning)
	d.cur.running = append(d.cur.running, runningTime{span{from, to}, ns})
	d.handOver()
}

// stretch is slice for stretches.
func (d *dispatcher) stretch() *Stretch {
	d.cur.call(callStretch)
	return next(&d.cur.stretches)
}

func (d *dispatcher) tick(ns int64) {
	d.cur.ticks++
	d.cur.tickNs += ns
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

// handOver gives the batch at hand to the visitors if it is full.
func (d *dispatcher) handOver() {
	b := d.cur
	if b.calls < batchCalls && len(b.shares)+len(d.hops.list)+len(b.waiters) < batchParts {
		return
	}
	if d.todo == nil {
		d.todo, d.done = make(chan *batch, batchesAhead), make(chan *batch, batchesAhead)
		go d.work(d.todo)
	}
	if d.ahead == batchesAhead {
		d.takeBack()
	}
	b.hops = d.hops.list
	d.todo <- b
	d.ahead++
	d.use(d.empty())
}

// use makes a batch the one at hand.
func (d *dispatcher) use(b *batch) {
	d.cur, d.hops = b, hopStore{d.hops.number + 1, b.hops}
}

// empty returns a batch to fill.
func (d *dispatcher) empty() *batch {
	n := len(d.spare)
	if n == 0 {
		return &batch{}
	}
	b := d.spare[n-1]
	d.spare = d.spare[:n-1]
	return b
}

func (d *dispatcher) takeBack() {
	d.spare = append(d.spare, <-d.done)
	d.ahead--
}

// wait returns when the visitors have heard all that was booked.
func (d *dispatcher) wait() {
	for d.ahead > 0 {
		d.takeBack()
	}
	if d.cur.calls > 0 || d.cur.ticks > 0 {
		d.cur.hops = d.hops.list
		for i := range d.ears {
			d.cur.tell(&d.ears[i])
		}
		d.sumUp(d.cur)
		d.cur.clear()
		d.use(d.cur)
	}
	d.tally.settle()
}

// close is wait, and the end of the goroutine.
func (d *dispatcher) close() {
	d.wait()
	if d.todo != nil {
		close(d.todo)
	}
}

func (d *dispatcher) work(todo <-chan *batch) {
	for b := range todo {
		cores.Each(len(d.ears), func(i int) { b.tell(&d.ears[i]) })()
		d.sumUp(b)
		b.clear()
		d.done <- b
	}
}

// sumUp takes the stretches of a batch for those that want no more than sums, when
// all have heard of its ticks.
func (d *dispatcher) sumUp(b *batch) {
	for i := range b.stretches {
		d.tally.add(&b.stretches[i])
	}
}

// tell makes all calls of one visitor.
func (b *batch) tell(to *ear) {
	if to.ticks != nil && b.ticks > 0 {
		to.ticks.Ticks(b.ticks, b.tickNs)
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
	for i := range s.Slices {
		one := s.slice(&s.Slices[i], &e.share)
		e.visitor.Slice(&one)
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
	b.ticks, b.tickNs = 0, 0
	b.singles.clear()
	b.shares, b.hops, b.waiters = b.shares[:0], b.hops[:0], b.waiters[:0]
}
