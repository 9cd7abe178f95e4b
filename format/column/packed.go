package column

import (
	"cmp"
	"slices"

	"contend/format/workers"
)

// Packed is a column whose elements are only read in order. A full piece is sorted by start
// and packed, and unpacked only while it is read.
type Packed[T any] struct {
	Start func(*T) int64  // start of an element, ns
	Coder func() Coder[T] // for one piece
	Piece int             // elements of a piece, 0 for pieceLen; fewer take less memory while they are packed

	n       int
	last    []T // the piece being filled
	pieces  []*packed
	sorter  sorter
	scratch []byte // a piece is packed into before its length is known
}

// Coder packs the elements of a piece in order of their starts, and unpacks them in the
// same order. It may depend on the elements before.
type Coder[T any] interface {
	Put(to []byte, v *T) []byte
	Get(from []byte, v *T) (rest []byte)
}

// packed is a packed piece.
type packed struct {
	bytes       []byte
	n           int
	first, last int64 // starts
}

// whole returns the number of elements of a full piece.
func (c *Packed[T]) whole() int { return cmp.Or(c.Piece, pieceLen) }

// Append appends an element.
func (c *Packed[T]) Append(v T) {
	if len(c.last) == c.whole() {
		c.pack()
	}
	c.last = append(c.last, v)
	c.n++
}

// pack packs the current piece and empties it.
func (c *Packed[T]) pack() {
	keys, _ := order(&c.sorter, c.last, c.Start)
	c.scratch = c.scratch[:0]
	coder := c.Coder()
	for i := range keys {
		c.scratch = coder.Put(c.scratch, &c.last[keys[i].ID])
	}
	c.pieces = append(c.pieces, &packed{slices.Clone(c.scratch), len(keys), keys[0].At, keys[len(keys)-1].At})
	c.last = c.last[:0]
}

// flush packs the last piece.
func (c *Packed[T]) flush() {
	if len(c.last) > 0 {
		c.pack()
	}
}

// Each visits all elements, piece by piece in order of their starts.
func (c *Packed[T]) Each(f func(*T)) { c.EachSince(0, f) }

// Begun returns the number of pieces other than the one being filled.
func (c *Packed[T]) Begun() int { return len(c.pieces) }

// EachSince is Each without the first pieces: it visits everything added since Begun
// returned that number, and some elements added just before.
func (c *Packed[T]) EachSince(pieces int, f func(*T)) {
	c.flush()
	var v T
	for _, p := range c.pieces[pieces:] {
		coder, rest := c.Coder(), p.bytes
		for range p.n {
			rest = coder.Get(rest, &v)
			f(&v)
		}
	}
}

// orderedBatch is the number of elements in a batch of Ordered; orderedAhead batches may be
// ahead of the receiver.
const (
	orderedBatch = 1 << 11
	orderedAhead = 4
)

// Ordered sends all elements by start; elements with the same start are in the order of
// their addition. A batch is valid until the receiver asks for the second next one. All
// batches must be received.
func (c *Packed[T]) Ordered() <-chan []T { return c.ordered(false) }

// Drain is Ordered for the last time: elements are dropped once sent.
func (c *Packed[T]) Drain() <-chan []T { return c.ordered(true) }

func (c *Packed[T]) ordered(last bool) <-chan []T {
	c.flush()
	c.last = nil
	c.sorter = sorter{}
	c.scratch = nil // some megabytes: the trace has been read to its end
	out := make(chan []T, orderedAhead)
	workers.Go(func() {
		defer close(out)
		var used [orderedAhead + 3][]T // one is filled, one read, one just read
		for i := range used {
			used[i] = make([]T, 0, min(orderedBatch, c.n))
		}
		n := 0
		c.merge(last, func(v *T) {
			if used[n] = append(used[n], *v); len(used[n]) == orderedBatch {
				out <- used[n]
				n = (n + 1) % len(used)
				used[n] = used[n][:0]
			}
		})
		if len(used[n]) > 0 {
			out <- used[n]
		}
	})
	return out
}

// Len returns the number of elements.
func (c *Packed[T]) Len() int { return c.n }

// run is a series of pieces, each of which begins after the previous one has ended.
type run[T any] struct {
	pieces []*packed // the pieces after the current one
	rest   []byte    // of the current piece
	left   int       // elements left in it
	coder  Coder[T]
	drops  bool // frees pieces that are read
	v      T
}

// next unpacks the next element; false if there is none.
func (r *run[T]) next(c *Packed[T]) bool {
	if r.left == 0 {
		if len(r.pieces) == 0 {
			return false
		}
		p := r.pieces[0]
		r.rest = p.bytes
		r.left = p.n
		r.coder = c.Coder()
		r.pieces = r.pieces[1:]
		if r.drops {
			p.bytes = nil
		}
	}
	r.rest = r.coder.Get(r.rest, &r.v)
	r.left--
	return true
}

// runs splits the pieces into runs.
func (c *Packed[T]) runs() (out []run[T]) {
	for i, p := range c.pieces {
		if i == 0 || p.first < c.pieces[i-1].last {
			out = append(out, run[T]{pieces: c.pieces[i : i+1 : i+1]})
			continue
		}
		last := &out[len(out)-1]
		last.pieces = c.pieces[i-len(last.pieces) : i+1 : i+1]
	}
	return out
}

// merge calls give with the elements in order.
func (c *Packed[T]) merge(last bool, give func(*T)) {
	runs := c.runs()
	for i := range runs {
		runs[i].drops = last
	}
	var heads KeyHeap
	for i := range runs {
		if runs[i].next(c) {
			heads.Push(Key{c.Start(&runs[i].v), uint32(i)})
		}
	}
	for len(heads) > 0 {
		r := &runs[heads[0].ID]
		for { // many successive elements may come from one run
			give(&r.v)
			if !r.next(c) {
				heads.Pop()
				break
			}
			heads[0].At = c.Start(&r.v)
			if !heads.StillFirst() {
				heads.Sift()
				break
			}
		}
	}
}
