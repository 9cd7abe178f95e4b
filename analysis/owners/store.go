package owners

import (
	"encoding/binary"
	"math/bits"

	"contend/format"
	"contend/format/column"
)

// store holds the activities of each thread, by start, in some 10 bytes each: blocks of
// blockLen activities of one thread, in which a number takes as many bytes as the largest of
// its block. All activities of a block have one size, so that a ref finds its activity at once.
type store struct {
	blocks []block
	rooms  [][]byte      // the bytes of the blocks
	free   uint32        // where the unused part of the last room begins
	first  []uint32      // by thread: its first block; the blocks of a thread follow one another
	count  []uint32      // by thread: its activities
	until  []int64       // by thread: when the last of its waits ends
	ends   []int64       // by thread: when the last of all that takes time ends
	nested []bool        // by thread: something that takes time began before that
	keys   []activityKey // by number
}

// block is up to blockLen activities: for each its start since base, its duration and the
// number of its key. It has no pointer, because the garbage collector would follow one for each
// block.
type block struct {
	base     int64  // the start of the first one
	waits    uint64 // a bit for each that is a wait for a lock
	room, at uint32 // where the bytes are
	thread   format.ThreadID

	start, length, key uint8 // the bytes of each number
}

const (
	blockBits = 6
	blockLen  = 1 << blockBits
)

// Refs are successive activities of a thread, [From, To).
type Refs struct{ From, To column.Ref }

func (r Refs) Len() int { return int(r.To - r.From) }

// nth returns number n of them.
func (r Refs) nth(n int) column.Ref { return r.From + column.Ref(n) }

// newStore returns a store for at most so many activities of each thread.
func newStore(most counts) *store {
	s := &store{
		first:  make([]uint32, len(most)),
		count:  make([]uint32, len(most)),
		until:  make([]int64, len(most)),
		ends:   make([]int64, len(most)),
		nested: make([]bool, len(most)),
	}
	n := 0
	for t, activities := range most {
		s.first[t] = uint32(n)
		s.until[t] = minTime
		s.ends[t] = minTime
		n += (activities + blockLen - 1) >> blockBits
	}
	s.blocks = make([]block, n)
	return s
}

// addBlock stores the next activities of a thread as a block. Only the last block of a thread may
// have fewer than blockLen.
func (s *store) addBlock(list []recorded) {
	t := list[0].thread
	b := &s.blocks[s.first[t]+s.count[t]>>blockBits]
	s.count[t] += uint32(len(list))
	*b = block{base: list[0].start, thread: t}
	for i := range list {
		r := &list[i]
		b.start = max(b.start, bytesOf(uint64(r.start)-uint64(b.base)))
		b.length = max(b.length, bytesOf(uint64(r.end)-uint64(r.start)))
		b.key = max(b.key, bytesOf(uint64(r.key>>1)))
		if r.end > r.start {
			s.nested[t], s.ends[t] = s.nested[t] || r.start < s.ends[t], max(s.ends[t], r.end)
		}
	}
	data := s.allot(b, len(list)*b.size())[:0]
	for i := range list {
		r := &list[i]
		if r.key&otherBit == 0 {
			b.waits |= 1 << i
			s.until[t] = max(s.until[t], r.end)
		}
		data = put(data, uint64(r.start)-uint64(b.base), b.start)
		data = put(data, uint64(r.end)-uint64(r.start), b.length)
		data = put(data, uint64(r.key>>1), b.key)
	}
}

func (b *block) size() int { return int(b.start) + int(b.length) + int(b.key) }

// bytesOf returns the bytes that a number needs, at least one.
func bytesOf(v uint64) uint8 { return uint8(max(bits.Len64(v)+7, 8) / 8) }

// put appends the lowest bytes of a number.
func put(to []byte, v uint64, bytes uint8) []byte {
	for range bytes {
		to = append(to, byte(v))
		v >>= 8
	}
	return to
}

// get decodes a number. It reads up to readBeyond bytes beyond it.
func get(from []byte, bytes uint8) uint64 {
	return binary.LittleEndian.Uint64(from) & (^uint64(0) >> ((64 - 8*bytes) & 63))
}

const readBeyond = 8

// The bytes that are allocated at once: few for a small trace.
const (
	minRoom = 1 << 12
	maxRoom = 1 << 19
)

