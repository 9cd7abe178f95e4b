package analysis

import (
	"slices"

	"contend/format/workers"
)

// dispatcher passes what is booked on to the visitors, which work on goroutines
// of their own, some batches behind: summing slices takes as long as finding
// them. Each visitor hears everything in the order in which it was booked, a
// batch at a time; several may hear one batch at once.
type dispatcher struct {
	sym      *Symbols // for whoever comes after the visitors
	visitors []Visitor
	to       []subscription
	waits    bool // some visitor asks for whole waits

	cur   *batch
	hops  hopStore // of cur
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
		one := subscription{visitor: v}
		one.crowd, _ = v.(CrowdVisitor)
		one.running, _ = v.(RunningVisitor)
		one.ticks, _ = v.(TickVisitor)
		one.waits, _ = v.(WaitVisitor)
		d.waits = d.waits || one.waits != nil
		d.to = append(d.to, one)
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

// slice adds a slice of n waiters, all of which are given or the first of a queue.
func (d *dispatcher) slice(s *Slice, n int) {
	b, what := d.cur, callSlice
	if n > len(s.Waiters) {
		what = callQueue
		b.lengths = append(b.lengths, n)
	}
	b.call(what)
	at := next(&b.slices)
	*at = *s
	at.Shares, at.Waiters = stored(&b.shares, s.Shares), stored(&b.waiters, s.Waiters)
	d.handOver()
}

// move adds a waiter that joins a queue or leaves it.
func (d *dispatcher) move(m Move) {
	d.cur.call(callMove)
	d.cur.moves = append(d.cur.moves, m)
	d.handOver()
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
		for i := range d.to {
			d.cur.deliver(&d.to[i])
		}
		d.cur.clear()
		d.use(d.cur)
	}
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
		workers.Each(len(d.to), func(i int) { b.deliver(&d.to[i]) })()
		b.clear()
		d.done <- b
	}
}
