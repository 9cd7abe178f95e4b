package owners

import (
	"slices"

	"contend/format"
	"contend/format/column"
)

// The bounds of time.
const (
	maxTime = int64(1) << 62 // after every valid time; differences to others do not overflow
	minTime = -maxTime
)

// Tenure is one recorded hold of a lock. The trace format calls holds tenures.
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
	again  int64           // when the woken thread blocked on the lock again, NoTime if it got it
	thread format.ThreadID // NoThread if not known
	lock   format.ObjectID
	stack  format.StackID
	woke   uint32 // the thread that it woke, and sharedBit
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

// woken returns the thread that the release woke, NoThread if not known.
func (r *release) woken() format.ThreadID { return format.ThreadID(r.woke &^ sharedBit) }

func (r *release) mode() format.Mode {
	if r.woke&sharedBit != 0 {
		return format.Shared
	}
	return format.Exclusive
}

// Life is the lifetime of a thread; a bound that is not known is NoTime.
type Life struct{ Start, End int64 }

// dump is a contended lock in a thread dump or a sample. It is evidence of the owner at an
// instant and has no duration.
type dump struct {
	time    int64
	lock    format.ObjectID // as the dump names it; waits may name the lock otherwise
	owners  []format.Party
	waiters []format.Party
	unended bool // Unended returned the wait of one of the waiters
}

// Record keeps the events that owners are inferred from. Times are in ns.
type Record struct {
	Tenures column.Column[Tenure]
	Lives   []Life // by thread
	// locks that are the same as another one, under which Arrange lists them
	Same map[format.ObjectID]format.ObjectID

	waits    *column.Packed[recorded]
	others   *column.Packed[recorded]
	table    keyTable
	releases column.Column[release]
	dumps    []dump
	// by lock, as dumps name it: the stacks with which it was acquired
	acquireStacks map[format.ObjectID][]format.StackID
	inputs        []input  // the first has the events before any input is named
	inputOf       []uint32 // by lock: its index in inputs
	perThread     counts   // activities
	reach         []reach  // by thread: the time that they span
	perLock       counts   // waits, before parks are joined
	held          []bool   // by lock: it has recorded holds
}

func NewRecord() *Record {
	r := &Record{waits: newRecorded(), others: newRecorded()}
	r.NextInput() // for events before any input is named
	r.releases.Start = func(a *release) int64 { return a.time }
	return r
}

// AddEvent adds an event that ends at end. It ignores kinds that are no evidence of owners.
func (r *Record) AddEvent(ev *format.Event, end int64) {
	switch ev.Kind {
	case format.KindWait:
		r.waits.Append(recorded{ev.Time, end, ev.Thread, r.table.number(waitKey(ev)) << 1})
		r.found(ev.Object).waits = true
		r.perThread.makeRoom(int(ev.Thread), 1)
		r.reaches(ev.Thread, ev.Time, end)
		r.perLock.makeRoom(int(ev.Object), 1)
	case format.KindRelease:
		r.releases.Append(newRelease(ev))
		r.found(ev.Object)
	case format.KindTenure:
		r.found(ev.Object).tenures = true
		for len(r.held) <= int(ev.Object) {
			r.held = append(r.held, false)
		}
		r.held[ev.Object] = true
		r.Tenures.Append(
			Tenure{Start: ev.Time, End: end, Thread: ev.Thread, Lock: ev.Object, Stack: ev.Stack, Mode: ev.Mode},
		)
	case format.KindActivity:
		if ev.Activity == format.ActivityTook {
			r.addAcquireStack(ev.Object, ev.Stack)
			return
		}
		if ev.Activity == format.ActivityLive { // the thread exists; it did nothing
			r.perThread.makeRoom(int(ev.Thread), 0)
			return
		}
		o := otherKey(ev)
		r.others.Append(recorded{ev.Time, end, ev.Thread, r.table.number(o)<<1 | otherBit})
		r.perThread.makeRoom(int(ev.Thread), 1)
		r.reaches(ev.Thread, ev.Time, end)
	case format.KindContention:
		r.dumps = append(r.dumps, dump{
			time:    ev.Time,
			lock:    ev.Object,
			owners:  append([]format.Party(nil), ev.Owners...),
			waiters: append([]format.Party(nil), ev.Waiters...),
		})
	case format.KindSetting, format.KindRecording:
		r.inputs[len(r.inputs)-1].addEvent(ev, end)
	case format.KindPause:
		in := &r.inputs[len(r.inputs)-1]
		in.pauses = append(in.pauses, newPause(ev, end))
	case format.KindThreadStart:
		r.life(ev.Thread).Start = ev.Time
	case format.KindThreadEnd:
		r.life(ev.Thread).End = ev.Time
	}
}

