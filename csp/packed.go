package csp

import (
	"cmp"
	"encoding/binary"
	"iter"

	"contend/format"
)

// entry is a sum, or a part of one that is still to be added up.
type entry struct {
	interval int32
	lock     format.ObjectID
	owner    uint32 // id in the aggregator's owners
	ns       int64
}

// compare orders entries by what they are sums of.
func (e entry) compare(other entry) int {
	return cmp.Or(cmp.Compare(e.interval, other.interval), cmp.Compare(e.lock, other.lock), cmp.Compare(e.owner, other.owner))
}

// packed is a list of sums in order, each place once, at some 8 bytes a sum:
// what an entry differs by from the one before, in varints. It grows in chunks
// at its end, so that growing copies nothing.
type packed struct {
	chunks [][]byte
	n      int
	last   entry
}

// chunkSize is the length of a chunk in bytes. An entry lies in one of them, wherever
// that begins.
const (
	chunkSize = 1 << 14
	entryMost = 4 * binary.MaxVarintLen64
)

// add appends an entry, which comes after all there are.
func (p *packed) add(e entry) {
	if n := len(p.chunks); n == 0 || cap(p.chunks[n-1])-len(p.chunks[n-1]) < entryMost {
		p.chunks = append(p.chunks, make([]byte, 0, chunkSize))
	}
	b := &p.chunks[len(p.chunks)-1]
	*b = binary.AppendUvarint(*b, uint64(e.interval-p.last.interval))
	*b = binary.AppendVarint(*b, int64(e.lock)-int64(p.last.lock))
	*b = binary.AppendVarint(*b, int64(e.owner)-int64(p.last.owner))
	*b = binary.AppendVarint(*b, e.ns)
	p.last = e
	p.n++
}

// all reads the entries in order.
func (p *packed) all() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for r := (unpacker{chunks: p.chunks}); r.next(); {
			if !yield(r.entry) {
				return
			}
		}
	}
}

// unpacker reads a list.
type unpacker struct {
	chunks [][]byte
	own    bool   // let go of each chunk once read
	rest   []byte // of the chunk that is being read
	entry  entry  // the last one read
}

// next reads an entry; it returns false at the end.
func (r *unpacker) next() bool {
	if len(r.rest) == 0 {
		if len(r.chunks) == 0 {
			return false
		}
		r.rest = r.chunks[0]
		if r.own {
			r.chunks[0] = nil
		}
		r.chunks = r.chunks[1:]
	}
	interval, n := binary.Uvarint(r.rest)
	r.entry.interval += int32(interval)
	r.rest = r.rest[n:]
	r.entry.lock = format.ObjectID(int64(r.entry.lock) + r.signed())
	r.entry.owner = uint32(int64(r.entry.owner) + r.signed())
	r.entry.ns = r.signed()
	return true
}

func (r *unpacker) signed() int64 {
	v, n := binary.Varint(r.rest)
	r.rest = r.rest[n:]
	return v
}

// drain returns a reader of a list that is emptied.
func (p *packed) drain() *unpacker {
	r := &unpacker{chunks: p.chunks, own: true}
	*p = packed{}
	return r
}

// join makes one list of two, which are emptied.
func join(a, b *packed) *packed {
	out, x, y := &packed{}, a.drain(), b.drain()
	moreX, moreY := x.next(), y.next()
	for moreX || moreY {
		order := -1
		switch {
		case !moreX:
			order = 1
		case moreY:
			order = x.entry.compare(y.entry)
		}
		e := x.entry
		switch {
		case order > 0:
			e = y.entry
		case order == 0:
			e.ns += y.entry.ns
		}
		out.add(e)
		moreX = moreX && (order > 0 || x.next())
		moreY = moreY && (order < 0 || y.next())
	}
	return out
}
