package waits

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// What a thread was at in a span.
type What uint8

// The kinds of spans.
const (
	Holds What = iota // Lock, while others waited for it or as long as the trace tells
	Waits             // for Lock
	Idles             // it slept or had nothing to do: Did
	Does              // Did, at an instant or over a time, as the trace tells
)

// Span is one thread being at one thing over [Start, End), in ns of the trace's clock.
type Span struct {
	Start, End int64
	Thread     format.ThreadID
	Lock       format.ObjectID // of Holds and Waits
	Stack      format.StackID
	What       What
	Did        format.Activity
	Word       analysis.Word  // of Holds: how it is known
	Known      analysis.Known // the waiting charged to it, if any
}

// Arrow leads from a wait to a hold of its lock, by their places among the spans, at the
// first instant of both.
type Arrow struct{ Wait, Hold int32 }

// Lanes is a visitor that lays a trace out by threads: what each waited for, held and did,
// from when to when. It keeps every span, so NewLanes chooses a part of the trace. See Finish.
type Lanes struct {
	analysis.AnyQueue
	Spans  []Span
	Arrows []Arrow

	from, to int64
	acts     bool
	waits    blame.ByID[int32] // by thread: its latest wait, plus one
	holds    map[held]int32
	last     []int32 // by wait: the hold it leads to, plus one
	recorded map[held][]int32
	shares   []int32 // of the slice: their holds
}

type held struct {
	lock   format.ObjectID
	thread format.ThreadID
}

// NewLanes returns a collector of what overlaps [from, to); acts says whether activities are
// wanted, which are many.
func NewLanes(from, to int64, acts bool) *Lanes {
	return &Lanes{from: from, to: to, acts: acts, holds: map[held]int32{}, recorded: map[held][]int32{}}
}

// Begin implements analysis.Visitor.
func (l *Lanes) Begin(*analysis.Symbols, int64) {}

// Slice implements analysis.Visitor.
func (l *Lanes) Slice(s *analysis.Slice) {
	l.shares = l.shares[:0]
	for i := range s.Shares {
		if sh := &s.Shares[i]; sh.Direct.Kind == analysis.OwnerThread && l.overlaps(s.Start, s.End) {
			l.shares = append(l.shares, l.hold(s, sh))
		}
	}
	for i := range s.Waiters {
		at := l.wait(s, &s.Waiters[i])
		for _, hold := range l.shares {
			if l.last[at] != hold+1 {
				l.last[at] = hold + 1
				l.Arrows = append(l.Arrows, Arrow{at, hold})
			}
		}
	}
}

// QueueSlice implements analysis.QueueVisitor. Of a long queue only the first waiter has an
// arrow to each hold: all waiters would have as many as both multiplied.
func (l *Lanes) QueueSlice(s *analysis.Slice, _ int) { l.Slice(s) }

// overlaps reports whether a time is part of what is collected.
func (l *Lanes) overlaps(start, end int64) bool { return end >= l.from && start < l.to }

// add appends a span and returns its place.
func (l *Lanes) add(s Span) int32 {
	l.Spans = append(l.Spans, s)
	l.last = append(l.last, 0)
	return int32(len(l.Spans) - 1)
}

// wait returns the index of the span for a waiter of the slice, which it extends or adds; -1
// if the wait begins after the window. A span that ended before the window is overwritten by
// the thread's next wait: a long queue lists its waiters only in the first and the last slice
// of each wait.
func (l *Lanes) wait(s *analysis.Slice, w *analysis.Waiter) int32 {
	at := *l.waits.At(int(w.Thread)) - 1
	if at >= 0 && !w.First && l.Spans[at].Lock == s.Lock {
		l.Spans[at].End = s.End
		return at
	}
	one := Span{Start: s.Start, End: s.End, Thread: w.Thread, Lock: s.Lock, Stack: w.Stack, What: Waits}
	switch {
	case s.Start >= l.to:
		return -1
	case at >= 0 && l.Spans[at].End < l.from:
		l.Spans[at] = one
	default:
		at = l.add(one)
		l.waits[w.Thread] = at + 1
	}
	return at
}

