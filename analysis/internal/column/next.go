package column

import "slices"

// Next extends a list by one element and returns it. The element holds stale data.
func Next[T any](list *[]T) *T {
	n := len(*list)
	*list = slices.Grow(*list, 1)[:n+1]
	return &(*list)[n]
}
