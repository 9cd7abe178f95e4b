package format

import (
	"math"
	"math/bits"
)

// Numbers numbers repeating values, from 0 in the order of their first use. The zero value
// is empty.
type Numbers[T comparable] struct {
	IDs  map[T]uint32
	List []T // by number
}

// Of returns the number of a value; added is true for a new value.
func (n *Numbers[T]) Of(v T) (id uint32, added bool) {
	id, known := n.IDs[v]
	if known {
		return id, false
	}
	if n.IDs == nil {
		n.IDs = map[T]uint32{}
	}
	id = uint32(len(n.List))
	n.IDs[v] = id
	n.List = append(n.List, v)
	return id, true
}

// ID returns the number of a value, new or not.
func (n *Numbers[T]) ID(v T) uint32 {
	id, _ := n.Of(v)
	return id
}

// Name returns the value with a number; the zero value if there is none.
func (n *Numbers[T]) Name(id uint32) (v T) {
	if int(id) < len(n.List) {
		v = n.List[id]
	}
	return v
}

// Len returns how many values have numbers.
func (n *Numbers[T]) Len() int { return len(n.List) }

// Times multiplies two durations or counts, neither negative; math.MaxInt64 if the product
// is out of range.
func Times(a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}