// hold returns the hold that a slice's share is charged to. It goes on as long as the same
// thread has the lock at the same stack, and that is known in the same way.
func (l *Lanes) hold(s *analysis.Slice, sh *analysis.Share) int32 {
	o, key := &sh.Direct, held{s.Lock, sh.Direct.Thread}
	at, ok := l.holds[key]
	if ok {
		old := &l.Spans[at]
		if old.End >= s.Start && old.Start <= s.End && old.Stack == o.Stack && old.Word == o.Prov.Word() {
			old.Start, old.End = min(old.Start, s.Start), max(old.End, s.End)
			old.Known.Add(o.Prov, sh.Ns)
			return at
		}
	}
	at = l.add(Span{Start: s.Start, End: s.End, Thread: o.Thread, Lock: s.Lock, Stack: o.Stack, What: Holds, Did: o.Did, Word: o.Prov.Word()})
	l.Spans[at].Known.Add(o.Prov, sh.Ns)
	l.holds[key] = at
	return at
}

// Held implements analysis.HoldVisitor. Rebuilt holds are those of the slices.
func (l *Lanes) Held(h *analysis.Hold) {
	if !h.Rebuilt && h.Thread != format.NoThread && l.overlaps(h.Start, h.End) {
		key := held{h.Lock, h.Thread}
		l.recorded[key] = append(l.recorded[key], l.add(Span{Start: h.Start, End: h.End, Thread: h.Thread, Lock: h.Lock, Stack: h.Stack, What: Holds}))
	}
}

// Idle implements analysis.HoldVisitor.
func (l *Lanes) Idle(thread format.ThreadID, start, end int64, pause bool) {
	if l.overlaps(start, end) {
		did := format.ActivityWait
		if pause {
			did = format.ActivitySleep
		}
		l.add(Span{Start: start, End: end, Thread: thread, What: Idles, Did: did})
	}
}

// maxActs bounds the activities, which come before all other spans: a picture of some minutes
// can show no more.
const maxActs = 200_000

// Activity implements analysis.ActivityVisitor.
func (l *Lanes) Activity(ev *format.Event, _ []format.Frame) {
	if l.acts && len(l.Spans) < maxActs && l.overlaps(ev.Time, ev.End) {
		l.add(Span{Start: ev.Time, End: ev.End, Thread: ev.Thread, Stack: ev.Stack, What: Does, Did: ev.Activity})
	}
}

// Finish orders the spans by thread and time, the longer first. Where a trace tells holds,
// these take the places of what others' waits show of them.
func (l *Lanes) Finish() {
	for _, list := range l.recorded {
		slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(l.Spans[a].Start, l.Spans[b].Start) })
	}
	to := make([]int32, len(l.Spans)) // by span: the one that stands for it
	for i := range l.Spans {
		to[i] = int32(i)
		if s := &l.Spans[i]; s.What == Holds && s.Known.Ns() > 0 {
			list := l.recorded[held{s.Lock, s.Thread}]
			at, _ := slices.BinarySearchFunc(list, s.Start+1, func(r int32, t int64) int { return cmp.Compare(l.Spans[r].Start, t) })
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
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.What, b.What))
	})
	spans, place := make([]Span, len(order)), make([]int32, len(to))
	for p, i := range order {
		spans[p], place[i] = l.Spans[i], int32(p)
	}
	for i := range l.Arrows {
		a := &l.Arrows[i]
		a.Wait, a.Hold = place[a.Wait], place[to[a.Hold]]
	}
	l.Spans, l.holds, l.waits, l.last, l.recorded = spans, nil, nil, nil, nil
	slices.SortFunc(l.Arrows, func(a, b Arrow) int { return cmp.Or(cmp.Compare(a.Wait, b.Wait), cmp.Compare(a.Hold, b.Hold)) })
	l.Arrows = slices.Compact(l.Arrows)
}
