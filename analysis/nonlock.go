package analysis

import (
	"math"
	"slices"

	"contend/format"
)

// NonLockWait is time in which a thread waited, but not for a lock: for a resource or a signal
// from another thread, or because it had nothing to do.
type NonLockWait struct {
	Thread    format.ThreadID
	Stack     format.StackID
	Activity  format.Activity // one of those that count as idle time
	Resource  bool            // it waited for a pool, a permit or a queue
	From, To  int64           // of a recorded wait: its part in the filter's cut; 0 for a sampled one
	Ns        int64           // thread-time in the cut, by the recording or the samples
	Waits     int64
	LongestNs int64 // of the whole waits; 0 for sampled ones

	By      format.ThreadID // ended a recorded wait; NoThread where time did, or that is not known
	ByStack format.StackID  // its stack then; NoStack where that is not known
}

// NonLockVisitor is a Visitor that also receives waits that are not for locks, after
// everything else.
type NonLockVisitor interface {
	// NonLockWait gives non-lock waits. They overlap neither each other nor the thread's waits
	// for locks, so both together are all waiting that the trace shows. A filter of locks leaves
	// none. What a points to is valid during the call only.
	NonLockWait(a *NonLockWait)
	// Monitor gives the waits at each monitor with a known notification, by monitor and before
	// the non-lock waits. They are no contention. What m points to is valid during the call only.
	Monitor(m *MonitorWaits)
}

// visitNonLockWaits gives the recorded non-lock waits, thread by thread.
func visitNonLockWaits(r *whole, out nonLockWaits) {
	if len(out.ask) == 0 {
		return
	}
	slices.SortStableFunc(r.endings.list, ending.compare)
	var waits []span // scratch, as is
	var one NonLockWait
	for t := int(format.NoThread) + 1; t < r.activities.Threads(); t++ {
		own, seenUntil := r.activities.Of(format.ThreadID(t)), int64(math.MinInt64)
		waits = r.waitTimes(waits[:0], own)
		for scan := r.activities.Scan(own); scan.NextOther(); {
			o := scan.Other()
			if !idle(o) || o.End-o.Start < out.e.filter.MinWait {
				continue
			}
			part := span{max(o.Start, seenUntil), o.End}.clip(span{out.e.from, out.e.to})
			seenUntil = max(seenUntil, o.End)
			if part.start < part.end {
				by := r.endings.find(format.ThreadID(t), o.End)
				one = NonLockWait{By: by.by, ByStack: by.stack, Thread: format.ThreadID(t), Stack: o.Stack, Activity: o.What(), Resource: o.Resource(), From: part.start, To: part.end,
					Ns: part.end - part.start - within(waits, part), Waits: 1, LongestNs: o.End - o.Start}
				out.deliver(&one)
			}
		}
	}
}

// visitIdle gives the idle times of threads to the visitors that ask for them.
func visitIdle(r *whole, e *emitter) {
	ask := asking[HoldVisitor](e)
	if len(ask) == 0 {
		return
	}
	for t := range r.activities.Threads() {
		var now span
		slept := true
		give := func() {
			if lo, hi, ok := e.cut(now.start, now.end); ok && now.start < now.end {
				for _, v := range ask {
					v.Idle(format.ThreadID(t), lo, hi, slept)
				}
			}
		}
		for scan := r.activities.Scan(r.activities.Of(format.ThreadID(t))); scan.NextOther(); {
			o := scan.Other()
			if !idle(o) {
				continue
			}
			if now.start == now.end || o.Start > now.end {
				give()
				now, slept = span{o.Start, o.End}, true
			}
			now.end = max(now.end, o.End)
			slept = slept && o.What() == format.ActivitySleep
		}
		give()
	}
}

// visitMonitors gives the waits at each monitor to the visitors that ask for them.
func visitMonitors(r *whole, e *emitter) {
	ask := asking[NonLockVisitor](e)
	hides := slices.ContainsFunc(r.parts, func(p part) bool { return p.hides })
	r.monitors.each(func(w *monitorWait) bool {
		return w.Start >= e.from && w.End <= e.to && e.wanted(w.Thread, w.at, anyLength)
	}, func(id format.ObjectID, waits []MonitorWait) {
		for _, v := range ask {
			v.Monitor(&MonitorWaits{id, waits, hides})
		}
	})
}
