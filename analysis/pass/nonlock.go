package pass

import (
	"math"
	"slices"

	"contend/analysis"
	"contend/analysis/internal/deliver"
	"contend/analysis/internal/record"
	"contend/analysis/internal/times"
	"contend/format"
)

// VisitNonLockWaits gives the recorded non-lock waits, thread by thread.
func visitNonLockWaits(r *record.Whole, e *deliver.Emitter, out *deliver.NonLockWaits) {
	if len(out.Visitors) == 0 {
		return
	}
	slices.SortStableFunc(r.Endings.List, record.Ending.Compare)
	var waits []times.Span // scratch, as is
	var one analysis.NonLockWait
	for t := int(format.NoThread) + 1; t < r.Activities.Threads(); t++ {
		own, seenUntil := r.Activities.Of(format.ThreadID(t)), int64(math.MinInt64)
		waits = r.WaitTimes(waits[:0], own)
		for scan := r.Activities.Scan(own); scan.NextOther(); {
			o := scan.Other()
			if !record.Idle(o) || o.End-o.Start < e.Filter.MinWait {
				continue
			}
			part := times.Span{Start: max(o.Start, seenUntil), End: o.End}.Clip(times.Span{Start: e.From, End: e.To})
			seenUntil = max(seenUntil, o.End)
			if part.Start < part.End {
				by := r.Endings.Find(format.ThreadID(t), o.End)
				one = analysis.NonLockWait{By: by.By, ByStack: by.Stack, Thread: format.ThreadID(t), Stack: o.Stack, Activity: o.What(), Resource: o.Resource(), From: part.Start, To: part.End,
					Ns: part.End - part.Start - times.Within(waits, part), Waits: 1, LongestNs: o.End - o.Start}
				out.Deliver(&one)
			}
		}
	}
}

// visitIdle gives the idle times of threads to the visitors that ask for them.
func visitIdle(r *record.Whole, e *deliver.Emitter) {
	ask := deliver.Asking[analysis.HoldVisitor](e)
	if len(ask) == 0 {
		return
	}
	for t := range r.Activities.Threads() {
		var now times.Span
		slept := true
		give := func() {
			if lo, hi, ok := e.Cut(now.Start, now.End); ok && now.Start < now.End {
				for _, v := range ask {
					v.Idle(format.ThreadID(t), lo, hi, slept)
				}
			}
		}
		for scan := r.Activities.Scan(r.Activities.Of(format.ThreadID(t))); scan.NextOther(); {
			o := scan.Other()
			if !record.Idle(o) {
				continue
			}
			if now.Start == now.End || o.Start > now.End {
				give()
				now, slept = times.Span{Start: o.Start, End: o.End}, true
			}
			now.End = max(now.End, o.End)
			slept = slept && o.What() == format.ActivitySleep
		}
		give()
	}
}

// visitMonitors gives the waits at each monitor to the visitors that ask for them.
func visitMonitors(r *record.Whole, e *deliver.Emitter) {
	ask := deliver.Asking[analysis.NonLockVisitor](e)
	hides := slices.ContainsFunc(r.Parts, func(p record.Part) bool { return p.Hides })
	r.Monitors.Each(func(w *record.MonitorWait) bool {
		return w.Start >= e.From && w.End <= e.To && e.Wanted(w.Thread, w.At, deliver.AnyLength)
	}, func(id format.ObjectID, waits []analysis.MonitorWait) {
		for _, v := range ask {
			v.Monitor(&analysis.MonitorWaits{Monitor: id, Waits: waits, Hides: hides})
		}
	})
}
