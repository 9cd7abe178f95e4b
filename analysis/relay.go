package analysis

// relay calls the visitors on a goroutine of its own, a few batches of slices
// behind whoever makes them, and in their order. What fits one batch is
// brought at the end, without a goroutine.
type relay struct {
	visitors []Visitor
	cur      *sliceBatch
	full     chan *sliceBatch // nil before the first batch is full
	free     chan *sliceBatch
	done     chan struct{}
}

// sliceBatch is a number of slices with what they point to: the arenas may
// move as they grow, which leaves what lies in the old ones as it is.
type sliceBatch struct {
	slices []Slice
	shares []Share
	hops   []Hop
}

const (
	relayedSlices = 4096
	relaysAhead   = 2
)

func newRelay(v []Visitor) *relay { return &relay{visitors: v, cur: new(sliceBatch)} }

// slice takes a slice, whose shares are good during the call only.
func (x *relay) slice(s *Slice) {
	if len(x.cur.slices) == relayedSlices {
		x.send()
	}
	x.cur.add(s)
}

func (b *sliceBatch) add(s *Slice) {
	from := len(b.shares)
	b.shares = append(b.shares, s.Shares...)
	own := b.shares[from:len(b.shares):len(b.shares)]
	for i := range own {
		if path := own[i].Path; len(path) > 0 {
			at := len(b.hops)
			b.hops = append(b.hops, path...)
			own[i].Path = b.hops[at:len(b.hops):len(b.hops)]
		}
	}
	b.slices = append(b.slices, *s)
	b.slices[len(b.slices)-1].Shares = own
}

// send hands the batch over and begins the next one.
func (x *relay) send() {
	if x.full == nil {
		x.full, x.free = make(chan *sliceBatch, relaysAhead), make(chan *sliceBatch, relaysAhead+2)
		x.done = make(chan struct{})
		go func() {
			defer close(x.done)
			for b := range x.full {
				x.visit(b)
				x.free <- b // has room for all there are
			}
		}()
	}
	x.full <- x.cur
	select {
	case x.cur = <-x.free:
		x.cur.slices, x.cur.shares, x.cur.hops = x.cur.slices[:0], x.cur.shares[:0], x.cur.hops[:0]
	default:
		x.cur = new(sliceBatch)
	}
}

// finish brings what is left, and returns when the visitors have all.
func (x *relay) finish() {
	if x.full != nil {
		close(x.full)
		<-x.done
	}
	x.visit(x.cur)
	x.cur = new(sliceBatch)
}

func (x *relay) visit(b *sliceBatch) {
	for i := range b.slices {
		for _, v := range x.visitors {
			v.Slice(&b.slices[i])
		}
	}
}
