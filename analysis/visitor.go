package analysis

import "contend/format"

// MonitorWait is one whole Object.wait or the like: the thread releases a monitor and owns
// it again at the end.
type MonitorWait struct {
	Start, End int64
	Thread     format.ThreadID
	By         format.ThreadID // its notifier; NoThread if it timed out, or the notifier is unknown
	Stack      format.StackID
}

// MonitorWaits are all recorded waits at one monitor, by end.
type MonitorWaits struct {
	Monitor format.ObjectID
	Waits   []MonitorWait
	Hides   bool // the recorder leaves out short waits
}

// NonLockWait is time in which a thread waited for a resource or a signal from another
// thread, or was idle.
type NonLockWait struct {
	Thread   format.ThreadID
	Stack    format.StackID
	Activity format.Activity // an activity that counts as idle time
	Resource bool            // it waited for a pool, a permit or a queue
	// From and To are the part of a recorded wait in the filter's cut; of several idle waits that follow one another,
	// from the first to the last; 0 for a sampled one.
	From, To  int64
	Ns        int64 // thread-time in the cut, without the thread's waits for locks
	Waits     int64
	LongestNs int64 // of the whole waits; 0 for sampled ones

	By      format.ThreadID // the thread that ended a recorded wait; NoThread for a timeout, or if unknown
	ByStack format.StackID  // its stack then; NoStack if unknown
}

// NonLockVisitor is a Visitor that also receives waits that are not for locks, after
// everything else.
type NonLockVisitor interface {
	// NonLockWait gives non-lock waits. Recorded ones of a thread do not overlap each other, and
	// Ns leaves out the thread's waits for locks: so the Ns of both add up to its recorded
	// waiting, without I/O. A filter of locks passes none. The data that a points to is valid
	// during the call only.
	NonLockWait(a *NonLockWait)
	// Monitor gives the waits at each monitor with a known notification, by monitor and
	// before the non-lock waits. They are not contention. The data that m points to is
	// valid during the call only.
	Monitor(m *MonitorWaits)
}

// Visitor receives a trace as slices. Begin comes first, once; then Slice, mixed with the
// calls of optional interfaces. The calls come on Run's goroutine or others, one at a
// time, and end before Run returns. Other visitors may run at the same time.
type Visitor interface {
	// Begin gives the trace's first instant and symbols of the visitor's own, complete for
	// every id in later calls. No slice and no running time lies before start.
	Begin(sym *Symbols, start int64)
	Slice(s *Slice)
}

// RunningVisitor is a Visitor that also receives running time and sampling instants.
type RunningVisitor interface {
	// Intervals returns the intervals over which the visitor sums running time: the start
	// of the first one, no later than the trace's, and their duration, 0 for one interval
	// in all. It is called after Begin. The duration doubles as long as there are too many.
	Intervals() (from, length int64)
	// Running gives ns nanoseconds of running thread-time, lifetimes less idle time, spread
	// evenly over [from, to), in order of time.
	Running(from, to, ns int64)
	// Ticks gives the number of sampling instants and the time they stand for, some at a time
	// and before their slices. The results are estimates then. Exact traces have none.
	Ticks(n, ns int64)
}

// HoldVisitor is a Visitor that also receives the activities of threads outside of waits
// for locks, cut like the slices. Sampled traces have none.
type HoldVisitor interface {
	// Held gives every hold, recorded or rebuilt. It is valid during the call only.
	Held(h *Hold)
	// Idle gives the idle times of each thread, in order of time. A pause is a sleep: its
	// duration does not depend on other threads.
	Idle(thread format.ThreadID, start, end int64, pause bool)
}

// Hold is the interval [Start, End) in which a thread held a lock. A rebuilt hold covers
// only what other threads' waits show: End equals Start if no thread waited, and Thread is
// NoThread if the owner is unknown.
type Hold struct {
	Asked, Start, End int64 // Asked is before Start if the thread had to wait
	Thread            format.ThreadID
	Lock              format.ObjectID
	Stack             format.StackID
	Mode              format.Mode
	Rebuilt           bool
}

// Waited is a whole wait that ended with the lock.
type Waited struct {
	Thread     format.ThreadID
	Lock       format.ObjectID
	Stack      format.StackID
	Start, End int64
}

// WaitVisitor is a Visitor that also receives, by start, every recorded wait that ended
// with the lock and lies wholly in the cut. Sampled traces have none.
type WaitVisitor interface {
	Wait(w *Waited) // w is valid during the call only
}

// ActivityVisitor is a Visitor that also receives the activities of threads as the source
// reports them, with the frames of their stacks: in no order, before the slices, and on the
// goroutine that reads. Both arguments are valid during the call only. A filter of locks
// leaves none.
type ActivityVisitor interface {
	Activity(ev *format.Event, frames []format.Frame)
}

// InstantVisitor is an ActivityVisitor that also receives the sampling instants as the source reports
// them, a tick and the contention at it, and the beginning of each input as a KindSetting. The event
// is valid during the call only. A filter of locks, threads or time leaves none.
type InstantVisitor interface {
	ActivityVisitor
	Instant(ev *format.Event)
}

// Done is what a thread did over [Start, End); at an instant if both are equal.
type Done struct {
	Start, End int64
	Thread     format.ThreadID
	Stack      format.StackID
	Activity   format.Activity // unless Waits
	Waits      bool            // for a lock
}

// TimelineVisitor is a NonLockVisitor that also receives, after those waits, all that each thread did
// within the cut: its activities and its waits for locks, thread by thread and by start. What is seen at
// sampling instants alone is missing. A filter of locks leaves none.
type TimelineVisitor interface {
	NonLockVisitor
	Did(d *Done) // d is valid during the call only
}

// QueueChange is a change of a wait queue: a waiter joins or leaves.
type QueueChange struct {
	Waiter Waiter
	Lock   format.ObjectID
	Number uint32
	Leaves bool
}

// QueueVisitor is a Visitor that receives the slices of a long wait queue without the list
// of its waiters, and the joins and leaves instead. The first slice of a wait, before it
// joins the queue, and the last, when it leaves, come as Slice.
type QueueVisitor interface {
	// QueueSlice is Slice for a queue of n waiters. The slice lists the first waiter only, and
	// has one share.
	QueueSlice(s *Slice, n int)
	QueueChanged(m *QueueChange)
}

// AnyQueue is embedded by a QueueVisitor that need not know which threads are in a queue.
type AnyQueue struct{}

// QueueChanged implements QueueVisitor.
func (AnyQueue) QueueChanged(*QueueChange) {}
