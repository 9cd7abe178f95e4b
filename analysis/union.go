package analysis

import (
	"slices"

	"contend/analysis/internal/times"
)

// Union measures the union of intervals: the wall-clock time of a key whose thread-time is
// their sum. The zero value is empty.
type Union struct {
	spans  []times.Span // disjoint, in order
	closed int64        // length of the spans that no later interval can touch
}

// openSpans is the number of spans from which a union closes earlier ones. It bounds memory
// to 512 bytes in each of hundreds of thousands of rows. A short trace never has as many
// spans, so only a long one relies on Sample.InOrder.
const openSpans = 32

// AddSlice adds the interval of a slice. For slices in order of time it keeps at most
// openSpans spans; for recorded waits, twice the number that a later slice may touch. Such
// a union cannot be joined to another by UnionOf.
func (u *Union) AddSlice(s *Slice) {
	if s.Summed || u.lengthen(s.Start, s.End) { // nothing shows when a sum was
		return
	}
	switch u.insert(s.Start, s.End); {
	case len(u.spans) <= openSpans:
	case s.Sample.InOrder:
		u.closeBefore(s.Start)
	case !s.Sample.Taken && u.spans[len(u.spans)/2].End < s.NoEarlierStart:
		u.closeBefore(s.NoEarlierStart)
	}
}

// lengthen adds [start, end) if it begins in the last span, the usual case; else it returns
// false.
func (u *Union) lengthen(start, end int64) bool {
	if len(u.spans) == 0 {
		return false
	}
	last := &u.spans[len(u.spans)-1]
	if start < last.Start || start > last.End {
		return false
	}
	last.End = max(last.End, end)
	return true
}

// closeBefore counts and drops the spans that end before t.
func (u *Union) closeBefore(t int64) {
	n := 0
	for n < len(u.spans) && u.spans[n].End < t {
		u.closed += u.spans[n].End - u.spans[n].Start
		n++
	}
	u.spans = append(u.spans[:0], u.spans[n:]...)
}

// AddInterval adds [start, end), in any order.
func (u *Union) AddInterval(start, end int64) {
	if !u.lengthen(start, end) {
		u.insert(start, end)
	}
}

// insert adds [start, end) and merges it with the spans that it touches.
func (u *Union) insert(start, end int64) {
	if start >= end {
		return
	}
	from := times.FirstAfter(u.spans, start-1)
	to := from
	for ; to < len(u.spans) && u.spans[to].Start <= end; to++ {
		start, end = min(start, u.spans[to].Start), max(end, u.spans[to].End)
	}
	u.spans = slices.Replace(u.spans, from, to, times.Span{Start: start, End: end})
}

// Append adds a union whose intervals are all after those of this one.
func (u *Union) Append(o *Union) {
	u.spans = append(u.spans, o.spans...)
	u.closed += o.closed
}

// Len returns the length of the union so far, in nanoseconds.
func (u *Union) Len() int64 {
	n := u.closed
	for _, s := range u.spans {
		n += s.End - s.Start
	}
	return n
}

// Within returns how much of [from, to) a union of AddInterval alone covers, in nanoseconds.
func (u *Union) Within(from, to int64) int64 {
	return times.Within(u.spans, times.Span{Start: from, End: to})
}

// UnionOf returns the union of several.
func UnionOf(parts []*Union) *Union {
	if len(parts) == 1 {
		return parts[0]
	}
	var all []times.Span
	for _, p := range parts {
		all = append(all, p.spans...)
	}
	return &Union{spans: times.UnionOf(all)}
}
