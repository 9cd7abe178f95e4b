package analysis

import (
	"cmp"
	"slices"
)

// Union measures the length of the union of intervals: the wall-time of a
// key whose thread-time is their sum. The zero value is empty.
type Union struct {
	spans []span // disjoint, in order
}

// Add joins [start, end). Intervals come in order of their end, as slices do;
// one that ends before the last is put where it belongs, at more cost.
func (u *Union) Add(start, end int64) {
	if start >= end {
		return
	}
	at := len(u.spans)
	for at > 0 && u.spans[at-1].start > end { // ends out of order
		at--
	}
	from := at
	for from > 0 && u.spans[from-1].end >= start {
		from--
		start, end = min(start, u.spans[from].start), max(end, u.spans[from].end)
	}
	if from == at {
		u.spans = append(u.spans, span{})
		copy(u.spans[at+1:], u.spans[at:])
		u.spans[at] = span{start, end}
	} else {
		u.spans[from] = span{start, end}
		u.spans = append(u.spans[:from+1], u.spans[at:]...)
	}
}

// Len returns the length of the union so far, in nanoseconds.
func (u *Union) Len() int64 {
	n := int64(0)
	for _, s := range u.spans {
		n += s.end - s.start
	}
	return n
}

// UnionOf returns the union of several.
func UnionOf(parts []*Union) *Union {
	if len(parts) == 1 {
		return parts[0]
	}
	var all []span
	for _, p := range parts {
		all = append(all, p.spans...)
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.end, b.end) })
	u := &Union{}
	for _, s := range all {
		u.Add(s.start, s.end)
	}
	return u
}
