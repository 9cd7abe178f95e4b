package format

// Interner numbers repeating values, from 0 in the order of their first use. The zero value
// is empty.
type Interner[T comparable] struct {
	IDs  map[T]uint32
	List []T // by number
}

// Intern returns the number of a value; added is true for a new value.
func (i *Interner[T]) Intern(v T) (id uint32, added bool) {
	id, known := i.IDs[v]
	if known {
		return id, false
	}
	if i.IDs == nil {
		i.IDs = map[T]uint32{}
	}
	id = uint32(len(i.List))
	i.IDs[v] = id
	i.List = append(i.List, v)
	return id, true
}

// ID returns the number of a value, new or not.
func (i *Interner[T]) ID(v T) uint32 {
	id, _ := i.Intern(v)
	return id
}

// Value returns the value with a number; the zero value if there is none.
func (i *Interner[T]) Value(id uint32) (v T) {
	if int(id) < len(i.List) {
		v = i.List[id]
	}
	return v
}

// Len returns how many values have numbers.
func (i *Interner[T]) Len() int { return len(i.List) }
