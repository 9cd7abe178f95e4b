package owners

import (
	"slices"

	"contend/analysis/internal/column"
	"contend/format"
)

// The earliest and the latest instant there is.
const (
	maxTime = int64(1) << 62 // behind all times that are admitted, and no overflow behind others
	minTime = -maxTime
)

// Wait is one recorded wait.
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

// waitOf returns what is kept of a wait but for its thread and times.
func waitOf(ev *format.Event) doer {
	d := doer{ev.Stack, ev.Object, uint32(ev.Owner)}
	if ev.Mode == format.Shared {
		d.info |= sharedBit
	}
	if ev.Failed {
		d.info |= failedBit
	}
	return d
}

// prev returns who held the lock last, NoThread when not told.
func (w Wait) prev() format.ThreadID { return doer{info: w.last}.prev() }

// prev returns the same, of what is a wait.
func (d doer) prev() format.ThreadID { return format.ThreadID(d.info &^ (sharedBit | failedBit)) }

// failed reports whether it ended without the lock, of what is a wait.
func (d doer) failed() bool { return d.info&failedBit != 0 }

// Failed reports whether the thread gave up: the end is no acquisition.
func (w Wait) Failed() bool { return w.last&failedBit != 0 }

// Mode returns how the lock was asked for.
func (w Wait) Mode() format.Mode {
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
	hangs   bool // a waiter is counted as one that hangs
}

// Record keeps the events that tell of owners. Times are ns.
type Record struct {
	Tenures column.Column[Tenure]
	Lives   []Life                              // by thread
	Same    map[format.ObjectID]format.ObjectID // locks that are others, as which Arrange lists them

	waits     *column.Packed[recorded]
	others    *column.Packed[recorded]
	doers     doers
	releases  column.Column[release]
	dumps     []dump
	took      map[format.ObjectID][]format.StackID // by lock, as dumps name it: with which stacks they show it taken
	inputs    []input                              // the first is of what comes before any is named
	inputOf   []uint32                             // by lock: its index in inputs
	doneIn    []uint32                             // by thread that did something else than wait: the index of its input
	sampledIn []uint32                             // the same by thread, of those that were sampled running
	perThread counts                               // how many waits and others
	reach     []reach                              // by thread: from when to when they are
	perLock   counts                               // how many waits, before parks are joined
}

// NewRecord returns an empty record.
func NewRecord() *Record {
	r := &Record{waits: newRecorded(), others: newRecorded()}
	r.NextInput() // what comes before any is named
	r.releases.Start = func(a *release) int64 { return a.time }
	return r
}

// Add takes an event that ends at end; kinds that tell nothing of owners are
// ignored.
func (r *Record) Add(ev *format.Event, end int64) {
	switch ev.Kind {
	case format.KindWait:
		r.waits.Add(recorded{ev.Time, end, ev.Thread, r.doers.number(waitOf(ev)) << 1})
		r.found(ev.Object).waits = true
		r.perThread.add(int(ev.Thread), 1)
		r.reaches(ev.Thread, ev.Time, end)
		r.perLock.add(int(ev.Object), 1)
	case format.KindRelease:
		r.releases.Add(newRelease(ev))
		r.found(ev.Object)
	case format.KindTenure:
		r.found(ev.Object).tenures = true
		r.Tenures.Add(Tenure{Start: ev.Time, End: end, Thread: ev.Thread, Lock: ev.Object, Stack: ev.Stack, Mode: ev.Mode})
	case format.KindActivity:
		if ev.Activity == format.ActivityTook {
			r.tookWith(ev.Object, ev.Stack)
			return
		}
		if ev.Activity == format.ActivityLive { // nothing done; the thread has a list all the same
			r.perThread.add(int(ev.Thread), 0)
			return
		}
		o := otherOf(ev)
		if o.ran() {
			for len(r.sampledIn) <= int(ev.Thread) {
				r.sampledIn = append(r.sampledIn, 0)
			}
			r.sampledIn[ev.Thread] = uint32(len(r.inputs) - 1)
		}
		r.others.Add(recorded{ev.Time, end, ev.Thread, r.doers.number(o)<<1 | otherBit})
		r.perThread.add(int(ev.Thread), 1)
		r.reaches(ev.Thread, ev.Time, end)
		for len(r.doneIn) <= int(ev.Thread) {
			r.doneIn = append(r.doneIn, 0)
		}
		r.doneIn[ev.Thread] = uint32(len(r.inputs) - 1)
	case format.KindContention:
		r.dumps = append(r.dumps, dump{time: ev.Time, lock: ev.Object,
			owners: append([]format.Party(nil), ev.Owners...), waiters: append([]format.Party(nil), ev.Waiters...)})
	case format.KindSetting, format.KindRecording:
		r.inputs[len(r.inputs)-1].note(ev, end)
	case format.KindPause:
		in := &r.inputs[len(r.inputs)-1]
		in.pauses = append(in.pauses, newPause(ev, end))
	case format.KindThreadStart:
		r.life(ev.Thread).Start = ev.Time
	case format.KindThreadEnd:
		r.life(ev.Thread).End = ev.Time
	}
}

