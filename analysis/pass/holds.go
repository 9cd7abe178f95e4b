package pass

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"contend/analysis"
	"contend/analysis/internal/deliver"
	"contend/analysis/internal/record"
	"contend/analysis/internal/times"
	"contend/analysis/owners"
	"contend/format"
	"contend/format/column"
)

// visitHolds gives holds, recorded or rebuilt, to the visitors that ask for them.
func visitHolds(r *record.Whole, tl *owners.Timelines, e *deliver.Emitter) {
	ask := deliver.Asking[analysis.HoldVisitor](e)
	if len(ask) == 0 {
		return
	}
	give := func(h *analysis.Hold) {
		lo, hi, ok := e.Cut(h.Start, h.End)
		if !ok || !e.Wanted(h.Thread, h.Lock, deliver.AnyLength) {
			return
		}
		if h.Asked = max(h.Asked, e.From); lo > h.Start {
			h.Asked = lo
		}
		h.Start, h.End = lo, hi
		for _, v := range ask {
			v.Held(h)
		}
	}
	if r.Record.Evidence.Tenures.Len() > 0 {
		recordedHolds(r, give)
	}
	rebuiltHolds(r, tl, give)
}

// recordedHolds calls give for the recorded holds.
func recordedHolds(r *record.Whole, give func(*analysis.Hold)) {
	asked := acquisitions(r)
	r.Record.Evidence.Tenures.Each(func(_ column.Ref, t *owners.Tenure) {
		if !r.Record.Evidence.RecordsHolds(t.Lock) {
			return
		}
		h := analysis.Hold{
			Asked:  t.Start,
			Start:  t.Start,
			End:    t.End,
			Thread: t.Thread,
			Lock:   t.Lock,
			Stack:  t.Stack,
			Mode:   t.Mode,
		}
		if since, waited := asked[acquired{t.Thread, t.Lock, t.Start}]; waited {
			h.Asked = since
		}
		give(&h)
	})
}

// acquired identifies the end of a wait.
type acquired struct {
	thread format.ThreadID
	lock   format.ObjectID
	time   int64
}

// acquisitions returns the start of each wait that ended with the lock.
func acquisitions(r *record.Whole) map[acquired]int64 {
	asked := make(map[acquired]int64, len(r.Activities.Starts))
	for _, i := range r.Activities.Starts {
		w := r.Activities.Activity(i)
		asked[acquired{w.Thread, w.Lock, w.End}] = w.Start
	}
	return asked
}

// ownerChange is a change of a lock's owner: the end of a wait, or the start of an interval
// whose owner is known.
type ownerChange struct {
	hold   analysis.Hold
	waited bool
}

// rebuiltHolds calls give for the holds of locks whose holds were not recorded. A hold
// begins at the end of a wait, or where its owner is first known, and lasts until the owner
// changes.
func rebuiltHolds(r *record.Whole, tl *owners.Timelines, give func(*analysis.Hold)) {
	byLock := map[format.ObjectID][]ownerChange{}
	for _, i := range r.Activities.Starts {
		w := r.Activities.Activity(i)
		if r.Record.Evidence.RecordsHolds(w.Lock) || w.Failed() {
			continue
		}
		byLock[w.Lock] = append(
			byLock[w.Lock],
			ownerChange{
				analysis.Hold{
					Asked:   w.Start,
					Start:   w.End,
					End:     w.End,
					Thread:  w.Thread,
					Lock:    w.Lock,
					Stack:   w.Stack,
					Mode:    w.Mode(),
					Rebuilt: true,
				},
				true,
			},
		)
	}
	tl.Owned.Each(func(o *owners.Ownership) {
		if !r.Record.Evidence.RecordsHolds(o.Lock) && o.Owner.Kind == analysis.OwnerThread {
			byLock[o.Lock] = append(
				byLock[o.Lock],
				ownerChange{
					analysis.Hold{
						Asked:   o.Start,
						Start:   o.Start,
						End:     o.End,
						Thread:  o.Owner.Thread,
						Lock:    o.Lock,
						Stack:   o.Owner.Stack,
						Rebuilt: true,
					},
					false,
				},
			)
		}
	})
	for lock := range format.ObjectID(len(tl.Unowned)) {
		if list := byLock[lock]; len(list) > 0 {
			slices.SortStableFunc(list, func(a, b ownerChange) int { return cmp.Compare(a.hold.Start, b.hold.Start) })
			joinOwnerChanges(list, give)
		}
	}
}

// joinOwnerChanges calls give for the holds of one lock. Ownership of a thread after it
// acquired the lock, with no other owner in between, is one hold.
func joinOwnerChanges(list []ownerChange, give func(*analysis.Hold)) {
	cur := &list[0]
	for i := 1; i < len(list); i++ {
		next := &list[i]
		if !next.waited && next.hold.Thread == cur.hold.Thread && (cur.waited || next.hold.Start <= cur.hold.End) {
			cur.hold.End = max(cur.hold.End, next.hold.End)
			continue
		}
		give(&cur.hold)
		cur = next
	}
	give(&cur.hold)
}

