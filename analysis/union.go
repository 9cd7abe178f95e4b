package analysis

import (
	"cmp"
	"slices"
)

// span is a half-open stretch of time.
type span struct{ start, end int64 }

// Union measures the length of the union of intervals: the wall-time of a
// key whose thread-time is their sum. The zero value is empty.
type Union struct {
	spans  []span // disjoint, in order
	closed int64  // length of spans that nothing can touch any more
}

// openSpans is how many spans a union keeps before it closes those behind the
// present: they take 512 bytes, in each of hundreds of thousands of rows. A short trace never gets there, so that only a long
// one must keep the promise of Sample.InOrder.
const openSpans = 32

// AddSlice joins the stretch of a slice. Of slices that come in order of time
// it keeps no more than openSpans stretches, however many there were, and of
// recorded waits twice those that a later slice may still touch; such a union cannot
// be joined to another by UnionOf.
func (u *Union) AddSlice(s *Slice) {
	switch many := u.add(s.Start, s.End); {
	case !many:
	case s.Sample.InOrder:
		u.closeBefore(s.Start)
	case !s.Sample.Taken && u.spans[len(u.spans)/2].end < s.NoEarlierStart:
		u.closeBefore(s.NoEarlierStart)
	}
}

// add is Add, in less time where the interval begins in the last span. It reports
// whether there are so many spans now that some should be closed.
func (u *Union) add(start, end int64) (many bool) {
	if u.lengthen(start, end) {
		return false
	}
	u.Add(start, end)
	return len(u.spans) > openSpans
}

// lengthen joins [start, end) where it begins in the last span, as most do; else it
// returns false.
func (u *Union) lengthen(start, end int64) bool {
	if len(u.spans) == 0 {
		return false
	}
	last := &u.spans[len(u.spans)-1]
	if start < last.start || start > last.end {
		return false
	}
	last.end = max(last.end, end)
	return true
}

// closeBefore counts and forgets the spans that end before t.
func (u *Union) closeBefore(t int64) {
	n := 0
	for n < len(u.spans) && u.spans[n].end < t {
		u.closed += u.spans[n].end - u.spans[n].start
		n++
	}
	u.spans = append(u.spans[:0], u.spans[n:]...)
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

// Append joins a union whose intervals all lie behind those of this one.
func (u *Union) Append(o *Union) {
	u.spans = append(u.spans, o.spans...)
	u.closed += o.closed
}

// Len returns the length of the union so far, in nanoseconds.
func (u *Union) Len() int64 {
	n := u.closed
	for _, s := range u.spans {
		n += s.end - s.start
	}
	return n
}

// within returns how much of [start, end) the union covers.
func (u *Union) within(start, end int64) (ns int64) {
	first, _ := slices.BinarySearchFunc(u.spans, start+1, func(s span, t int64) int { return cmp.Compare(s.end, t) })
	for _, s := range u.spans[first:] {
		if s.start >= end {
			break
		}
		ns += min(s.end, end) - max(s.start, start)
	}
	return ns
}

// Spans measures the union of stretches in any order. Where they overlap, as those of
// threads that wait together do, it keeps far fewer than there were. The zero value is
// empty.
type Spans struct {
	joined Union
	loose  []span
}

// leastLoose is how many stretches lie loose at least before they are joined.
const leastLoose = 1 << 10

// Add joins [start, end).
func (s *Spans) Add(start, end int64) {
	if start >= end {
		return
	}
	if len(s.loose) >= max(leastLoose, len(s.joined.spans)) { // so often only that each is sorted a few times
		s.join()
	}
	s.loose = append(s.loose, span{start, end})
}

func (s *Spans) join() {
	s.joined = *UnionOf([]*Union{&s.joined, {spans: s.loose}})
	s.loose = s.loose[:0]
}

// Len returns the length of the union so far, in nanoseconds.
func (s *Spans) Len() int64 {
	s.join()
	return s.joined.Len()
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
