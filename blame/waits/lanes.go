package waits

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// State is what a thread does in a span.
type State uint8

// The states.
const (
	Holding State = iota // Lock; of holds that are not recorded, the part in which others waited for it
	Waiting              // for Lock
	Idle                 // asleep or without work: Activity says which
	Acting               // Activity, at an instant or over a time
)

// LaneSpan is one state of one thread over [Start, End), in ns of the trace's clock.
type LaneSpan struct {
	Start, End int64
	Thread     format.ThreadID
	Lock       format.ObjectID // of Holding and Waiting
	Stack      format.StackID
	State      State
	Activity   format.Activity
	Word       analysis.Word  // of Holding: the provenance
	Known      analysis.Known // the waiting charged to the hold, if any
}

// Arrow leads from a wait to a hold that it is charged to. Both are indices of Lanes.Spans.
type Arrow struct{ Wait, Hold int32 }

// Lanes is a visitor that lays a trace out by threads: the waits, holds and activities of
// each, with their times. It keeps all of them that overlap the window of NewLanes, or of
// the longest as many as Bounded says, and sums of the others. Finish orders them.
type Lanes struct {
	analysis.AnyQueue
	Spans  []LaneSpan
	Arrows []Arrow   // none where they are bounded
	Sums   *LaneSums // of the spans that are not kept; nil where all are

	from, to   int64
	activities int                 // how many more are kept
	latestWait blame.ByID[int32]   // by thread: the index of its latest wait plus one; 0 for none
	latestHold map[holdKey]int32   // the index of the latest inferred hold
	arrowTo    []int32             // by wait: the hold of its latest arrow plus one; 0 for none
	recorded   map[holdKey][]int32 // the indices of the recorded holds
	sliceHolds []int32             // scratch of Slice: the holds that its shares are charged to
}

type holdKey struct {
	lock   format.ObjectID
	thread format.ThreadID
}

// NewLanes returns a collector of the spans that overlap [from, to), and of at most so many
// activities, which are far more than waits and holds.
func NewLanes(from, to int64, activities int) *Lanes {
	return &Lanes{
		from:       from,
		to:         to,
		activities: activities,
		latestHold: map[holdKey]int32{},
		recorded:   map[holdKey][]int32{},
	}
}

// Begin implements analysis.Visitor.
func (l *Lanes) Begin(*analysis.Symbols, int64) {}

// Slice implements analysis.Visitor.
func (l *Lanes) Slice(s *analysis.Slice) {
	earliest := s.NoEarlierStart
	if s.Sample.Taken {
		earliest = s.Start
	}
	l.makeRoom(earliest)
	l.sliceHolds = l.sliceHolds[:0]
	for i := range s.Shares {
		if sh := &s.Shares[i]; sh.Direct.Kind == analysis.OwnerThread && l.overlaps(s.Start, s.End) {
			l.sliceHolds = append(l.sliceHolds, l.hold(s, sh))
		}
	}
	for i := range s.Waiters {
		at := l.wait(s, &s.Waiters[i])
		if l.Sums != nil {
			continue
		}
		for _, hold := range l.sliceHolds {
			if l.arrowTo[at] != hold+1 {
				l.arrowTo[at] = hold + 1
				l.Arrows = append(l.Arrows, Arrow{at, hold})
			}
		}
	}
}

// QueueSlice implements analysis.QueueVisitor. In a long queue only the first waiter has
// arrows: every waiter has the same holds, so there would be waits times holds.
func (l *Lanes) QueueSlice(s *analysis.Slice, _ int) { l.Slice(s) }

// overlaps reports whether an interval overlaps the window.
func (l *Lanes) overlaps(start, end int64) bool { return end >= l.from && start < l.to }

// addSpan appends a span and returns its index.
func (l *Lanes) addSpan(s LaneSpan) int32 {
	l.Spans = append(l.Spans, s)
	l.arrowTo = append(l.arrowTo, 0)
	return int32(len(l.Spans) - 1)
}

// wait returns the index of the span of a waiter of the slice, extending or adding it; -1 if
// the wait begins after the window. A span that ended before the window is overwritten by the
// thread's next wait: a long queue lists its waiters only in the first and last slice of each
// wait, so that the span must be kept until it is known whether it reaches the window.
func (l *Lanes) wait(s *analysis.Slice, w *analysis.Waiter) int32 {
	at := *l.latestWait.Entry(int(w.Thread)) - 1
	if at >= 0 && !w.First && l.Spans[at].Lock == s.Lock {
		l.Spans[at].End = s.End
		return at
	}
	one := LaneSpan{Start: s.Start, End: s.End, Thread: w.Thread, Lock: s.Lock, Stack: w.Stack, State: Waiting}
	switch {
	case s.Start >= l.to:
		l.latestWait[w.Thread] = 0 // what follows extends no span: this wait has none
		return -1
	case at >= 0 && l.Spans[at].End < l.from:
		l.Spans[at] = one
	default:
		at = l.addSpan(one)
		l.latestWait[w.Thread] = at + 1
	}
	return at
}