// allot makes room for the n bytes of a block, and for readBeyond bytes after them.
func (s *store) allot(b *block, n int) []byte {
	last := len(s.rooms) - 1
	if last < 0 || len(s.rooms[last])-int(s.free) < n+readBeyond {
		size := minRoom
		if last >= 0 {
			size = min(2*len(s.rooms[last]), maxRoom)
		}
		s.rooms = append(s.rooms, make([]byte, max(size, n+readBeyond)))
		s.free = 0
		last++
	}
	b.room, b.at = uint32(last), s.free
	s.free += uint32(n)
	return s.bytesOf(b)
}

// bytesOf returns the bytes of a block, and those that follow in its room.
func (s *store) bytesOf(b *block) []byte { return s.rooms[b.room][b.at:] }

// find returns the block of an activity, and its bytes.
func (s *store) find(i column.Ref) (b *block, data []byte) {
	b = &s.blocks[i>>blockBits]
	return b, s.rooms[b.room][int(b.at)+int(i&(blockLen-1))*b.size():]
}

func (b *block) span(data []byte) (start, end int64) {
	start = b.base + int64(get(data, b.start))
	return start, start + int64(get(data[b.start:], b.length))
}

func (s *store) key(b *block, data []byte) *activityKey { return &s.keys[b.number(data)] }

func (b *block) number(data []byte) uint32 {
	return uint32(get(data[b.start+b.length:], b.key))
}

func (b *block) begins(data []byte) int64 { return b.base + int64(get(data, b.start)) }

func (s *store) Begins(i column.Ref) int64 {
	b, data := s.find(i)
	return b.begins(data)
}

func (s *store) IsWait(i column.Ref) bool {
	return s.blocks[i>>blockBits].waits>>(i&(blockLen-1))&1 != 0
}

func (s *store) Activity(i column.Ref) Activity {
	b, data := s.find(i)
	start, end := b.span(data)
	return Activity{start, end, b.thread, *s.key(b, data)}
}

func (s *store) Span(i column.Ref) (start, end int64) {
	b, data := s.find(i)
	return b.span(data)
}

// farBack is how many activities of a thread before an instant are searched for one that goes
// on then. Mostly it is the last, but samples may be taken in its course.
const farBack = 12

// goingOn returns the activities of a list from the first one that may go on when number n
// begins.
func (s *store) goingOn(list Refs, n int) Refs {
	if n == 0 {
		return list
	}
	i, first := list.nth(n-1), list.nth(max(n-farBack, 0))
	if s.nested[s.blocks[i>>blockBits].thread] {
		i = first
	}
	for ; i > first; i-- {
		if start, end := s.Span(i); end > start {
			break
		}
	}
	list.From = i
	return list
}

// before returns how many of a thread's activities begin before t. Near is a guess of the last of
// them, list.From for none.
func (s *store) before(list Refs, t int64, near column.Ref) int {
	if list.Len() == 0 {
		return 0
	}
	lo, hi := list.From>>blockBits, (list.To+blockLen-1)>>blockBits
	if near >>= blockBits; near > lo && near < hi {
		if s.blocks[near].base >= t {
			hi = near
		} else if lo = near; lo+1 < hi && s.blocks[lo+1].base >= t {
			hi = lo + 1
		}
	}
	for lo+1 < hi {
		if mid := lo + (hi-lo)/2; s.blocks[mid].base < t {
			lo = mid
		} else {
			hi = mid
		}
	}
	from, to := max(list.From, lo<<blockBits), min(list.To, (lo+1)<<blockBits)
	b := &s.blocks[lo]
	size, data := b.size(), s.bytesOf(b)
	for from < to {
		mid := from + (to-from)/2
		if b.base+int64(get(data[int(mid&(blockLen-1))*size:], b.start)) < t {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return int(from - list.From)
}

// Threads returns an upper bound of the ids of threads with activities.
func (s *store) Threads() int { return len(s.first) }

// WaitsUntil returns when the last wait of a thread that has any ends.
func (s *store) WaitsUntil(t format.ThreadID) int64 { return s.until[t] }

// OfThread returns the activities of a thread, by start.
func (s *store) OfThread(t format.ThreadID) Refs {
	if int(t) >= len(s.first) {
		return Refs{}
	}
	from := s.first[t] << blockBits
	return Refs{from, from + s.count[t]}
}
