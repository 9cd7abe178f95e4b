package analysis

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
)

// pile is an array that grows in pieces, so that growing copies nothing and
// no more than one piece is ever allocated in vain. A piece that is full is
// sorted by start in the background while the next one fills; order then
// merges them. Elements are found by ref, which is good once order has
// returned.
type pile[T any] struct {
	start   func(*T) int64 // nil when nobody asks for the order
	pieces  [][]T
	sorting sync.WaitGroup
}

// ref finds an element of a pile: piece and place in it.
type ref = uint32

// pieceBits is the binary logarithm of a piece's length: some 2 MB each.
const (
	pieceBits = 16
	pieceLen  = 1 << pieceBits
)

func (p *pile[T]) add(v T) {
	n := len(p.pieces)
	if n == 0 || len(p.pieces[n-1]) == pieceLen {
		p.next()
		n = len(p.pieces)
	}
	p.pieces[n-1] = append(p.pieces[n-1], v)
}

// next begins a piece. The first one grows, so that a small trace costs
// little; those behind it have their full size.
func (p *pile[T]) next() {
	n := len(p.pieces)
	if n == 0 {
		p.pieces = append(p.pieces, nil)
		return
	}
	if full := p.pieces[n-1]; p.start != nil {
		p.sorting.Go(func() { p.sort(full) })
	}
	p.pieces = append(p.pieces, make([]T, 0, pieceLen))
}

// sort sorts keys of 16 bytes and then moves each element once, along the
// cycles of the permutation.
func (p *pile[T]) sort(piece []T) {
	sorter := sorters.Get().(*sorter)
	defer sorters.Put(sorter)
	keys, sorted := sorter.keys[:0], true
	for i := range piece {
		keys = append(keys, keyed{p.start(&piece[i]), uint32(i)})
		sorted = sorted && (i == 0 || keys[i-1].at <= keys[i].at)
	}
	sorter.keys = keys
	if sorted {
		return
	}
	keys = sorter.sort()
	for i := range keys {
		first := piece[i]
		at := i
		for from := int(keys[at].id); from != i; from = int(keys[at].id) {
			piece[at], keys[at].id = piece[from], uint32(at)
			at = from
		}
		piece[at], keys[at].id = first, uint32(at)
	}
}

func (p *pile[T]) len() int {
	n := len(p.pieces)
	if n == 0 {
		return 0
	}
	return (n-1)<<pieceBits + len(p.pieces[n-1])
}

func (p *pile[T]) at(r ref) *T { return &p.pieces[r>>pieceBits][r&(pieceLen-1)] }

// each visits all elements, in no order, when none of them is being moved.
func (p *pile[T]) each(f func(*T)) {
	p.sorting.Wait()
	for _, piece := range p.pieces {
		for i := range piece {
			f(&piece[i])
		}
	}
}

// order returns the refs of all elements by start; those that start together
// are in the order they were added in. Nothing can be added any more.
func (p *pile[T]) order() []ref {
	if n := len(p.pieces); n > 0 {
		p.sort(p.pieces[n-1])
	}
	p.sorting.Wait()
	out := make([]ref, p.len())
	from, rest := make([]int, len(p.pieces)), out
	var stretches []stretch
	for _, to := range p.cuts() {
		n := 0
		for i := range to {
			n += to[i] - from[i]
		}
		stretches = append(stretches, stretch{from, to, rest[:0:n]})
		from, rest = to, rest[n:]
	}
	onAllCores(len(stretches), func(i int) { p.merge(&stretches[i]) })()
	return out
}

// stretch is a stretch of time: the elements of each piece that begin in it,
// and where their refs go.
type stretch struct {
	from, to []int
	out      []ref
}

// mergedAlone is how many pieces are merged on one core.
const mergedAlone = 4

// cuts splits time into about as many stretches of equal numbers of elements
// as there are cores. It returns where in each piece each of them ends.
func (p *pile[T]) cuts() (ends [][]int) {
	const step = pieceLen / 64
	var sample []int64
	if len(p.pieces) > mergedAlone {
		for _, piece := range p.pieces {
			for i := 0; i < len(piece); i += step {
				sample = append(sample, p.start(&piece[i]))
			}
		}
		slices.Sort(sample)
	}
	if parts := runtime.GOMAXPROCS(0); len(sample) > parts {
		for c := 1; c < parts; c++ {
			end := make([]int, len(p.pieces))
			for i, piece := range p.pieces { // what begins together stays together
				end[i], _ = slices.BinarySearchFunc(piece, sample[c*len(sample)/parts], func(v T, t int64) int { return cmp.Compare(p.start(&v), t) })
			}
			ends = append(ends, end)
		}
	}
	last := make([]int, len(p.pieces))
	for i, piece := range p.pieces {
		last[i] = len(piece)
	}
	return append(ends, last)
}

// merge puts the refs of a stretch in order.
func (p *pile[T]) merge(s *stretch) {
	var heads keyHeap
	for i, piece := range p.pieces {
		if at := s.from[i]; at < s.to[i] {
			heads.push(keyed{p.start(&piece[at]), ref(i)<<pieceBits | ref(at)})
		}
	}
	for len(heads) > 0 {
		h := &heads[0]
		piece := p.pieces[h.id>>pieceBits][:s.to[h.id>>pieceBits]]
		at := int(h.id & (pieceLen - 1))
		for { // many in a row may come from one piece
			s.out = append(s.out, h.id)
			if at++; at == len(piece) {
				heads.pop()
				break
			}
			h.id++
			h.at = p.start(&piece[at])
			if !heads.first() {
				heads.sift()
				break
			}
		}
	}
}