// maxAcquireStacks bounds the acquireStacks of one lock.
const maxAcquireStacks = 64

func (r *Record) addAcquireStack(lock format.ObjectID, stack format.StackID) {
	if r.acquireStacks == nil {
		r.acquireStacks = map[format.ObjectID][]format.StackID{}
	}
	if list := r.acquireStacks[lock]; len(list) < maxAcquireStacks && !slices.Contains(list, stack) {
		r.acquireStacks[lock] = append(list, stack)
	}
}

// reach is the time that the activities of a thread span in one input.
type reach struct {
	from, to int64
	input    uint32
}

// reaches adds an activity to the reach of its thread. It is kept as events come, because
// looking through the packed columns at the end of each input would be slow.
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

// complete reports whether each wait for a lock is a whole acquisition. Those for a lock with
// recorded holds are.
func (r *Record) complete(l format.ObjectID) bool {
	in := r.input(l)
	return in.whole || in.tenures && (!in.partial || r.hasHolds(l))
}

func (r *Record) Waited() int { return r.waits.Len() }

// EachWait calls f for each wait in recorded order. It may be called before Arrange only.
func (r *Record) EachWait(f func(*Activity)) { r.eachWait(0, f) }

// EachWaitOfInput is EachWait for the current input; a few waits before it may be among them.
func (r *Record) EachWaitOfInput(f func(*Activity)) {
	r.eachWait(r.inputs[len(r.inputs)-1].before.waits, f)
}

func (r *Record) eachWait(pieces int, f func(*Activity)) {
	var w Activity
	r.waits.EachSince(pieces, func(one *recorded) {
		w = Activity{one.start, one.end, one.thread, *r.table.all.Elem(one.key >> 1)}
		f(&w)
	})
}

// NextInput begins another input: it has the events that follow.
func (r *Record) NextInput() {
	r.inputs = append(
		r.inputs,
		input{from: format.NoTime, to: format.NoTime, before: begun{len(r.dumps), r.waits.Begun()}},
	)
}

// TellsOwners reports whether every input with waits records the holds of its locks, and at
// least one does.
func (r *Record) TellsOwners() bool {
	any := false
	for i := range r.inputs {
		in := &r.inputs[i]
		if in.waits && !in.tenures || in.inferred {
			return false
		}
		any = any || in.tenures
	}
	for l, n := range r.perLock {
		if n > 0 && r.input(format.ObjectID(l)).partial && !r.hasHolds(format.ObjectID(l)) {
			return false
		}
	}
	return any
}

// FollowsSome reports whether every input with waits is of a recorder that followed some locks, and
// sampled the rest beside.
func (r *Record) FollowsSome() bool {
	return !slices.ContainsFunc(r.inputs, func(in input) bool { return in.waits && !in.partial })
}

// hasHolds reports whether a hold of a lock is recorded.
func (r *Record) hasHolds(l format.ObjectID) bool { return int(l) < len(r.held) && r.held[l] }

// found assigns a lock to the current input, which it returns.
func (r *Record) found(l format.ObjectID) *input {
	for len(r.inputOf) <= int(l) {
		r.inputOf = append(r.inputOf, 0)
	}
	r.inputOf[l] = uint32(len(r.inputs) - 1)
	return &r.inputs[r.inputOf[l]]
}

// InputOf returns the index of a lock's input.
func (r *Record) InputOf(l format.ObjectID) int {
	if int(l) < len(r.inputOf) {
		return int(r.inputOf[l])
	}
	return 0
}

func (r *Record) input(l format.ObjectID) *input {
	return &r.inputs[r.InputOf(l)]
}

// RecordsHolds reports whether all holds of a lock are recorded, rather than inferred by the writer of
// the trace.
func (r *Record) RecordsHolds(l format.ObjectID) bool {
	in := r.input(l)
	return in.tenures && !in.inferred && !in.partial
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

// endOf returns when a thread ended, NoTime if not known.
func (r *Record) endOf(t format.ThreadID) int64 {
	if int(t) < len(r.Lives) {
		return r.Lives[t].End
	}
	return format.NoTime
}

// Dumped returns the number of contended locks in thread dumps.
func (r *Record) Dumped() int { return len(r.dumps) }

type counts []int

// makeRoom makes room for n more in a list.
func (c *counts) makeRoom(list, n int) {
	for len(*c) <= list {
		*c = append(*c, 0)
	}
	(*c)[list] += n
}

// lists returns, for each count, an empty list of that capacity, all in one array.
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

// same returns the lock under which a lock is listed.
func (r *Record) same(l format.ObjectID) format.ObjectID {
	if one, ok := r.Same[l]; ok {
		return one
	}
	return l
}
