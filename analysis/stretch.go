package analysis

import "contend/format"

// Stretch is slices that samples show over [Start, End), one of each of some
// groups. All it points to stays as it is, also behind the call, and the same groups
// come again and again.
type Stretch struct {
	Start, End int64
	Running    int64 // running thread-time, which RunningVisitors were told of before
	Sample     Sample
	*Waiting
}

// Waiting is groups of threads that wait, in a stretch that follows another one.
type Waiting struct {
	Groups []Group
	Begins int64   // waits that begin with it
	first  []Begun // of one group after the other
	ends   []int32 // by group: where its own end in first
	number uint32  // another one has another, for some while
}

// Begun is a waiter whose wait begins.
type Begun struct {
	Place  int32 // in its group
	Thread format.ThreadID
}

// Group is threads that wait for one lock and where that leads, on one path.
type Group struct {
	Number  uint32 // from 1; another group has another one
	Lock    format.ObjectID
	Waiters []Waiter // at least one; what begins with a stretch is not said here
	Share   Share    // but for its length, which is that of the stretch
}

// StretchVisitor is a Visitor that can take slices of groups together, and may
// remember what it found out of a group, see ByGroup. Those of a stretch for which
// it returns false are given one by one.
type StretchVisitor interface {
	Stretch(s *Stretch) bool
}

// Length returns how long each of the waiters waited.
func (s *Stretch) Length() int64 { return s.End - s.Start }

// Begun returns the waiters of a group whose waits begin with the stretch, in order.
func (w *Waiting) Begun(group int) []Begun {
	from := int32(0)
	if group > 0 {
		from = w.ends[group-1]
	}
	return w.first[from:w.ends[group]]
}

// slice makes the slice of a group, in memory that is used again.
func (s *Stretch) slice(group int, out *Slice) {
	g := &s.Groups[group]
	waiters, shares := append(out.Waiters[:0], g.Waiters...), append(out.Shares[:0], g.Share)
	for _, b := range s.Begun(group) {
		waiters[b.Place].First = true
	}
	shares[0].Ns = s.Length()
	*out = Slice{Start: s.Start, End: s.End, Lock: g.Lock, Waiters: waiters, Shares: shares, Sample: s.Sample}
}
