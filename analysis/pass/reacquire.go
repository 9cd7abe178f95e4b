package pass

import (
	"cmp"
	"slices"
	"time"

	"contend/analysis"
	"contend/analysis/internal/record"
	"contend/analysis/owners"
	"contend/format"
	"contend/format/column"
	"contend/format/human"
)

// reacquiring finds the time that threads take to acquire a lock again after Object.wait or
// Condition.await. A recorder has both in one event: the thread was notified at some instant
// within it, and waited for the lock from there to its end. That instant is bounded by
//
//  1. the notifier's calls of notify, if recorded (JDK 24);
//  2. samples: the notification was before the first sample that shows the thread blocked,
//     or in the lock's queue, and after the last sample before it that shows the thread idle;
//  3. the end of the first wait of a batch: threads that are notified together acquire the
//     lock one after the other, and none was notified before the notifier acquired it. That
//     was no earlier than the acquisition before, which may have been another thread's.
//
// Within the bounds the instant is estimated from the samples of other waits for the same
// lock, taken between their bounds. Without such samples it is the upper bound. The range is
// kept.
//
// Where a recorder followed the lock, the trace has that wait by itself, and nothing is estimated.
type reacquiring struct {
	waits    column.Column[reacquire]
	notices  map[notice][]int64
	seen     map[format.ThreadID][]seenWaiting
	evidence int                                 // number of samples in seen
	locks    map[format.ObjectID]format.ObjectID // by condition, and by lock as samples name it
	sum      analysis.Reacquired
	byLock   map[format.ObjectID]analysis.Reacquired
	ev       format.Event // scratch of count
}

// reacquire is a wait that another thread ended.
type reacquire struct {
	start, end int64
	object     format.ObjectID // the monitor, or the condition
	thread, by format.ThreadID // by is the notifier; NoThread for a condition
	stack      format.StackID
}

// notice identifies the notifications of one thread at one monitor.
type notice struct {
	monitor format.ObjectID
	by      format.ThreadID
}

// seenWaiting is a sample that shows a thread waiting for a lock, or idle.
type seenWaiting struct {
	at   int64
	lock format.ObjectID // NoObject if it is idle
}

// maxReacquiring bounds the waits and the samples that are kept. When it is reached, the
// waits are resolved.
const maxReacquiring = 1 << 20

// observe takes an event about such a wait. full reports that no more waits can be kept.
func (q *reacquiring) observe(ev *format.Event, defs *analysis.Symbols) (full bool) {
	switch {
	case ev.Kind == format.KindContention:
		for _, w := range ev.Waiters {
			if w.Stack == format.NoStack || returns(defs.Frames(w.Stack)) {
				q.addSeen(w.Thread, seenWaiting{ev.Time, ev.Object})
			}
		}
	case ev.Kind == format.KindActivity && ev.Object == format.NoObject && ev.Activity == format.ActivityPark:
		// by thread dumps
		q.addSeen(ev.Thread, seenWaiting{ev.Time, format.NoObject})
	case ev.Kind != format.KindActivity || ev.Object == format.NoObject:
	case ev.Activity == format.ActivityRun:
		if q.notices == nil {
			q.notices = map[notice][]int64{}
		}
		n := notice{ev.Object, ev.Thread}
		q.notices[n] = append(q.notices[n], ev.Time)
	case ev.Activity == format.ActivityWait && ev.Owner != format.NoThread || awaits(defs, ev):
		q.waits.Append(reacquire{ev.Time, ev.End, ev.Object, ev.Thread, ev.Owner, ev.Stack})
	}
	return q.waits.Len() >= maxReacquiring
}

func (q *reacquiring) addSeen(t format.ThreadID, s seenWaiting) {
	if q.evidence < maxReacquiring {
		if q.seen == nil {
			q.seen = map[format.ThreadID][]seenWaiting{}
		}
		q.seen[t] = append(q.seen[t], s)
		q.evidence++
	}
}

// returns reports whether a stack is in Object.wait or await.
func returns(frames []format.Frame) bool {
	return len(frames) > 0 && frames[0].Class == "java.lang.Object" ||
		slices.ContainsFunc(frames, func(f format.Frame) bool { return f.Class == analysis.ConditionObject })
}

// awaits reports whether a thread awaited a condition of the program. Conditions of queues
// and pools guard sections of microseconds and do not count.
func awaits(defs *analysis.Symbols, ev *format.Event) bool {
	return (ev.Activity == format.ActivityPark || ev.Activity == format.ActivityWait) &&
		defs.ClassName(ev.Object) == analysis.ConditionObject &&
		record.OwnAwait(defs.Frames(ev.Stack))
}

