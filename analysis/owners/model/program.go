package model

import (
	"math"

	"contend/analysis/internal/times"
	"contend/format"
	"contend/format/column"
)

// Program is the recording that a model is learned from. It is safe for concurrent use.
type Program interface {
	// Frames returns a stack, innermost frame first.
	Frames(format.StackID) []format.Frame
	// ClassName returns the name of the class of a lock.
	ClassName(format.ObjectID) string
	// Application returns the frames of a stack from the innermost one outwards that does
	// not belong to the implementation of a lock.
	Application(format.StackID) []format.Frame
	// Waits appends the waits for a lock, by start.
	Waits(lock format.ObjectID, to []Wait) []Wait
	// Observations appends what a thread did that overlaps [from, to), by start, except its
	// waits for one lock. Nothing else begins between there and next, which is not before to.
	// What it leaves in near makes a later call for a time near this one faster.
	Observations(
		t format.ThreadID,
		except format.ObjectID,
		from, to int64,
		near *column.Ref,
		list []Observation,
	) (_ []Observation, next int64)
	// ActivitiesOf returns what threads did in the recording that a lock belongs to, without
	// samples.
	ActivitiesOf(lock format.ObjectID) []*Activity
	// Samples calls f with samples of running threads in the recording that a lock belongs to, by
	// time: all of them, or from twice as many as most on every second, third or later one.
	Samples(of format.ObjectID, from, to int64, most int, f func(t format.ThreadID, at int64, stack format.StackID))
}

// Wait is one wait for a lock.
type Wait struct {
	Start, End int64 // ns
	Thread     format.ThreadID
	Last       format.ThreadID // the owner before the lock was acquired, NoThread if not recorded
	Stack      format.StackID
	user       int32 // the number of the thread among the users of the lock
	Failed     bool  // it ended without the lock
	Shared     bool  // the lock was requested together with others
}

// Observation is what a thread is known to do over [Start, End), or at Start alone.
type Observation struct {
	Start, End int64 // ns
	Stack      format.StackID
	Lock       format.ObjectID // waited for, or held; NoObject if not recorded
	What       What
}

// What is the kind of an Observation.
type What uint8

// The kinds. A thread that is away can hold the lock only if its stack is inside a section.
const (
	Waits  What = iota // it waits for Lock
	Leaves             // it is in Object.wait, which releases Lock meanwhile
	Away               // it sleeps, parks or waits for I/O
	Sample             // it was seen running, at an instant
	Holds              // the recording says that it holds Lock
)

// Dump is what a thread dump shows of a lock at an instant. Without an owner the lock was free.
type Dump struct {
	Time    int64
	Owner   format.ThreadID
	Stack   format.StackID // of the owner
	Took    format.StackID // with which it acquired the lock, NoStack if not recorded
	Waiters int
}

// Activity is what threads did with one stack, and a sample of the intervals in which they did.
type Activity struct {
	What  What
	Stack format.StackID
	Lock  format.ObjectID // that they waited for
	Idle  bool            // they parked, or waited to be notified
	Times []ThreadTime    // by start
	Ns    int64           // the sum of all intervals
}

// ThreadTime is a time in which a thread did something.
type ThreadTime struct {
	When   times.Span
	Thread format.ThreadID
}

// waiting returns when at least one thread waits, given waits by start.
func waiting(waits []Wait) (out []times.Span) {
	n, end := 0, int64(math.MinInt64)
	for i := range waits {
		if waits[i].Start > end {
			n++
		}
		end = max(end, waits[i].End)
	}
	out = make([]times.Span, 0, n)
	for i := range waits {
		out = times.Extended(out, times.Span{Start: waits[i].Start, End: waits[i].End})
	}
	return out
}

// cover reports whether an instant is in one of the spans of a list.
func cover(list []times.Span, t int64) bool {
	return times.Within(list, times.Span{Start: t, End: t + 1}) > 0
}
