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
	waits    bool // some visitor asks for whole waits
	tally    tally

	cur   *batch
	hops  hopStore // of cur
	alike alikes   // of cur
	moves []Move   // of crowds, behind the last single slice
	spare []*batch
	ahead int         // batches the visitors have not done with
	todo  chan *batch // nil until the first one is full
	done  chan *batch
}

// A batch is handed over when it holds so much, which visitors cannot tell. Batches of
// few calls may be large too, where paths are long.
const (
	batchCalls   = 1024
	batchParts   = 1 << 14 // shares, hops and waiters
	batchesAhead = 3
)

func newDispatcher(sym *Symbols, visitors []Visitor) *dispatcher {
	d := &dispatcher{sym: sym, visitors: visitors, cur: &batch{}, hops: hopStore{number: 1}}
	for _, v := range visitors {
		one := ear{visitor: v}
		one.stretch, _ = v.(StretchVisitor)
		one.singles, _ = v.(SinglesVisitor)
		one.crowd, _ = v.(CrowdVisitor)
		one.running, _ = v.(RunningVisitor)
		one.ticks, _ = v.(TickVisitor)
		one.waits, _ = v.(WaitVisitor)
		d.waits = d.waits || one.waits != nil
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
func (d *dispatcher) single(lo, hi int64, lock format.ObjectID, share *Share, waiters []Waiter, n int, noEarlierStart int64) {
	b := d.cur
	if b.call(callSingles) {
		b.singles.begin(noEarlierStart)
		d.alike.row++
	}
	s := &b.singles
	at := d.alike.of(s, lock, share)
	s.alike[at].Ns += (hi - lo) * int64(n)
	from := uint32(len(b.waiters))
	b.waiters = append(b.waiters, waiters...)
	one := next(&s.slices) // filled in place: millions, that a copy would wait for
	one.Start, one.End = lo, hi
	one.Alike, one.Begins = at-uint32(s.rows[len(s.rows)-1].alike), firsts(waiters)
	one.from, one.n, one.Crowd = from, uint32(n), n > len(waiters)
	if len(d.moves) > 0 {
		s.moves, d.moves = append(s.moves, d.moves...), d.moves[:0]
	}
	one.moves = uint32(len(s.moves))
}

// move tells of a crowd, with the next single slice.
func (d *dispatcher) move(m Move) { d.moves = append(d.moves, m) }

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

// wholeWait adds a wait for who asks for them.
func (d *dispatcher) wholeWait(w Waited) {
	d.cur.calls++
	d.cur.waits = append(d.cur.waits, w)
	d.handOver()
}

// handOver gives the batch at hand to the visitors if it is full.
func (d *dispatcher) handOver() {
	b := d.cur
	if b.calls < batchCalls && len(b.shares)+len(d.hops.list)+len(b.waiters)+len(b.singles.moves) < batchParts {
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