// resolve calls emit with the waits for locks at the end of the waits noted so far.
func (q *reacquiring) resolve(r *record.Record, defs *analysis.Symbols, emit func(*format.Event)) {
	if q.waits.Len() == 0 {
		q.seen = nil
		q.notices = nil
		q.evidence = 0
		return
	}
	waits := unrecorded(q.waits.List(), r)
	q.waits.Clear()
	slices.SortFunc(waits, func(a, b reacquire) int {
		return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.end, b.end), cmp.Compare(a.thread, b.thread))
	})
	for t := range q.seen {
		slices.SortFunc(
			q.seen[t],
			func(a, b seenWaiting) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.lock, b.lock)) },
		)
	}
	for n := range q.notices {
		slices.Sort(q.notices[n])
	}
	acquired := q.acquired(waits, r, defs)
	for from := 0; from < len(waits); {
		to := from + 1
		for to < len(waits) && waits[to].object == waits[from].object {
			to++
		}
		q.resolveAt(waits[from:to], acquired[waits[from].object], emit)
		from = to
	}
	q.seen = nil
	q.notices = nil
	q.evidence = 0
}

// unrecorded returns the waits within which no recorded wait of their thread begins: no thread
// waits for a lock there, except for the lock that it acquires again.
func unrecorded(waits []reacquire, r *record.Record) []reacquire {
	by := map[format.ThreadID][]int{}
	for i := range waits {
		by[waits[i].thread] = append(by[waits[i].thread], i)
	}
	for _, list := range by {
		slices.SortFunc(list, func(a, b int) int { return cmp.Compare(waits[a].end, waits[b].end) })
	}
	recorded := map[int]bool{}
	r.Evidence.EachWaitOfInput(func(w *owners.Activity) {
		list := by[w.Thread]
		i, _ := slices.BinarySearchFunc(list, w.Start+1, func(a int, t int64) int {
			return cmp.Compare(waits[a].end, t)
		})
		if i < len(list) && waits[list[i]].start < w.Start && w.Lock != format.NoObject {
			recorded[list[i]] = true
		}
	})
	out := waits[:0]
	for i := range waits {
		if !recorded[i] {
			out = append(out, waits[i])
		}
	}
	return out
}

// granted is the acquisition of a monitor by a thread that waited for it.
type granted struct {
	at     int64
	thread format.ThreadID
}

// acquired returns the acquisitions of the waits' monitors, by time. It also finds the
// locks of conditions.
func (q *reacquiring) acquired(
	waits []reacquire,
	r *record.Record,
	defs *analysis.Symbols,
) map[format.ObjectID][]granted {
	by, awaited := map[format.ObjectID][]granted{}, map[format.ThreadID][]reacquire{}
	for i := range waits {
		w := &waits[i]
		by[w.object] = append(by[w.object], granted{w.end, w.thread})
		if w.by == format.NoThread {
			awaited[w.thread] = append(awaited[w.thread], *w)
		}
	}
	for _, list := range awaited {
		slices.SortFunc(list, func(a, b reacquire) int { return cmp.Compare(a.end, b.end) })
	}
	q.locks = map[format.ObjectID]format.ObjectID{}
	r.Evidence.EachWaitOfInput(func(w *owners.Activity) {
		if list, ok := by[w.Lock]; ok && !w.Failed() {
			by[w.Lock] = append(list, granted{w.End, w.Thread})
		}
		if b, _ := q.sampled(w.Thread, w.Start, w.End); b.lock != format.NoObject {
			q.locks[b.lock] = w.Lock
		}
		if list := awaited[w.Thread]; list != nil && returns(defs.Frames(w.Stack)) {
			i, _ := slices.BinarySearchFunc(
				list,
				w.Start+1,
				func(a reacquire, t int64) int { return cmp.Compare(a.end, t) },
			)
			if i > 0 {
				q.locks[list[i-1].object] = w.Lock
			}
		}
	})
	for _, list := range by {
		slices.SortFunc(
			list,
			func(a, b granted) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.thread, b.thread)) },
		)
	}
	return by
}

// resolveAt resolves the waits at one monitor or condition, given by end.
func (q *reacquiring) resolveAt(waits []reacquire, acquired []granted, emit func(*format.Event)) {
	batches := map[format.ThreadID]*reacquire{} // by notifier: the first of its batch
	firsts, several := make([]*reacquire, len(waits)), map[*reacquire]bool{}
	for i := range waits {
		w := &waits[i]
		first := batches[w.by]
		if first == nil || w.start >= first.end {
			first = w
			batches[w.by] = w
		}
		firsts[i], several[first] = first, first != w
	}
	notified := make([]notifiedIn, len(waits))
	blocked, sampled := 0, 0
	for i := range waits {
		w := &waits[i]
		n := &notified[i]
		first := firsts[i]
		n.low = first.end
		n.likely = first.end
		n.high = w.end
		if called := q.calls(w); len(called) > 0 {
			n.low = called[0]
			n.likely = called[0]
			n.high = called[len(called)-1]
			n.known = true
		} else if at, by := grantedBefore(acquired, first.end); w.by != format.NoThread &&
			(by == w.by || by != format.NoThread && several[first]) {
			if n.low = max(w.start, at); by == w.by {
				n.likely = n.low
			}
		}
		b, idle := q.sampled(w.thread, w.start, w.end)
		if n.lock = b.lock; b.lock != format.NoObject {
			if b.at < n.low {
				n.low = w.start
			}
			if b.at < n.likely {
				n.likely = n.low
			}
			n.high, n.known = min(n.high, b.at), true
			blocked++
			sampled++
		}
		if w.by != format.NoThread { // a dump does not show the queue of a condition's lock
			n.low = max(n.low, min(idle, n.high))
			if idle > n.likely {
				n.likely = min(idle, n.high)
				sampled++
			}
		}
	}
	share := float64(blocked) / float64(sampled+priorIdle)
	for i := range waits {
		q.count(&waits[i], &notified[i], share, emit)
	}
}