// visitNonLockWaits gives the recorded non-lock waits, thread by thread.
func visitNonLockWaits(r *record.Whole, e *deliver.Emitter, out *deliver.NonLockWaits) {
	if len(out.Visitors) == 0 {
		return
	}
	r.Record.Endings.Sort()
	var waits []times.Span // scratch
	var thread nonLockWaits
	for t := int(format.NoThread) + 1; t < r.Activities.Threads(); t++ {
		own := r.Activities.OfThread(format.ThreadID(t))
		waits = r.WaitTimes(waits[:0], own)
		thread = nonLockWaits{record: r.Record, emit: e, out: out, waits: waits, seenUntil: math.MinInt64}
		for scan := r.Activities.Scan(own); scan.NextOther(); {
			if key := scan.Key(); !thread.begun || key != thread.key {
				o := scan.Activity()
				if !o.What().Idle() {
					continue
				}
				thread.begin(key, &o)
			}
			thread.wait(scan.Start, scan.End)
		}
		thread.end()
	}
}

// nonLockWaits are the non-lock waits of one thread, by start. Idle waits of one kind that follow one another are
// given together: there may be millions, and only their sums are asked for.
type nonLockWaits struct {
	record    *record.Record
	emit      *deliver.Emitter
	out       *deliver.NonLockWaits
	waits     []times.Span // the thread's waits for locks that do not end before the current one
	seenUntil int64

	begun  bool
	key    uint32 // of the current kind
	singly bool   // each is given by itself
	by     format.ThreadID
	sum    analysis.NonLockWait // of waits of one kind
}

// begin begins waits of another kind.
func (w *nonLockWaits) begin(key uint32, o *owners.Activity) {
	w.end()
	w.begun = true
	w.key = key
	w.by = o.By
	w.singly = o.Resource() || o.By != format.NoThread || w.record.Endings.Any()
	w.sum = analysis.NonLockWait{Thread: o.Thread, Stack: o.Stack, Activity: o.What(), Resource: o.Resource()}
}

// wait adds a wait of the current kind.
func (w *nonLockWaits) wait(from, to int64) {
	if to <= from || to-from < w.emit.Filter.MinWait {
		return
	}
	part := times.Span{Start: max(from, w.seenUntil), End: to}.Clip(times.Span{Start: w.emit.From, End: w.emit.To})
	w.seenUntil = max(w.seenUntil, to)
	if part.Start >= part.End {
		return
	}
	for len(w.waits) > 0 && w.waits[0].End <= part.Start {
		w.waits = w.waits[1:]
	}
	ns := part.End - part.Start
	if len(w.waits) > 0 && w.waits[0].Start < part.End {
		ns -= times.Within(w.waits, part)
	}
	if ns <= 0 {
		return
	}
	s := &w.sum
	if s.Waits == 0 {
		s.From = part.Start
	}
	s.To = part.End
	s.Ns += ns
	s.Waits++
	s.LongestNs = max(s.LongestNs, to-from)
	if w.singly {
		by := record.Ending{By: w.by}
		if w.by == format.NoThread {
			by = w.record.Endings.Find(s.Thread, to)
		}
		s.By, s.ByStack = by.By, by.Stack
		w.end()
	}
}

// end gives the waits of the current kind so far.
func (w *nonLockWaits) end() {
	if s := &w.sum; s.Waits > 0 {
		w.out.Deliver(s)
		s.Ns = 0
		s.Waits = 0
		s.LongestNs = 0
	}
}

// visitTimelines gives all that each thread did to the visitors that ask for it.
func visitTimelines(r *record.Whole, e *deliver.Emitter) {
	ask := deliver.Asking[analysis.TimelineVisitor](e)
	if len(ask) == 0 || e.Filter.Class != nil || e.Filter.Lock != nil || e.Filter.Thread != nil {
		return
	}
	var one analysis.Done
	for t := int(format.NoThread) + 1; t < r.Activities.Threads(); t++ {
		for scan := r.Activities.Scan(r.Activities.OfThread(format.ThreadID(t))); scan.Next(); {
			a := scan.Activity()
			lo, hi, ok := e.Cut(a.Start, a.End)
			if !ok {
				continue
			}
			one = analysis.Done{Start: lo, End: hi, Thread: a.Thread, Stack: a.Stack, Waits: scan.IsWait()}
			if !one.Waits {
				one.Activity = a.What()
			}
			for _, v := range ask {
				v.Did(&one)
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
		for scan := r.Activities.Scan(r.Activities.OfThread(format.ThreadID(t))); scan.NextOther(); {
			o := scan.Activity()
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

// visitMonitors gives the waits at each monitor, by end, to the visitors that ask for them, if a
// notification at it is known.
func visitMonitors(r *record.Whole, e *deliver.Emitter) {
	ask := deliver.Asking[analysis.NonLockVisitor](e)
	if len(ask) == 0 {
		return
	}
	at := map[format.ObjectID][]analysis.MonitorWait{}
	r.Activities.EachNotified(func(w *owners.Activity) {
		if w.Start >= e.From && w.End <= e.To && e.Wanted(w.Thread, w.AssociatedLock(), deliver.AnyLength) {
			at[w.AssociatedLock()] = append(
				at[w.AssociatedLock()],
				analysis.MonitorWait{Start: w.Start, End: w.End, Thread: w.Thread, By: w.By, Stack: w.Stack},
			)
		}
	})
	hides := slices.ContainsFunc(r.Record.Parts, func(p record.Part) bool { return p.Sight.Hides })
	for _, id := range slices.Sorted(maps.Keys(at)) {
		waits := at[id]
		delete(at, id)
		slices.SortFunc(waits, func(a, b analysis.MonitorWait) int {
			return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Thread, b.Thread))
		})
		for _, v := range ask {
			v.Monitor(&analysis.MonitorWaits{Monitor: id, Waits: waits, Hides: hides})
		}
	}
}
