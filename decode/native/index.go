package native

import (
	"hash/maphash"
	"slices"
)

// index numbers byte strings in the order in which they are met, from 0. It
// keeps copies of them, in memory that is used again.
type index struct {
	seed  maphash.Seed
	slots []slot // a power of two of them
	round uint32 // of what is not from before the last reset
	bytes []byte
	ends  []int // of each string, in bytes
}

type slot struct {
	round, number uint32
	hash          uint64
}

const fewestSlots = 1 << 10

// reset forgets all strings.
func (x *index) reset() {
	if x.round++; x.round == 0 || len(x.slots) > 64*fewestSlots {
		x.slots, x.round = nil, 1
	}
	x.bytes, x.ends = x.bytes[:0], x.ends[:0]
}

// find returns the number of a string; one that is not known is added.
func (x *index) find(key []byte) (number uint32, known bool) {
	if x.slots == nil {
		x.slots = make([]slot, fewestSlots)
	}
	hash := maphash.Bytes(x.seed, key)
	mask := uint64(len(x.slots) - 1)
	at := hash & mask
	for ; x.slots[at].round == x.round; at = (at + 1) & mask {
		if s := &x.slots[at]; s.hash == hash && string(x.of(s.number)) == string(key) {
			return s.number, true
		}
	}
	number = uint32(len(x.ends))
	x.bytes = append(x.bytes, key...)
	x.ends = append(x.ends, len(x.bytes))
	x.slots[at] = slot{x.round, number, hash}
	if len(x.ends) > len(x.slots)/2 {
		x.grow()
	}
	return number, false
}

// of returns a string.
func (x *index) of(number uint32) []byte {
	from := 0
	if number > 0 {
		from = x.ends[number-1]
	}
	return x.bytes[from:x.ends[number]]
}

func (x *index) grow() {
	old := x.slots
	x.slots = slices.Repeat([]slot{{}}, 2*len(old))
	mask := uint64(len(x.slots) - 1)
	for _, s := range old {
		if s.round != x.round {
			continue
		}
		at := s.hash & mask
		for x.slots[at].round == x.round {
			at = (at + 1) & mask
		}
		x.slots[at] = s
	}
}