// priorIdle is added to the number of samples that show such threads idle: a few samples
// that show some blocked prove nothing about the others.
const priorIdle = 3

// notifiedIn is the interval in which a thread was notified: between low and high. Before
// likely it is possible only if the notifier acquired the lock unseen, after another thread.
type notifiedIn struct {
	low, likely, high int64
	known             bool            // it was certainly notified by high
	lock              format.ObjectID // the lock that a sample shows it waiting for
}

// count counts a wait. share is the fraction of samples that show such threads blocked.
func (q *reacquiring) count(w *reacquire, n *notifiedIn, share float64, emit func(*format.Event)) {
	if n.known { // any instant before is possible
		share = max(share, 0.5)
	}
	at := n.high - int64(share*float64(n.high-n.likely))
	counted := analysis.Reacquired{Ns: w.end - at, Low: w.end - n.high, High: w.end - n.low}
	q.sum.Merge(counted)
	lock := w.object
	if w.by == format.NoThread {
		lock = cmp.Or(q.locks[w.object], q.locks[n.lock], n.lock, w.object)
	}
	if q.byLock == nil {
		q.byLock = map[format.ObjectID]analysis.Reacquired{}
	}
	analysis.MergeInto(q.byLock, lock, counted)
	if at < w.end {
		q.ev = format.Event{Kind: format.KindWait, Thread: w.thread, Object: lock, Time: at, End: w.end, Stack: w.stack}
		emit(&q.ev)
	}
}

// calls returns the notifier's calls of notify during the wait.
func (q *reacquiring) calls(w *reacquire) []int64 {
	list := q.notices[notice{w.object, w.by}]
	from, _ := slices.BinarySearch(list, w.start)
	to, _ := slices.BinarySearch(list, w.end+1)
	return list[from:to]
}

// sampled returns the first sample in [start, end) that shows a thread blocked, and the
// time of the last one before it that shows the thread idle; start if there is none.
func (q *reacquiring) sampled(t format.ThreadID, start, end int64) (blocked seenWaiting, idle int64) {
	list, idle := q.seen[t], start
	i, _ := slices.BinarySearchFunc(list, start, func(s seenWaiting, t int64) int { return cmp.Compare(s.at, t) })
	for ; i < len(list) && list[i].at < end; i++ {
		if list[i].lock != format.NoObject {
			return list[i], idle
		}
		idle = list[i].at
	}
	return seenWaiting{}, idle
}

// relocated returns the time by lock, where same has the locks that others are addresses of.
func (q *reacquiring) relocated(same map[format.ObjectID]format.ObjectID) map[format.ObjectID]analysis.Reacquired {
	by := make(map[format.ObjectID]analysis.Reacquired, len(q.byLock))
	for lock, r := range q.byLock {
		analysis.MergeInto(by, cmp.Or(same[lock], lock), r)
	}
	return by
}

// grantedBefore returns the last acquisition of a monitor before an instant, of a thread
// that waited for it; NoThread if unknown.
func grantedBefore(acquired []granted, until int64) (at int64, by format.ThreadID) {
	i, _ := slices.BinarySearchFunc(acquired, until, func(g granted, t int64) int { return cmp.Compare(g.at, t) })
	if i == 0 {
		return 0, format.NoThread
	}
	return acquired[i-1].at, acquired[i-1].thread
}

// warning reports the range of this time, if the estimate is not its upper bound.
func (q *reacquiring) warning() []format.Warning {
	s := &q.sum
	if s.High <= s.Ns {
		return nil
	}
	return []format.Warning{{
		Code:   format.CodeReEntry,
		Hidden: s.High - s.Ns,
		Text: human.Say(
			"up to %v more of re-acquiring locks after Object.wait or await; %v are counted, an estimate between %v "+
				"and %v",
			time.Duration(s.High-s.Ns),
			time.Duration(s.Ns),
			time.Duration(s.Low),
			time.Duration(s.High),
		),
	}}
}
