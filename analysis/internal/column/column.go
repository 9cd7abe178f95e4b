// Package column stores the events of a trace: many of one kind, added one by
// one and then read in order of time.
//
// Its files, each of which uses only what comes after it:
//
//	packed.go   a column that is only read in order, packed
//	column.go   an array in pieces, and its order by time
//	radix.go    sorting by instants
//	keyheap.go  a heap of instants
//	spares.go   what is used again
package column

import (
	"cmp"
	"runtime"
	"slices"

	"contend/format/workers"
)

// Column is an array that grows in pieces, so that growing copies nothing and
// no more than one piece is ever allocated in vain. A piece that is full is
// sorted by start in the background while the next one fills; Order then
// merges them. The zero value is empty.
type Column[T any] struct {
	Start   func(*T) int64 // when an element begins, ns; nil when nobody asks for the order
	pieces  [][]T
	sorting workers.Group
}

// Ref finds an element of a column: piece and place in it. It is good once
// Order has returned, since elements are moved until then.
type Ref = uint32

// pieceBits is the binary logarithm of a piece's length: some 2 MB each.
const (
	pieceBits = 16
	pieceLen  = 1 << pieceBits
)

// Add appends an element.
func (c *Column[T]) Add(v T) {
	n := len(c.pieces)
	if n == 0 || len(c.pieces[n-1]) == pieceLen {
		c.next()
		n = len(c.pieces)
	}
	c.pieces[n-1] = append(c.pieces[n-1], v)
}

// next begins a piece. The first one grows, so that a small trace costs
// little; those behind it have their full size.
func (c *Column[T]) next() {
	n := len(c.pieces)
	if n == 0 {
		c.pieces = append(c.pieces, nil)
		return
	}
	if full := c.pieces[n-1]; c.Start != nil {
		c.sorting.Go(func() { c.sort(full) })
	}
	c.pieces = append(c.pieces, make([]T, 0, pieceLen))
}

// sort moves each element once, along the cycles of the permutation that puts them
// in order.
func (c *Column[T]) sort(piece []T) {
	by := idleSorter()
	defer sorters.Put(by)
	keys, moved := order(by, piece, c.Start)
	if !moved {
		return
	}
	for i := range keys {
		first := piece[i]
		at := i
		for from := int(keys[at].ID); from != i; from = int(keys[at].ID) {
			piece[at], keys[at].ID = piece[from], uint32(at)
			at = from
		}
		piece[at], keys[at].ID = first, uint32(at)
	}
}

// Len returns the number of elements.
func (c *Column[T]) Len() int {
	n := len(c.pieces)
	if n == 0 {
		return 0
	}
	return (n-1)<<pieceBits + len(c.pieces[n-1])
}

// At returns an element.
func (c *Column[T]) At(r Ref) *T { return &c.pieces[r>>pieceBits][r&(pieceLen-1)] }

// Clear drops all elements.
func (c *Column[T]) Clear() { c.pieces = nil }

// Each visits all elements as they lie in memory, when none of them is being
// moved.
func (c *Column[T]) Each(f func(Ref, *T)) {
	c.sorting.Wait()
	for n, piece := range c.pieces {
		for i := range piece {
			f(Ref(n)<<pieceBits|Ref(i), &piece[i])
		}
	}
}

// Order returns the refs of all elements by start; those that start together
// are in the order they were added in. Nothing can be added any more.
func (c *Column[T]) Order() []Ref {
	if n := len(c.pieces); n > 0 {
		c.sort(c.pieces[n-1])
	}
	c.sorting.Wait()
	out := make([]Ref, c.Len())
	from, rest := make([]int, len(c.pieces)), out
	var stretches []stretch
	for _, to := range c.cuts() {
		n := 0
		for i := range to {
			n += to[i] - from[i]
		}
		stretches = append(stretches, stretch{from, to, rest[:0:n]})
		from, rest = to, rest[n:]
	}
	workers.Each(len(stretches), func(i int) { c.merge(&stretches[i]) })()
	return out
}

// stretch is a stretch of time: the elements of each piece that begin in it,
// and where their refs go.
type stretch struct {
	from, to []int
	out      []Ref
}

// mergedAlone is how many pieces are merged on one core.
const mergedAlone = 4

// cuts splits time into about as many stretches of equal numbers of elements
// as there are cores. It returns where in each piece each of them ends.
func (c *Column[T]) cuts() (ends [][]int) {
	const step = pieceLen / 64
	var sample []int64
	if len(c.pieces) > mergedAlone {
		for _, piece := range c.pieces {
			for i := 0; i < len(piece); i += step {
				sample = append(sample, c.Start(&piece[i]))
			}
		}
		slices.Sort(sample)
	}
	if parts := runtime.GOMAXPROCS(0); len(sample) > parts {
		for part := 1; part < parts; part++ {
			end := make([]int, len(c.pieces))
			for i, piece := range c.pieces { // what begins together stays together
				end[i], _ = slices.BinarySearchFunc(piece, sample[part*len(sample)/parts], func(v T, t int64) int { return cmp.Compare(c.Start(&v), t) })
			}
			ends = append(ends, end)
		}
	}
	last := make([]int, len(c.pieces))
	for i, piece := range c.pieces {
		last[i] = len(piece)
	}
	return append(ends, last)
}

// merge puts the refs of a stretch in order.
func (c *Column[T]) merge(s *stretch) {
	var heads KeyHeap
	for i, piece := range c.pieces {
		if at := s.from[i]; at < s.to[i] {
			heads.Push(Key{c.Start(&piece[at]), Ref(i)<<pieceBits | Ref(at)})
		}
	}
	for len(heads) > 0 {
		h := &heads[0]
		piece := c.pieces[h.ID>>pieceBits][:s.to[h.ID>>pieceBits]]
		at := int(h.ID & (pieceLen - 1))
		for { // many in a row may come from one piece
			s.out = append(s.out, h.ID)
			if at++; at == len(piece) {
				heads.Pop()
				break
			}
			h.ID++
			h.At = c.Start(&piece[at])
			if !heads.StillFirst() {
				heads.Sift()
				break
			}
		}
	}
}
