package owners

import (
	"math/bits"

	"contend/analysis/internal/column"
	"contend/format"
)

// store holds what each thread did, by start, in some 8 bytes an activity: blocks
// of blockLen activities of one thread, which are so many bits each as the largest
// number in the block needs. So a ref still finds its activity at once.
type store struct {
	blocks []block
	words  [][]uint64 // what the blocks hold
	first  []uint32   // by thread: its first block; those of one thread are successive
	count  []uint32   // by thread: how many activities
	what   []doer     // by number
}

// block tells where its activities are, and how they lie there.
type block struct {
	base   int64 // when the first begins
	thread format.ThreadID
	at     uint32 // the word it begins at

	start, length, doer uint8 // how many bits of each activity: its start since base, its length, its doer
}

const (
	blockBits = 6
	blockLen  = 1 << blockBits
	wordBits  = 16 // binary logarithm of how many words are allotted at once
)

// doer numbers have one more bit, which tells waits from others.
const otherBit = 1

// Refs are the activities of a thread from one to before another, which
// are successive.
type Refs struct{ From, To column.Ref }

// Len returns how many there are.
func (r Refs) Len() int { return int(r.To - r.From) }

// at returns the one at a place among them.
func (r Refs) at(n int) column.Ref { return r.From + column.Ref(n) }

// part returns those from one place among them to before another.
func (r Refs) part(from, to int) Refs {
	return Refs{r.at(from), r.at(to)}
}

// newStore returns a store for so many activities of each thread at most.
func newStore(most counts) *store {
	s := &store{first: make([]uint32, len(most)), count: make([]uint32, len(most))}
	n := 0
	for t, activities := range most {
		s.first[t] = uint32(n)
		n += (activities + blockLen - 1) >> blockBits
	}
	s.blocks = make([]block, n)
	return s
}

// add puts the next activities of a thread in a block; none may follow less than
// blockLen.
func (s *store) add(list []recorded) {
	t := list[0].thread
	b := &s.blocks[s.first[t]+s.count[t]>>blockBits]
	s.count[t] += uint32(len(list))
	*b = block{base: list[0].start, thread: t}
	for i := range list {
		r := &list[i]
		b.start = max(b.start, uint8(bits.Len64(uint64(r.start)-uint64(b.base))))
		b.length = max(b.length, uint8(bits.Len64(uint64(r.end)-uint64(r.start))))
		b.doer = max(b.doer, uint8(bits.Len32(r.doer)))
	}
	width := int(b.start) + int(b.length) + int(b.doer)
	words, pos := s.allot(b, (len(list)*width+63)/64), uint(0)
	put := func(v uint64, bits uint8) {
		words[pos/64] |= v << (pos % 64)
		words[pos/64+1] |= v >> 1 >> (63 - pos%64)
		pos += uint(bits)
	}
	for i := range list {
		r := &list[i]
		put(uint64(r.start)-uint64(b.base), b.start)
		put(uint64(r.end)-uint64(r.start), b.length)
		put(uint64(r.doer), b.doer)
	}
}

// readBeyond is how many words behind a block are read, and not used.
const readBeyond = 2

// allot gives a block so many words.
func (s *store) allot(b *block, n int) []uint64 {
	last := len(s.words) - 1
	if last < 0 || len(s.words[last])+n > 1<<wordBits {
		size := 1 << wordBits
		if last++; last == 0 { // a small trace costs little
			size = readBeyond
		}
		s.words = append(s.words, make([]uint64, readBeyond, size))
	}
	used := len(s.words[last]) - readBeyond
	b.at = uint32(last<<wordBits | used)
	for range n {
		s.words[last] = append(s.words[last], 0)
	}
	return s.words[last][used:]
}

// bitsAt reads a number.
func bitsAt(words []uint64, pos uint, bits uint8) uint64 {
	w, n := words[pos/64:], pos%64
	return (w[0]>>n | w[1]<<1<<(63-n)) & (1<<bits - 1)
}

// found is where an activity is.
type found struct {
	*block
	words []uint64
	pos   uint
}

func (s *store) find(i column.Ref) found {
	b := &s.blocks[i>>blockBits]
	width := uint(b.start) + uint(b.length) + uint(b.doer)
	return found{b, s.words[b.at>>wordBits][b.at&(1<<wordBits-1):], uint(i&(blockLen-1)) * width}
}

func (f found) starts() int64 { return f.base + int64(bitsAt(f.words, f.pos, f.start)) }

func (f found) span() (start, end int64) {
	start = f.starts()
	return start, start + int64(bitsAt(f.words, f.pos+uint(f.start), f.length))
}

func (f found) deed() uint32 {
	return uint32(bitsAt(f.words, f.pos+uint(f.start)+uint(f.length), f.doer))
}

// begins returns when an activity begins.
func (s *store) begins(i column.Ref) int64 { return s.find(i).starts() }

// IsWait reports whether an activity is a wait for a lock.
func (s *store) IsWait(i column.Ref) bool { return s.find(i).deed()&otherBit == 0 }

// Wait returns an activity that is a wait for a lock.
func (s *store) Wait(i column.Ref) Wait {
	f := s.find(i)
	start, end := f.span()
	d := &s.what[f.deed()>>1]
	return Wait{start, end, f.thread, d.lock, d.stack, d.info}
}

// Other returns an activity that is no wait.
func (s *store) Other(i column.Ref) Other {
	f := s.find(i)
	start, end := f.span()
	d := &s.what[f.deed()>>1]
	return Other{start, end, f.thread, d.info, d.stack}
}

// Threads returns a bound of the ids of threads that did anything.
func (s *store) Threads() int { return len(s.first) }

// Of returns what a thread did, by start.
func (s *store) Of(t format.ThreadID) Refs {
	if int(t) >= len(s.first) {
		return Refs{}
	}
	from := s.first[t] << blockBits
	return Refs{from, from + s.count[t]}
}