// mostTook is how many stacks with which a lock was taken are kept.
const mostTook = 64

func (r *Record) tookWith(lock format.ObjectID, stack format.StackID) {
	if r.took == nil {
		r.took = map[format.ObjectID][]format.StackID{}
	}
	if list := r.took[lock]; len(list) < mostTook && !slices.Contains(list, stack) {
		r.took[lock] = append(list, stack)
	}
}

// reach is from when to when anything is recorded of a thread in an input.
type reach struct {
	from, to int64
	input    uint32
}

// reaches notes that something is, in the input at hand. To look through all that is
// recorded once an input ends would have it packed there and then.
func (r *Record) reaches(t format.ThreadID, from, to int64) {
	for len(r.reach) <= int(t) {
		r.reach = append(r.reach, reach{maxTime, minTime, 0})
	}
	s, at := &r.reach[t], uint32(len(r.inputs)-1)
	if s.input != at {
		*s = reach{maxTime, minTime, at}
	}
	s.from, s.to = min(s.from, from), max(s.to, to)
}

// Waited returns how many waits were recorded.
func (r *Record) Waited() int { return r.waits.Len() }

// EachWait visits all waits, as they were recorded, before Arrange.
func (r *Record) EachWait(f func(*Wait)) {
	var w Wait
	r.waits.Each(func(one *recorded) {
		d := r.doers.all.At(one.doer >> 1)
		w = Wait{one.start, one.end, one.thread, d.lock, d.stack, d.info}
		f(&w)
	})
}

// NextInput says that what follows is of another input.
func (r *Record) NextInput() {
	r.inputs = append(r.inputs, input{from: format.NoTime, to: format.NoTime, before: begun{len(r.dumps), r.waits.Begun()}})
}

// TellsOwners reports whether every input that has waits tells itself who held
// the locks meanwhile, and at least one does.
func (r *Record) TellsOwners() bool {
	any := false
	for i := range r.inputs {
		in := &r.inputs[i]
		if in.waits && !in.tenures || in.inferred {
			return false
		}
		any = any || in.tenures
	}
	return any
}

// found says that a lock is one of the input at hand, and returns that.
func (r *Record) found(l format.ObjectID) *input {
	for len(r.inputOf) <= int(l) {
		r.inputOf = append(r.inputOf, 0)
	}
	r.inputOf[l] = uint32(len(r.inputs) - 1)
	return &r.inputs[r.inputOf[l]]
}

// InputOf returns the number of a lock's input.
func (r *Record) InputOf(l format.ObjectID) int {
	if int(l) < len(r.inputOf) {
		return int(r.inputOf[l])
	}
	return 0
}

// input returns the input of a lock.
func (r *Record) input(l format.ObjectID) *input {
	if int(l) < len(r.inputOf) {
		return &r.inputs[r.inputOf[l]]
	}
	return &r.inputs[0]
}

// Told reports whether the tenures of a lock were recorded, not inferred by who
// wrote the trace: then they are all there were.
func (r *Record) Told(l format.ObjectID) bool { in := r.input(l); return in.tenures && !in.inferred }

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

// same returns the lock as which a lock is listed.
func (r *Record) same(l format.ObjectID) format.ObjectID {
	if one, ok := r.Same[l]; ok {
		return one
	}
	return l
}
