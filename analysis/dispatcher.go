package analysis

// dispatcher passes what is booked on to the visitors, which work on a
// goroutine of their own, some batches behind: summing slices takes as long as
// finding them. They hear everything in the order in which it was booked.
type dispatcher struct {
	sym      *Symbols // the visitors' own while they work
	visitors []Visitor
	ticks    []TickVisitor // those that ask for it

	cur   *batch
	hops  hopStore // of cur
	spare []*batch
	ahead int         // batches the visitors have not done with
	todo  chan *batch // nil until the first one is full
	done  chan *batch
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
	calls   []call
	shares  []Share
	hops    []Hop
	waiters []Waiter
}

// call is one call of every visitor.
type call struct {
	what         callKind
	from, to, ns int64 // of a tick or of running time
	slice        Slice
}

type callKind uint8

const (
	callSlice callKind = iota
	callRunning
	callTick
)

func newDispatcher(sym *Symbols, visitors []Visitor) *dispatcher {
	d := &dispatcher{sym: sym, visitors: visitors, cur: &batch{}, hops: hopStore{number: 1}}
	for _, v := range visitors {
		if tick, ok := v.(TickVisitor); ok {
			d.ticks = append(d.ticks, tick)
		}
	}
	return d
}

// begin is heard at once: nothing was booked before.
func (d *dispatcher) begin(start int64) {
	for _, v := range d.visitors {
		v.Begin(d.sym, start)
	}
}

// slice passes on a slice whose paths lie in the hop store.
func (d *dispatcher) slice(s *Slice) {
	c := d.next(callSlice)
	c.slice = *s
	c.slice.Shares = stored(&d.cur.shares, s.Shares)
	if s.Group == 0 { // else they stay good
		c.slice.Waiters = stored(&d.cur.waiters, s.Waiters)
	}
	d.handOver()
}

func (d *dispatcher) running(from, to, ns int64) {
	c := d.next(callRunning)
	c.from, c.to, c.ns = from, to, ns
	d.handOver()
}

func (d *dispatcher) tick(from, to int64) {
	if len(d.ticks) == 0 {
		return
	}
	c := d.next(callTick)
	c.from, c.to = from, to
	d.handOver()
}

// next returns a new call, whose fields are those of an old one.
func (d *dispatcher) next(what callKind) *call {
	b := d.cur
	if n := len(b.calls); n < cap(b.calls) {
		b.calls = b.calls[:n+1]
	} else {
		b.calls = append(b.calls, call{})
	}
	c := &b.calls[len(b.calls)-1]
	c.what = what
	return c
}

// stored appends items to an array and returns them as they lie there.
func stored[T any](array *[]T, items []T) []T {
	from := len(*array)
	*array = append(*array, items...)
	return (*array)[from:len(*array):len(*array)]
}

// handOver gives the batch at hand to the visitors if it is full.
func (d *dispatcher) handOver() {
	b := d.cur
	if len(b.calls) < batchCalls && len(b.shares)+len(d.hops.list)+len(b.waiters) < batchParts {
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
	d.cur.hops = d.hops.list
	d.tell(d.cur)
	d.use(d.cur)
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
		d.tell(b)
		d.done <- b
	}
}

// tell calls the visitors and empties the batch.
func (d *dispatcher) tell(b *batch) {
	for i := range b.calls {
		d.visit(&b.calls[i])
	}
	b.calls, b.shares, b.hops, b.waiters = b.calls[:0], b.shares[:0], b.hops[:0], b.waiters[:0]
}

func (d *dispatcher) visit(c *call) {
	switch c.what {
	case callSlice:
		for _, v := range d.visitors {
			v.Slice(&c.slice)
		}
	case callRunning:
		for _, v := range d.visitors {
			v.Running(c.from, c.to, c.ns)
		}
	case callTick:
		for _, v := range d.ticks {
			v.Tick(c.from, c.to)
		}
	}
}
