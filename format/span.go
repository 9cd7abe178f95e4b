package format

// spanner finds what a block's header tells of its ticks, so that a reader who is
// asked for another stretch of time can pass over it: nothing else that the block
// holds may be of use elsewhere.
type spanner struct {
	Span
	waiting uint32 // at the open instant
	live    uint32
	seen    map[stackSeen]struct{} // in the whole trace
}

// stackSeen is what a stack is seen at: waiting for a lock, or some activity.
type stackSeen struct {
	stack    StackID
	lock     ObjectID
	activity Activity
}

// mostSeen bounds the memory of that: behind so many no block is passed over.
const mostSeen = 1 << 16

func (s *spanner) tick(ev *Event) {
	if s.Ticks == 0 {
		s.Earliest, s.Latest = ev.Time, ev.Time
	}
	s.Earliest, s.Latest = min(s.Earliest, ev.Time), max(s.Latest, ev.Time)
	s.Ticks++
	s.live, s.waiting = ev.Live, 0
	if ev.Weight != 0 { // it may stand for any stretch
		s.Holds |= HoldsMore
	}
}

// part takes what is seen at the open instant; fresh is false when the block
// holds the same already.
func (s *spanner) part(ev *Event, fresh bool) {
	s.waiting += uint32(len(ev.Waiters))
	if !fresh {
		return
	}
	switch {
	case ev.Kind == KindActivity:
		if ev.End != ev.Time || !ev.Activity.Idle() {
			s.Holds |= HoldsMore
		}
		s.meet(stackSeen{ev.Stack, NoObject, ev.Activity})
	case ev.Weight < 0:
		s.Holds |= HoldsMore
	case len(ev.Owners) > 0:
		s.Holds |= HoldsOwners
	default:
		s.Holds |= HoldsUnowned
	}
	for i := range ev.Waiters {
		s.meet(stackSeen{ev.Waiters[i].Stack, ev.Object, ActivityUnknown})
	}
}

// meet notes what a stack is seen at; a block that is the first to show it is
// needed to know where locks are taken.
func (s *spanner) meet(at stackSeen) {
	if _, known := s.seen[at]; known {
		return
	}
	s.Holds |= HoldsMore
	if s.seen == nil {
		s.seen = map[stackSeen]struct{}{}
	}
	if len(s.seen) < mostSeen {
		s.seen[at] = struct{}{}
	}
}

// close ends the open instant.
func (s *spanner) close() {
	s.Live = max(s.Live, s.live)
	if s.waiting > s.live { // how many lived is not told
		s.Holds |= HoldsMore
	}
}
