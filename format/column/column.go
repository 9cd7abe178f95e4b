package column

import "slices"

// Column is an array that grows in pieces: growing copies nothing and wastes at most one
// piece. Full pieces are sorted by start; Order then merges them. The zero value is empty.
type Column[T any] struct {
	Start  func(*T) int64 // start of an element, ns; nil if Order is never called
	pieces [][]T
	sorter sorter
}

// Ref identifies an element of a column by piece and place. It is valid once Order has
// returned: elements are moved until then.
type Ref = uint32

// pieceBits is the binary logarithm of a piece's length: some 2 MB each.
const (
	pieceBits = 16
	pieceLen  = 1 << pieceBits
)

// The first piece begins with room for firstLen elements, and grows to growth times as many: to copy a few hundred
// bytes costs little, to copy megabytes a dozen times does not.
const (
	firstLen = 4
	growth   = 8
)

// Append appends an element.
func (c *Column[T]) Append(v T) {
	n := len(c.pieces)
	if n == 0 || len(c.pieces[n-1]) == pieceLen {
		c.next()
		n = len(c.pieces)
	}
	piece := &c.pieces[n-1]
	if len(*piece) == cap(*piece) {
		grown := make([]T, len(*piece), min(max(firstLen, growth*len(*piece)), pieceLen))
		copy(grown, *piece)
		*piece = grown
	}
	*piece = append(*piece, v)
}

// next begins a piece. The first one grows, so that a small trace costs little; later ones
// have their full size.
func (c *Column[T]) next() {
	n := len(c.pieces)
	if n > 0 && c.Start != nil {
		c.sort(c.pieces[n-1])
	}
	var piece []T
	if n < cap(c.pieces) {
		piece = c.pieces[:n+1][n][:0] // of before Reset
	}
	if n > 0 && piece == nil {
		piece = make([]T, 0, pieceLen)
	}
	c.pieces = append(c.pieces, piece)
}

// sort moves each element of a piece once, along the cycles of the permutation that sorts
// it.
func (c *Column[T]) sort(piece []T) {
	keys, moved := order(&c.sorter, piece, c.Start)
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

// Elem returns an element.
func (c *Column[T]) Elem(r Ref) *T { return &c.pieces[r>>pieceBits][r&(pieceLen-1)] }

// Clear drops all elements.
func (c *Column[T]) Clear() { c.pieces = nil }

// Reset is Clear for a column that is filled again: it keeps the memory.
func (c *Column[T]) Reset() { c.pieces = c.pieces[:0] }

// Each visits all elements in memory order.
func (c *Column[T]) Each(f func(Ref, *T)) {
	for n, piece := range c.pieces {
		for i := range piece {
			f(Ref(n)<<pieceBits|Ref(i), &piece[i])
		}
	}
}

// List returns all elements in memory order.
func (c *Column[T]) List() []T {
	out := make([]T, 0, c.Len())
	for _, piece := range c.pieces {
		out = append(out, piece...)
	}
	return out
}

// Order returns the refs of all elements by start; elements with the same start are in the
// order of their addition. Nothing can be added afterwards.
func (c *Column[T]) Order() []Ref {
	if n := len(c.pieces); n > 0 {
		c.sort(c.pieces[n-1])
	}
	c.sorter = sorter{}
	out := make([]Ref, 0, c.Len())
	var heads KeyHeap
	for i, piece := range c.pieces {
		heads.Push(Key{c.Start(&piece[0]), Ref(i) << pieceBits})
	}
	for len(heads) > 0 {
		h := &heads[0]
		piece := c.pieces[h.ID>>pieceBits]
		at := int(h.ID & (pieceLen - 1))
		for { // many successive elements may come from one piece
			out = append(out, h.ID)
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
	return out
}

// Next extends a list by one element and returns it. The element holds stale data.
func Next[T any](list *[]T) *T {
	n := len(*list)
	*list = slices.Grow(*list, 1)[:n+1]
	return &(*list)[n]
}