// hold returns the index of the hold that a share is charged to. A span is extended while
// thread, stack and provenance stay the same.
func (l *Lanes) hold(s *analysis.Slice, sh *analysis.Share) int32 {
	o, key := &sh.Direct, holdKey{s.Lock, sh.Direct.Thread}
	at, ok := l.latestHold[key]
	if ok {
		old := &l.Spans[at]
		if old.End >= s.Start && old.Start <= s.End && old.Stack == o.Stack && old.Word == o.Prov.Word() {
			old.Start, old.End = min(old.Start, s.Start), max(old.End, s.End)
			old.Known.AddWaiting(o.Prov, sh.Ns)
			return at
		}
	}
	at = l.addSpan(
		LaneSpan{
			Start:    s.Start,
			End:      s.End,
			Thread:   o.Thread,
			Lock:     s.Lock,
			Stack:    o.Stack,
			State:    Holding,
			Activity: o.Did,
			Word:     o.Prov.Word(),
		},
	)
	l.Spans[at].Known.AddWaiting(o.Prov, sh.Ns)
	l.latestHold[key] = at
	return at
}

// Held implements analysis.HoldVisitor. Inferred holds are skipped: Slice adds them, and of
// all holds, where they are bounded, the part in which others waited.
func (l *Lanes) Held(h *analysis.Hold) {
	if l.Sums == nil && !h.Rebuilt && h.Thread != format.NoThread && l.overlaps(h.Start, h.End) {
		key := holdKey{h.Lock, h.Thread}
		l.recorded[key] = append(
			l.recorded[key],
			l.addSpan(LaneSpan{
				Start:  h.Start,
				End:    h.End,
				Thread: h.Thread,
				Lock:   h.Lock,
				Stack:  h.Stack,
				State:  Holding,
			}),
		)
	}
}

// Idle implements analysis.HoldVisitor.
func (l *Lanes) Idle(thread format.ThreadID, start, end int64, pause bool) {
	if l.overlaps(start, end) {
		activity := format.ActivityWait
		if pause {
			activity = format.ActivitySleep
		}
		l.makeRoom(format.NoTime)
		l.addSpan(LaneSpan{Start: start, End: end, Thread: thread, State: Idle, Activity: activity})
	}
}

// Activity implements analysis.ActivityVisitor.
func (l *Lanes) Activity(ev *format.Event, _ []format.Frame) {
	if l.Sums != nil {
		l.boundedActivity(ev)
		return
	}
	if l.activities > 0 && l.overlaps(ev.Time, ev.End) {
		l.activities--
		l.addSpan(acting(ev))
	}
}

// acting returns what a thread did as a span.
func acting(ev *format.Event) LaneSpan {
	return LaneSpan{
		Start:    ev.Time,
		End:      ev.End,
		Thread:   ev.Thread,
		Stack:    ev.Stack,
		State:    Acting,
		Activity: ev.Activity,
	}
}

// Finish orders the spans by thread and time, the longer first. A recorded hold replaces the
// inferred holds inside it.
func (l *Lanes) Finish() {
	if l.Sums != nil {
		l.foldLast()
	}
	for _, list := range l.recorded {
		slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(l.Spans[a].Start, l.Spans[b].Start) })
	}
	to := make([]int32, len(l.Spans)) // by span: the span that replaces it, or itself
	for i := range l.Spans {
		to[i] = int32(i)
		if s := &l.Spans[i]; s.State == Holding && s.Known.Ns() > 0 {
			list := l.recorded[holdKey{s.Lock, s.Thread}]
			at, _ := slices.BinarySearchFunc(
				list,
				s.Start+1,
				func(r int32, t int64) int { return cmp.Compare(l.Spans[r].Start, t) },
			)
			if at > 0 && s.End <= l.Spans[list[at-1]].End {
				to[i] = list[at-1]
			}
		}
	}
	order := make([]int32, 0, len(l.Spans))
	for i := range to {
		if s := &l.Spans[i]; to[i] == int32(i) && l.overlaps(s.Start, s.End) {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(i, j int32) int {
		a, b := &l.Spans[i], &l.Spans[j]
		return cmp.Or(
			cmp.Compare(a.Thread, b.Thread),
			cmp.Compare(a.Start, b.Start),
			cmp.Compare(b.End, a.End),
			cmp.Compare(a.State, b.State),
		)
	})
	spans, place := make([]LaneSpan, len(order)), make([]int32, len(to))
	for p, i := range order {
		spans[p], place[i] = l.Spans[i], int32(p)
	}
	for i := range l.Arrows {
		a := &l.Arrows[i]
		a.Wait, a.Hold = place[a.Wait], place[to[a.Hold]]
	}
	l.Spans = spans
	l.latestHold = nil
	l.latestWait = nil
	l.arrowTo = nil
	l.recorded = nil
	slices.SortFunc(
		l.Arrows,
		func(a, b Arrow) int { return cmp.Or(cmp.Compare(a.Wait, b.Wait), cmp.Compare(a.Hold, b.Hold)) },
	)
	l.Arrows = slices.Compact(l.Arrows)
}
