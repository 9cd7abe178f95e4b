package analysis

import (
	"sync"

	"contend/format"
)

// wait is one recorded wait, in 32 bytes.
type wait struct {
	start, end int64
	thread     format.ThreadID
	lock       format.ObjectID
	stack      format.StackID
	last       uint32 // previous owner, and two bits on top, which no id reaches
}

// The bits on top of last: the mode, and that the wait ended without the lock.
const (
	sharedBit = 1 << 31
	failedBit = 1 << 30
)

func newWait(ev *format.Event, end int64) wait {
	w := wait{ev.Time, end, ev.Thread, ev.Object, ev.Stack, uint32(ev.Owner)}
	if ev.Mode == format.Shared {
		w.last |= sharedBit
	}
	if ev.Failed {
		w.last |= failedBit
	}
	return w
}

// prev returns who held the lock last, NoThread when not told.
func (w *wait) prev() format.ThreadID { return format.ThreadID(w.last &^ (sharedBit | failedBit)) }

// failed reports whether the thread gave up: the end is no acquisition.
func (w *wait) failed() bool { return w.last&failedBit != 0 }

func (w *wait) mode() format.Mode {
	if w.last&sharedBit != 0 {
		return format.Shared
	}
	return format.Exclusive
}

// tenure is one recorded hold of a lock.
type tenure struct {
	start, end int64
	thread     format.ThreadID
	lock       format.ObjectID
	stack      format.StackID
	mode       format.Mode
}

// activity is what a thread was seen doing, in 24 bytes: there may be more of
// them than of waits.
type activity struct {
	start, end int64
	who        uint32 // the thread, and what it did in the top bits, which no id reaches
	stack      format.StackID
}

// The top bits of who, and the greatest Activity that fits in there.
const (
	whatShift = 25
	maxWhat   = 1<<(32-whatShift) - 1
)

const _ = uint(1<<whatShift - 1 - maxSymbol)

func newActivity(ev *format.Event, end int64) activity {
	return activity{ev.Time, end, uint32(ev.Thread) | uint32(min(ev.Activity, maxWhat))<<whatShift, ev.Stack}
}

func (a *activity) thread() format.ThreadID { return format.ThreadID(a.who & (1<<whatShift - 1)) }

func (a *activity) what() format.Activity { return format.Activity(a.who >> whatShift) }

// unclear is time threads spent at a lock in waits no rule knows.
type unclear struct {
	waits int
	ns    int64
}

// instant is a contention event that stands for no time of its own: evidence
// of who owned a lock.
type instant struct {
	time    int64
	lock    format.ObjectID // as the dump names it, which need not be how the waits name it
	owners  []format.Party
	waiters []format.Party
}

// span is a half-open stretch of time.
type span struct{ start, end int64 }

// life is the known lifetime of a thread; a bound is NoTime when not told.
type life struct{ start, end int64 }

// record keeps the events that cannot be summed as they come.
type record struct {
	waits      pile[wait]
	tenures    pile[tenure]
	activities pile[activity]
	unclear    map[format.ObjectID]unclear
	starts     []ref // of the waits, by start; see arrange
	perThread  tally // how many waits and activities
	doings     doings
	indexing   sync.WaitGroup // who waits for it may read:
	byLock     [][]ref        // the waits for each lock, by start
	places     places
	holders    []bool // by thread: it holds a recorded tenure; see tenants
	instants   []instant
	recorded   []span
	gaps       []span
	lives      []life // by thread
	thresholds []string
	tenureProv Provenance // of tenures: Exact unless a setting tells otherwise
	parts      []part     // by input; the first holds what comes before any is named
	first      int64      // earliest and latest instant of anything recorded
	last       int64
}

func newRecord() *record {
	r := &record{unclear: map[format.ObjectID]unclear{}, first: format.NoTime, last: format.NoTime}
	r.waits.start = func(w *wait) int64 { return w.start }
	r.activities.start = func(a *activity) int64 { return a.start }
	r.next()
	return r
}

// add takes an event. Times that run backwards are repaired to length zero.
func (r *record) add(ev *format.Event) {
	end := max(ev.End, ev.Time)
	switch ev.Kind {
	case format.KindWait:
		r.seen(ev.Time, end)
		r.waits.add(newWait(ev, end))
		r.perThread.add(int(ev.Thread), 1)
	case format.KindTenure:
		r.seen(ev.Time, end)
		r.tenures.add(tenure{start: ev.Time, end: end, thread: ev.Thread, lock: ev.Object, stack: ev.Stack, mode: ev.Mode})
	case format.KindActivity:
		r.addActivity(ev, end)
	case format.KindContention:
		r.instants = append(r.instants, instant{time: ev.Time, lock: ev.Object,
			owners: append([]format.Party(nil), ev.Owners...), waiters: append([]format.Party(nil), ev.Waiters...)})
	case format.KindRecording:
		r.recorded = append(r.recorded, span{ev.Time, end})
		r.part().seen(ev.Time, end)
	case format.KindGap:
		r.gaps = append(r.gaps, span{ev.Time, end})
	case format.KindThreadStart:
		r.life(ev.Thread).start = ev.Time
		r.seen(ev.Time, ev.Time)
	case format.KindThreadEnd:
		r.life(ev.Thread).end = ev.Time
		r.seen(ev.Time, ev.Time)
	}
}

// addActivity takes a KindActivity. That a thread was alive is no doing; the
// thread has a list all the same.
func (r *record) addActivity(ev *format.Event, end int64) {
	switch ev.Activity {
	case format.ActivityLive:
		r.perThread.add(int(ev.Thread), 0)
		return
	case format.ActivityRun:
		r.part().hasRuns = true
	case format.ActivityUnknown:
		if end > ev.Time {
			u := r.unclear[ev.Object]
			r.unclear[ev.Object] = unclear{u.waits + 1, u.ns + end - ev.Time}
		}
	}
	r.activities.add(newActivity(ev, end))
	r.perThread.add(int(ev.Thread), 1)
}

func (r *record) seen(from, to int64) {
	if r.first == format.NoTime || from < r.first {
		r.first = from
	}
	r.last = max(r.last, to)
	r.part().seen(from, to)
}

func (r *record) life(t format.ThreadID) *life {
	for len(r.lives) <= int(t) && int(t) <= maxSymbol {
		r.lives = append(r.lives, life{format.NoTime, format.NoTime})
	}
	if int(t) > maxSymbol {
		return &life{}
	}
	return &r.lives[t]
}

// bounds returns the stretch the results cover: all that was recorded,
// widened to hold every wait. Idle time may begin before it.
func (r *record) bounds() (start, end int64) {
	start, end = r.first, r.last
	for i, s := range r.recorded {
		if (i == 0 && r.waits.len()+r.tenures.len() == 0) || start == format.NoTime || s.start < start {
			start = s.start
		}
		end = max(end, s.end)
	}
	if start == format.NoTime {
		return 0, 0
	}
	return start, max(end, start)
}
