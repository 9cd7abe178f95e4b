package pass

import (
	"slices"

	"contend/analysis"
	"contend/analysis/internal/deliver"
	"contend/analysis/internal/record"
	"contend/analysis/internal/sleeps"
	"contend/analysis/internal/times"
	"contend/analysis/owners"
	"contend/format"
	"contend/format/column"
)

// lifetimes are those of the threads of a record.
type lifetimes struct {
	whole   *record.Whole
	sleeps  *sleeps.Sites
	holders []bool // by thread: it has a recorded hold; see lockHolders
}

// runs books the running time of all threads: each thread's lifetime less its idle time. A
// thread that waits for a lock counts as running. It returns the number of threads that
// count, an upper bound of further running time in the cut of the filter, ns, and the part of it that may be
// waiting: see unendedIn.
//
// A thread without a recorded start or end lives for all of its input's recording. Between
// two recordings it does not run, except for its waits. If the recorder took execution
// samples, a thread without any event did not run and does not count. See unseenFor for the
// rest. What is lost of it counts as little as the time between recordings: see lostOf.
func (r *lifetimes) runs(
	defs *analysis.Symbols,
	start, end int64,
	e *deliver.Emitter,
) (counted int, unseen, unended int64) {
	seen, cut := r.whole.Record.Observed(start, end), times.Span{Start: max(start, e.From), End: min(end, e.To)}
	if cut.Start >= cut.End {
		cut.End = cut.Start
	}
	ask := deliver.Asking[analysis.RunningVisitor](e)
	sums := make([]*intervalSums, len(ask))
	for i, v := range ask {
		sums[i] = newIntervalSums(v, cut)
	}
	add := func(s times.Span, threads int64) {
		if s = s.Clip(cut); s.Start < s.End {
			e.Ran(s.End-s.Start, threads)
			for _, sum := range sums {
				sum.addThreads(s, threads)
			}
		}
	}
	var idle, waits []times.Span // scratch
	for t := range max(r.whole.Activities.Threads(), len(r.whole.Record.Evidence.Lives), len(r.lockHolders())) {
		id, in := format.ThreadID(t), defs.Part(format.ThreadID(t))
		if !r.counts(id, in) {
			continue
		}
		counted++
		own, lives := r.activitiesOf(id), r.wholeLife(id, seen[in].Span)
		p, lived := presence{
			&r.whole.Record.Parts[in].Sight,
			r.whole.Activities,
			r.sleeps,
			own,
			r.lifeOf(id),
		}, r.recordedLife(
			id,
			seen[in].Span,
		)
		unseen += r.sleeps.Unclear(r.whole.Activities.Scan(own), cut)
		gaps, may := p.unseen(lived.Start, lived.End)
		absent := seen[in].Between
		if lost, is := r.lostOf(id, in); is {
			absent = times.UnionOf(append(slices.Clone(absent), lost))
		}
		if may && !serves(defs.ThreadName(id)) {
			unseen += times.Outside(gaps, absent, lives.Clip(cut))
		}
		add(lives, 1)
		idle, waits = r.idleTimes(idle[:0], own), r.whole.WaitTimes(waits[:0], own)
		if len(absent) == 0 {
			unended += unendedIn(gaps, waits, lived, cut)
		}
		if len(absent)+len(gaps) > 0 {
			idle = times.UnionOf(append(append(idle, absent...), gaps...))
		}
		times.Without(idle, waits, func(s times.Span) { add(s.Clip(lives), -1) })
	}
	e.Out.Wait()
	for i, v := range ask {
		sums[i].deliver(v)
	}
	return counted, unseen, unended
}

// unendedIn returns how long a thread may have waited before its first evidence and after its last, in a cut: a wait
// that had begun before the recording, or did not end within it, leaves no event. Each is taken to be at most as long
// as its longest recorded one.
func unendedIn(gaps, waits []times.Span, lived, cut times.Span) (ns int64) {
	longest := int64(0)
	for _, w := range waits {
		longest = max(longest, w.End-w.Start)
	}
	for _, gap := range gaps {
		if gap.Start == lived.Start {
			gap.Start = max(gap.Start, gap.End-longest)
		} else if gap.End == lived.End {
			gap.End = min(gap.End, gap.Start+longest)
		} else {
			continue
		}
		gap = gap.Clip(cut)
		ns += max(gap.End-gap.Start, 0)
	}
	return ns
}

