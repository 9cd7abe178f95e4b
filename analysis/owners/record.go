package owners

import (
	"math"

	"contend/analysis/internal/column"
	"contend/format"
)

// MaxID bounds the ids taken from a trace, so that one wild id cannot make a
// table of gigabytes. Whoever calls Add has dropped what is beyond it.
const MaxID = 1 << 24

// The earliest and the latest instant there is.
const (
	maxTime = math.MaxInt64
	minTime = int64(-maxTime)
)

// Wait is one recorded wait, in 32 bytes.
type Wait struct {
	Start, End int64
	Thread     format.ThreadID
	Lock       format.ObjectID
	Stack      format.StackID
	last       uint32 // previous owner, and two bits on top, which no id reaches
}

// The bits on top of last: the mode, and that the wait ended without the lock.
const (
	sharedBit = 1 << 31
	failedBit = 1 << 30
)

func newWait(ev *format.Event, end int64) Wait {
	w := Wait{ev.Time, end, ev.Thread, ev.Object, ev.Stack, uint32(ev.Owner)}
	if ev.Mode == format.Shared {
		w.last |= sharedBit
	}
	if ev.Failed {
		w.last |= failedBit
	}
	return w
}

// prev returns who held the lock last, NoThread when not told.
func (w *Wait) prev() format.ThreadID { return format.ThreadID(w.last &^ (sharedBit | failedBit)) }

// Failed reports whether the thread gave up: the end is no acquisition.
func (w *Wait) Failed() bool { return w.last&failedBit != 0 }

// Mode returns how the lock was asked for.
func (w *Wait) Mode() format.Mode {
	if w.last&sharedBit != 0 {
		return format.Shared
	}
	return format.Exclusive
}

// Tenure is one recorded hold of a lock.
type Tenure struct {
	Start, End int64
	Thread     format.ThreadID
	Lock       format.ObjectID
	Stack      format.StackID
	Mode       format.Mode
}

// Other is what a thread was seen doing other than waiting for a lock.
type Other struct {
	Start, End int64
	who        uint32 // the thread, and what it did in the top bits, which no id reaches
	Stack      format.StackID
}

// The top bits of who: the greatest format.Activity that fits in there, and
// above it that the thread waited for what others must give back.
const (
	whatShift   = 25
	maxWhat     = 1<<(31-whatShift) - 1
	resourceBit = 1 << 31
)

const _ = uint(1<<whatShift - 1 - MaxID)

func newOther(ev *format.Event, end int64) Other {
	o := Other{ev.Time, end, uint32(ev.Thread) | uint32(min(ev.Activity, maxWhat))<<whatShift, ev.Stack}
	if ev.Resource {
		o.who |= resourceBit
	}
	return o
}

// Thread returns who did it.
func (a Other) Thread() format.ThreadID { return format.ThreadID(a.who & (1<<whatShift - 1)) }

// What returns what it did.
func (a Other) What() format.Activity { return format.Activity(a.who >> whatShift & maxWhat) }

// Resource reports whether it waited for what others must give back.
func (a Other) Resource() bool { return a.who&resourceBit != 0 }

// release is one recorded release of a lock, in 32 bytes.
type release struct {
	time   int64
	again  int64           // when the woken thread blocked on the lock again, NoTime when it got it
	thread format.ThreadID // NoThread: nobody knows who
	lock   format.ObjectID
	stack  format.StackID
	woke   uint32 // whom it woke, and the mode in the top bit, which no id reaches
}

func newRelease(ev *format.Event) release {
	r := release{ev.Time, format.NoTime, ev.Thread, ev.Object, ev.Stack, uint32(ev.Woken)}
	if ev.Again > 0 {
		r.again = ev.Time + ev.Again
	}
	if ev.Mode == format.Shared {
		r.woke |= sharedBit
	}
	return r
}

// woken returns whom the release woke, NoThread when not told.
func (r *release) woken() format.ThreadID { return format.ThreadID(r.woke &^ sharedBit) }

func (r *release) mode() format.Mode {
	if r.woke&sharedBit != 0 {
		return format.Shared
	}
	return format.Exclusive
}

// Life is the known lifetime of a thread; a bound is NoTime when not told.
type Life struct{ Start, End int64 }

// dump is a contended lock in a thread dump, which stands for no time of its
// own: evidence of who owned it.
type dump struct {
	time    int64
	lock    format.ObjectID // as the dump names it, which need not be how the waits name it
	owners  []format.Party
	waiters []format.Party
}

