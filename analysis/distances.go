package analysis

import "slices"

// distances keeps the first distances between sampling instants, in order: so
// many tell their median well, and a recorder does not change its period.
type distances struct {
	sorted [255]int64
	n      int
}

// median adds one more and returns the median of those kept.
func (d *distances) median(next int64) int64 {
	if d.n < len(d.sorted) {
		at, _ := slices.BinarySearch(d.sorted[:d.n], next)
		copy(d.sorted[at+1:d.n+1], d.sorted[at:d.n])
		d.sorted[at] = next
		d.n++
	}
	return d.sorted[(d.n-1)/2]
}
