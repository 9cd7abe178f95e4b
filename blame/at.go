package blame

import (
	"cmp"
	"slices"
)

// Entry returns the sum that a map has for a key, making it if need be.
func Entry[K comparable, V any](m map[K]*V, key K) *V {
	v := m[key]
	if v == nil {
		v = new(V)
		m[key] = v
	}
	return v
}

// ByID is sums by small ids, which are zero at first.
type ByID[V any] []V

// Entry returns the sum of an id. It is good until another id is asked for.
func (t *ByID[V]) Entry(id int) *V {
	for len(*t) <= id {
		*t = append(*t, *new(V))
	}
	return &(*t)[id]
}

// ByWaiting puts a list in descending order of waiting, ties by name, and returns it.
func ByWaiting[T any](list []T, of func(T) (ns int64, name string)) []T {
	slices.SortStableFunc(list, func(a, b T) int {
		x, nameX := of(a)
		y, nameY := of(b)
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(nameX, nameY))
	})
	return list
}

// CompareBool orders false before true.
func CompareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
