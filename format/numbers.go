package format

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
