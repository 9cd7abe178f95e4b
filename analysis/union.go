package analysis

// Union measures the union of intervals: the wall-clock time of a key whose thread-time is
// their sum. The zero value is empty.
type Union struct {
	spans  []span // disjoint, in order
	closed int64  // length of the spans that no later interval can touch
}

// openSpans is the number of spans from which on a union closes earlier ones. It bounds
// memory to 512 bytes in each of hundreds of thousands of rows. A short trace never gets
// there, so only a long one relies on Sample.InOrder.
const openSpans = 32

// AddSlice adds the interval of a slice. Of slices in order of time it keeps at most
// openSpans spans; of recorded waits, twice those that a later slice may touch. Such a
// union cannot be joined to another by UnionOf.
func (u *Union) AddSlice(s *Slice) {
	switch many := u.add(s.Start, s.End); {
	case !many:
	case s.Sample.InOrder:
		u.closeBefore(s.Start)
	case !s.Sample.Taken && u.spans[len(u.spans)/2].end < s.NoEarlierStart:
		u.closeBefore(s.NoEarlierStart)
	}
}

// add is Add, faster if the interval begins in the last span. It reports whether some spans
// should be closed.
func (u *Union) add(start, end int64) (many bool) {
	if u.lengthen(start, end) {
		return false
	}
	u.Add(start, end)
	return len(u.spans) > openSpans
}

// lengthen adds [start, end) if it begins in the last span, as most do; else it returns
// false.
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

// closeBefore counts and drops the spans that end before t.
func (u *Union) closeBefore(t int64) {
	n := 0
	for n < len(u.spans) && u.spans[n].end < t {
		u.closed += u.spans[n].end - u.spans[n].start
		n++
	}
	u.spans = append(u.spans[:0], u.spans[n:]...)
}

// Add adds [start, end). Intervals are in order of their end, like slices; others cost
// more.
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

// Append adds a union whose intervals are all after those of this one.
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

// Spans measures the union of intervals in any order. Intervals that overlap, like those of
// threads that wait together, take little memory. The zero value is empty.
type Spans struct {
	joined []span
	loose  []span
}

// minLoose is the number of loose intervals from which on they are joined.
const minLoose = 1 << 10

// Add adds [start, end).
func (s *Spans) Add(start, end int64) {
	if start >= end {
		return
	}
	if len(s.loose) >= max(minLoose, len(s.joined)) { // seldom enough that each is sorted only a few times
		s.join()
	}
	s.loose = append(s.loose, span{start, end})
}

func (s *Spans) join() {
	s.joined = unionOf(append(s.joined, s.loose...))
	s.loose = s.loose[:0]
}

// Len returns the length of the union so far, in nanoseconds.
func (s *Spans) Len() int64 {
	s.join()
	return (&Union{spans: s.joined}).Len()
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
	return &Union{spans: unionOf(all)}
}
