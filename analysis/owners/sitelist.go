package owners

import (
	"encoding/binary"

	"contend/analysis/internal/column"
)

// siteList is the refs of activities, in order, each as its distance from the one
// before: in chunks, so that it grows without being copied, the first ref of each
// as it is.
type siteList struct {
	chunks [][]byte // that are full
	bytes  []byte   // the one that is filled
	n      int
	last   column.Ref
}

// How long chunks are: few activities are at most call sites, and many at some.
const (
	leastChunk = 1 << 5
	mostChunk  = 1 << 12
)

// chunkRoom is where chunks are allotted: they are many, and all dropped together.
type chunkRoom []byte

const chunkRoomLen = 1 << 16

// take allots an empty chunk.
func (r *chunkRoom) take(size int) []byte {
	if len(*r) < size {
		*r = make([]byte, chunkRoomLen)
	}
	chunk := (*r)[:0:size]
	*r = (*r)[size:]
	return chunk
}

// add appends a ref that comes after all others.
func (l *siteList) add(i column.Ref, room *chunkRoom) {
	if cap(l.bytes)-len(l.bytes) < binary.MaxVarintLen32 {
		l.begin(room)
	}
	l.bytes = binary.AppendUvarint(l.bytes, uint64(i-l.last))
	l.last = i
	l.n++
}

// begin begins another chunk.
func (l *siteList) begin(room *chunkRoom) {
	size := max(leastChunk, min(2*cap(l.bytes), mostChunk))
	if len(l.bytes) > 0 {
		l.chunks = append(l.chunks, l.bytes)
	}
	l.bytes, l.last = room.take(size), 0
}

// join appends the refs of another list, which come after all others.
func (l *siteList) join(o *siteList) {
	if len(l.bytes) > 0 {
		l.chunks = append(l.chunks, l.bytes)
	}
	l.chunks = append(l.chunks, o.chunks...)
	l.bytes, l.last = o.bytes, o.last
	l.n += o.n
}

// all visits the refs.
func (l siteList) all(yield func(column.Ref) bool) {
	for _, chunk := range l.chunks {
		if !visit(chunk, yield) {
			return
		}
	}
	visit(l.bytes, yield)
}

// visit visits the refs of a chunk; false if it is to go no further.
func visit(chunk []byte, yield func(column.Ref) bool) bool {
	at := column.Ref(0)
	for len(chunk) > 0 {
		by, n := uint64(chunk[0]), 1
		if by >= 1<<7 { // few are
			by, n = binary.Uvarint(chunk)
		}
		chunk = chunk[n:]
		at += column.Ref(by)
		if !yield(at) {
			return false
		}
	}
	return true
}