// idleTimes adds a thread's idle times to a list, but for its sleeps inside critical
// sections.
func (r *lifetimes) idleTimes(list []times.Span, own owners.Refs) []times.Span {
	for scan := r.whole.Activities.Scan(own); scan.NextOther(); {
		if o := scan.Activity(); record.Idle(o) && !r.sleeps.Works(o) {
			list = times.Extended(list, times.Span{Start: scan.Start, End: scan.End})
		}
	}
	return list
}

// counts reports whether a thread of an input counts.
func (r *lifetimes) counts(t format.ThreadID, in int) bool {
	if own := r.activitiesOf(t); t != format.NoThread && (own.Len() > 0 || r.held(int(t))) {
		return true
	}
	l := r.lifeOf(t)
	return !r.hasRuns(in) && (l.Start != format.NoTime || l.End != format.NoTime)
}

// lifeOf returns the recorded start and end of a thread.
func (r *lifetimes) lifeOf(t format.ThreadID) owners.Life {
	if int(t) < len(r.whole.Record.Evidence.Lives) {
		return r.whole.Record.Evidence.Lives[t]
	}
	return owners.Life{Start: format.NoTime, End: format.NoTime}
}

// activitiesOf returns the activities of a thread; none of NoThread.
func (r *lifetimes) activitiesOf(t format.ThreadID) owners.Refs {
	if t == format.NoThread {
		return owners.Refs{}
	}
	return r.whole.Activities.OfThread(t)
}

// lostOf returns when nothing is known of a thread because its input is cut off: since what it recorded last, or
// since the last sample of a thread that recorded nothing. Everything is known of a thread that ended; a thread that
// never recorded anything has nothing to lose.
func (r *lifetimes) lostOf(t format.ThreadID, in int) (times.Span, bool) {
	cut, is := r.whole.Record.LastCut(in)
	if !is || !r.whole.Record.Parts[in].Sight.Ended || r.lifeOf(t).End != format.NoTime {
		return times.Span{}, false
	}
	recorded := cut.Start
	sampled := cut.Start
	records := false
	for own := r.whole.Activities.Scan(r.activitiesOf(t)); own.Next(); {
		if own.Start < own.End {
			recorded, records = max(recorded, own.End), true
		} else {
			sampled = max(sampled, own.End)
		}
	}
	if recorded == cut.Start {
		recorded = sampled
	}
	return times.Span{Start: recorded, End: cut.End}, records && recorded < cut.End
}

// recordedLife returns the lifetime of a thread. A start or end that is not recorded is the
// start or end of its input.
func (r *lifetimes) recordedLife(t format.ThreadID, seen times.Span) times.Span {
	l := r.lifeOf(t)
	if l.Start != format.NoTime {
		seen.Start = l.Start
	}
	if l.End != format.NoTime && l.End > seen.Start {
		seen.End = l.End
	}
	return seen
}

// wholeLife is recordedLife, widened to include every wait of the thread.
func (r *lifetimes) wholeLife(t format.ThreadID, seen times.Span) times.Span {
	lives := r.recordedLife(t, seen)
	if waits := r.whole.Activities.Scan(r.activitiesOf(t)); waits.NextWait() {
		lives.Start, lives.End = min(lives.Start, waits.Start), max(lives.End, r.whole.Activities.WaitsUntil(t))
	}
	return lives
}

// hasRuns reports whether an input has execution samples.
func (r *lifetimes) hasRuns(in int) bool {
	return in < len(r.whole.Record.Parts) && r.whole.Record.Parts[in].Sight.HasRuns
}

// lockHolders reports, by thread, whether it held a lock; nil if no holds are recorded.
func (r *lifetimes) lockHolders() []bool {
	if r.holders == nil && r.whole.Record.Evidence.Tenures.Len() > 0 {
		r.whole.Record.Evidence.Tenures.Each(func(_ column.Ref, t *owners.Tenure) {
			for len(r.holders) <= int(t.Thread) {
				r.holders = append(r.holders, false)
			}
			r.holders[t.Thread] = true
		})
	}
	return r.holders
}

func (r *lifetimes) held(t int) bool { return t < len(r.holders) && r.holders[t] }