// Record keeps the events that tell of owners. Times are ns.
type Record struct {
	Waits   column.Column[Wait]
	Tenures column.Column[Tenure]
	Lives   []Life                              // by thread
	Same    map[format.ObjectID]format.ObjectID // locks that are others, as which Arrange lists them

	others    others
	releases  column.Column[release]
	dumps     []dump
	inputs    []input  // the first is of what comes before any is named
	inputOf   []uint32 // by lock: its index in inputs
	doneIn    []uint32 // by thread that did something else than wait: the index of its input
	sampledIn []uint32 // the same by thread, of those that were sampled running
	perThread counts   // how many waits and others
}

// NewRecord returns an empty record.
func NewRecord() *Record {
	r := &Record{}
	r.NextInput() // what comes before any is named
	r.Waits.Start = func(w *Wait) int64 { return w.Start }
	r.releases.Start = func(a *release) int64 { return a.time }
	return r
}

// Add takes an event that ends at end; kinds that tell nothing of owners are
// ignored.
func (r *Record) Add(ev *format.Event, end int64) {
	switch ev.Kind {
	case format.KindWait:
		r.Waits.Add(newWait(ev, end))
		r.found(ev.Object).waits = true
		r.perThread.add(int(ev.Thread), 1)
	case format.KindRelease:
		r.releases.Add(newRelease(ev))
		r.found(ev.Object)
	case format.KindTenure:
		r.found(ev.Object).tenures = true
		r.Tenures.Add(Tenure{Start: ev.Time, End: end, Thread: ev.Thread, Lock: ev.Object, Stack: ev.Stack, Mode: ev.Mode})
	case format.KindActivity:
		if ev.Activity == format.ActivityLive { // nothing done; the thread has a list all the same
			r.perThread.add(int(ev.Thread), 0)
			return
		}
		if ev.Activity == format.ActivityRun {
			for len(r.sampledIn) <= int(ev.Thread) {
				r.sampledIn = append(r.sampledIn, 0)
			}
			r.sampledIn[ev.Thread] = uint32(len(r.inputs) - 1)
		}
		r.others.Add(newOther(ev, end))
		r.perThread.add(int(ev.Thread), 1)
		for len(r.doneIn) <= int(ev.Thread) {
			r.doneIn = append(r.doneIn, 0)
		}
		r.doneIn[ev.Thread] = uint32(len(r.inputs) - 1)
	case format.KindContention:
		r.dumps = append(r.dumps, dump{time: ev.Time, lock: ev.Object,
			owners: append([]format.Party(nil), ev.Owners...), waiters: append([]format.Party(nil), ev.Waiters...)})
	case format.KindSetting, format.KindRecording:
		r.note(ev, end)
	case format.KindPause:
		in := &r.inputs[len(r.inputs)-1]
		in.pauses = append(in.pauses, newPause(ev, end))
	case format.KindThreadStart:
		r.life(ev.Thread).Start = ev.Time
	case format.KindThreadEnd:
		r.life(ev.Thread).End = ev.Time
	}
}

func (r *Record) life(t format.ThreadID) *Life {
	for len(r.Lives) <= int(t) && int(t) <= MaxID {
		r.Lives = append(r.Lives, Life{format.NoTime, format.NoTime})
	}
	if int(t) > MaxID {
		return &Life{}
	}
	return &r.Lives[t]
}

// endOf returns when a thread ended, NoTime when not told.
func (r *Record) endOf(t format.ThreadID) int64 {
	if int(t) < len(r.Lives) {
		return r.Lives[t].End
	}
	return format.NoTime
}

// Dumped returns how many contended locks thread dumps show.
func (r *Record) Dumped() int { return len(r.dumps) }

// counts is what each of several lists will hold.
type counts []int

// add makes room for n more in a list.
func (c *counts) add(list, n int) {
	for len(*c) <= list {
		*c = append(*c, 0)
	}
	(*c)[list] += n
}

// lists returns the lists, still empty, in one array.
func (c counts) lists() [][]column.Ref {
	total := 0
	for _, n := range c {
		total += n
	}
	all, lists := make([]column.Ref, total), make([][]column.Ref, len(c))
	for i, n := range c {
		lists[i], all = all[:0:n], all[n:]
	}
	return lists
}
