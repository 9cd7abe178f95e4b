package analysis

// relay passes what is booked on to the visitors, which work on a goroutine of
// their own, some bundles behind: summing slices takes as long as finding
// them. They hear everything in the order in which it was booked. Symbols are
// theirs to look up, and to remember what they looked up in: whoever changes
// them waits for the visitors first, with catchUp.
type relay struct {
	visitors []Visitor
	crowds   []CrowdVisitor // the same, nil for those that take slices only
	ticks    []TickVisitor  // those that ask for it
	singles  bool           // some take slices only

	cur   *bundle
	spare []*bundle
	ahead int          // bundles the visitors have not done with
	todo  chan *bundle // nil until the first one is full
	done  chan *bundle
}

// A bundle is handed over when it holds so much. Bundles of few calls may be
// large too, where paths are long.
const (
	bundleCalls  = 512
	bundleParts  = 1 << 14 // shares, hops and waiters
	bundlesAhead = 3
)

// bundle is calls of visitors, in order. What their slices refer to lies in
// arrays of its own; when one of these grows, what was taken from the old one
// stays good.
type bundle struct {
	calls   []call
	shares  []Share
	hops    []Hop
	waiters []Waiter
}

// call is one call of every visitor.
type call struct {
	what         callKind
	from, to, ns int64 // of a tick or of running time
	crowd        Crowd // of a slice the Slice only
}

type callKind uint8

const (
	callSlice callKind = iota
	callCrowd
	callRunning
	callTick
)

func newRelay(v []Visitor) *relay {
	r := &relay{visitors: v, crowds: make([]CrowdVisitor, len(v)), cur: &bundle{}}
	for i, v := range v {
		if crowd, ok := v.(CrowdVisitor); ok {
			r.crowds[i] = crowd
		} else {
			r.singles = true
		}
		if tick, ok := v.(TickVisitor); ok {
			r.ticks = append(r.ticks, tick)
		}
	}
	return r
}

// begin is heard at once: nothing was booked before.
func (r *relay) begin(sym *Symbols, start int64) {
	for _, v := range r.visitors {
		v.Begin(sym, start)
	}
}

func (r *relay) slice(s *Slice) {
	c := r.next(callSlice)
	c.crowd.Slice = *s
	c.crowd.Shares = r.cur.keep(s.Shares)
	r.handOver()
}

func (r *relay) crowd(cr *Crowd) {
	c := r.next(callCrowd)
	c.crowd.Slice = cr.Slice
	c.crowd.Shares = r.cur.keep(cr.Shares)
	c.crowd.Waiters = stored(&r.cur.waiters, cr.Waiters)
	r.handOver()
}

func (r *relay) running(from, to, ns int64) {
	c := r.next(callRunning)
	c.from, c.to, c.ns = from, to, ns
	r.handOver()
}

func (r *relay) tick(from, to int64) {
	if len(r.ticks) == 0 {
		return
	}
	c := r.next(callTick)
	c.from, c.to = from, to
	r.handOver()
}

// next returns a new call, whose fields are those of an old one.
func (r *relay) next(what callKind) *call {
	b := r.cur
	if n := len(b.calls); n < cap(b.calls) {
		b.calls = b.calls[:n+1]
	} else {
		b.calls = append(b.calls, call{})
	}
	c := &b.calls[len(b.calls)-1]
	c.what = what
	return c
}

// keep copies shares with their paths.
func (b *bundle) keep(shares []Share) []Share {
	own := stored(&b.shares, shares)
	for i := range own {
		own[i].Path = stored(&b.hops, own[i].Path)
	}
	return own
}

// stored appends items to an array and returns them as they lie there.
func stored[T any](array *[]T, items []T) []T {
	from := len(*array)
	*array = append(*array, items...)
	return (*array)[from:len(*array):len(*array)]
}

// handOver gives the bundle at hand to the visitors if it is full.
func (r *relay) handOver() {
	b := r.cur
	if len(b.calls) < bundleCalls && len(b.shares)+len(b.hops)+len(b.waiters) < bundleParts {
		return
	}
	if r.todo == nil {
		r.todo, r.done = make(chan *bundle, bundlesAhead), make(chan *bundle, bundlesAhead)
		go r.work(r.todo)
	}
	if r.ahead == bundlesAhead {
		r.takeBack()
	}
	r.todo <- b
	r.ahead++
	r.cur = r.empty()
}

// empty returns a bundle to fill.
func (r *relay) empty() *bundle {
	n := len(r.spare)
	if n == 0 {
		return &bundle{}
	}
	b := r.spare[n-1]
	r.spare = r.spare[:n-1]
	return b
}

func (r *relay) takeBack() {
	r.spare = append(r.spare, <-r.done)
	r.ahead--
}

// catchUp returns when the visitors have heard all that was booked.
func (r *relay) catchUp() {
	for r.ahead > 0 {
		r.takeBack()
	}
	r.tell(r.cur)
}

// close is catchUp, and the end of the goroutine.
func (r *relay) close() {
	r.catchUp()
	if r.todo != nil {
		close(r.todo)
	}
}

func (r *relay) work(todo <-chan *bundle) {
	for b := range todo {
		r.tell(b)
		r.done <- b
	}
}

// tell calls the visitors and empties the bundle.
func (r *relay) tell(b *bundle) {
	for i := range b.calls {
		r.visit(&b.calls[i])
	}
	b.calls, b.shares, b.hops, b.waiters = b.calls[:0], b.shares[:0], b.hops[:0], b.waiters[:0]
}

func (r *relay) visit(c *call) {
	switch c.what {
	case callSlice:
		for _, v := range r.visitors {
			v.Slice(&c.crowd.Slice)
		}
	case callCrowd:
		for i, v := range r.visitors {
			if r.crowds[i] != nil {
				r.crowds[i].Crowd(&c.crowd)
			} else {
				c.crowd.Each(v.Slice)
			}
		}
	case callRunning:
		for _, v := range r.visitors {
			v.Running(c.from, c.to, c.ns)
		}
	case callTick:
		for _, v := range r.ticks {
			v.Tick(c.from, c.to)
		}
	}
}
