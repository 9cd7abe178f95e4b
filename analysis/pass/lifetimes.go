package pass

import (
	"math"
	"strings"

	"contend/analysis"
	"contend/analysis/internal/column"
	"contend/analysis/internal/deliver"
	"contend/analysis/internal/record"
	"contend/analysis/internal/sleeps"
	"contend/analysis/internal/times"
	"contend/analysis/owners"
	"contend/format"
)

// lifetimes are those of the threads of a record.
type lifetimes struct {
	*record.Whole
	sleeps  *sleeps.Sites
	holders []bool // by thread: it has a recorded hold; see lockHolders
}

// runs books the running time of all threads: each thread's lifetime less its idle time. A
// thread that waits for a lock counts as running. It returns the number of threads that
// count, and an upper bound of further running time in the cut of the filter, ns.
//
// A thread without a recorded start or end lives for all of its input's recording. Between
// two recordings it does not run, except for its waits. If the recorder took execution
// samples, a thread without any event did not run and does not count. See unseenFor for the
// rest.
func (r *lifetimes) runs(defs *analysis.Symbols, start, end int64, e *deliver.Emitter) (counted int, unseen int64) {
	seen, cut := r.Observed(start, end), times.Span{Start: max(start, e.From), End: min(end, e.To)}
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
				sum.add(s, threads)
			}
		}
	}
	var idle, waits []times.Span // scratch
	for t := range max(r.Activities.Threads(), len(r.Lives), len(r.lockHolders())) {
		id, in := format.ThreadID(t), defs.Part(format.ThreadID(t))
		if !r.counts(id, in) {
			continue
		}
		counted++
		own, lives := r.activitiesOf(id), r.wholeLife(id, seen[in].Span)
		p, lived := presence{&r.Parts[in].Sight, r.Activities, r.sleeps, own, r.lifeOf(id)}, r.recordedLife(id, seen[in].Span)
		unseen += r.sleeps.Unclear(r.Activities.Scan(own), cut)
		gaps, may := p.unseen(lived.Start, lived.End)
		if may && !serves(defs.ThreadName(id)) {
			unseen += times.Outside(gaps, seen[in].Between, lives.Clip(cut))
		}
		add(lives, 1)
		idle, waits = r.idleTimes(idle[:0], own), r.WaitTimes(waits[:0], own)
		if len(seen[in].Between)+len(gaps) > 0 {
			idle = times.UnionOf(append(append(idle, seen[in].Between...), gaps...))
		}
		times.Without(idle, waits, func(s times.Span) { add(s.Clip(lives), -1) })
	}
	e.Out.Wait()
	for i, v := range ask {
		sums[i].deliver(v)
	}
	return counted, unseen
}

// idleTimes adds a thread's idle times to a list, but for its sleeps inside critical
// sections.
func (r *lifetimes) idleTimes(list []times.Span, own owners.Refs) []times.Span {
	for scan := r.Activities.Scan(own); scan.NextOther(); {
		if o := scan.Other(); record.Idle(o) && !r.sleeps.Works(o) {
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
	if int(t) < len(r.Lives) {
		return r.Lives[t]
	}
	return owners.Life{Start: format.NoTime, End: format.NoTime}
}

// activitiesOf returns the activities of a thread; none of NoThread.
func (r *lifetimes) activitiesOf(t format.ThreadID) owners.Refs {
	if t == format.NoThread {
		return owners.Refs{}
	}
	return r.Activities.Of(t)
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
	if waits := r.Activities.Scan(r.activitiesOf(t)); waits.NextWait() {
		lives.Start, lives.End = min(lives.Start, waits.Start), max(lives.End, r.Activities.WaitsUntil(t))
	}
	return lives
}

// hasRuns reports whether an input has execution samples.
func (r *lifetimes) hasRuns(in int) bool { return in < len(r.Parts) && r.Parts[in].HasRuns }

// lockHolders reports, by thread, whether it held a lock; nil if no holds are recorded.
func (r *lifetimes) lockHolders() []bool {
	if r.holders == nil && r.Tenures.Len() > 0 {
		r.Tenures.Each(func(_ column.Ref, t *owners.Tenure) {
			for len(r.holders) <= int(t.Thread) {
				r.holders = append(r.holders, false)
			}
			r.holders[t.Thread] = true
		})
	}
	return r.holders
}

func (r *lifetimes) held(t int) bool { return t < len(r.holders) && r.holders[t] }

// intervalSums sums the running time in a cut by interval, for one visitor: threads start and
// stop running far more often than any sum needs.
type intervalSums struct {
	cut        times.Span
	from, step int64   // start and length of the first interval
	part       []int64 // by interval: running time of threads that run for a part of it, ns
	whole      []int64 // by interval: change in the number of threads that run for all of it
}

// maxIntervals is the largest number of intervals. They are longer in a trace that has more.
const maxIntervals = 1 << 20

func newIntervalSums(to analysis.RunningVisitor, cut times.Span) *intervalSums {
	r := &intervalSums{cut: cut}
	if r.from, r.step = to.Intervals(); r.step <= 0 {
		r.step = math.MaxInt64
	}
	last := cut.End - 1 - r.from
	for last/r.step >= maxIntervals {
		r.step *= 2
	}
	r.part, r.whole = make([]int64, last/r.step+1), make([]int64, last/r.step+1)
	return r
}

// add adds n threads that run in an interval of the cut. A negative number takes them away.
func (r *intervalSums) add(s times.Span, n int64) {
	lo, last := s.Start-r.from, s.End-1-r.from
	i, j := lo/r.step, last/r.step
	if i == j {
		r.part[i] += n * (s.End - s.Start)
		return
	}
	r.part[i] += n * (r.step - lo%r.step)
	r.part[j] += n * (last%r.step + 1)
	r.whole[i+1] += n
	r.whole[j] -= n
}

// deliver gives the sums to the visitor. Intervals in which the same threads run all the
// time are one call.
func (r *intervalSums) deliver(to analysis.RunningVisitor) {
	threads, lo := int64(0), r.cut.Start
	for i := 0; i < len(r.part); {
		threads += r.whole[i]
		ns, hi := r.part[i], r.cut.End
		for i++; i < len(r.part); i++ {
			if ns != 0 || r.part[i] != 0 || r.whole[i] != 0 {
				hi = r.from + int64(i)*r.step
				break
			}
		}
		if lo < hi {
			to.Running(lo, hi, ns+threads*(hi-lo))
			lo = hi
		}
	}
}

// A recorder may write an idle time when it ends, and leave out short ones. It then shows
// nothing of a thread that is idle at the end. The evidence of a thread is its waits, idle
// times and samples, its start and its end. The thread counts as running, less its recorded
// idle time,
//
//  1. from its first evidence to its last: time outside is a range, which the running time
//     excludes and its upper bound includes;
//  2. if running threads are sampled, not between evidence that is more than unseenFor
//     apart: that is a range as well;
//  3. if short idle times are not recorded either, only while it waits for a lock and for
//     sampleFor around each sample.
//
// A thread whose evidence is all idle is idle outside of it, and so are the threads that
// serve the JVM.
const (
	unseenFor = int64(1e9)
	sampleFor = int64(20e6) // the period JFR samples with by default
)

// serves reports whether a thread belongs to the JVM or the recorder. Such threads do next
// to nothing between their events.
func serves(name string) bool {
	return name == "Attach Listener" || strings.HasPrefix(name, "JFR ") || strings.HasPrefix(name, "contend-")
}

// presence is the evidence of a thread.
type presence struct {
	*record.Sight
	d      *owners.Activities
	sleeps *sleeps.Sites
	own    owners.Refs // by start
	life   owners.Life
}

// farthest returns how long a thread without evidence counts as running, ns.
func (p *presence) farthest() int64 {
	switch {
	case p.HasRuns && p.Hides:
		return 0
	case p.HasRuns:
		return unseenFor
	}
	return math.MaxInt64
}

// unseen returns the intervals of [from, to) without evidence that the thread ran. may
// reports whether it may have run in them: not if all evidence is idle.
func (p *presence) unseen(from, to int64) (out []times.Span, may bool) {
	if !p.Ended {
		return nil, false
	}
	found, last := false, times.Span{} // evidence so far
	add := func(s times.Span) {
		switch {
		case !found:
			if found, last = true, s; from < s.Start {
				out = append(out, times.Span{Start: from, End: s.Start})
			}
		case s.Start-last.End > p.farthest():
			out = append(out, times.Span{Start: last.End, End: s.Start})
		}
		last.End = max(last.End, s.End)
	}
	if t := p.life.Start; t != format.NoTime {
		add(times.Span{Start: t, End: t})
		may = true
	}
	for own := p.d.Scan(p.own); own.Next(); {
		add(p.seen(&own))
		may = may || own.IsWait() || !record.Idle(own.Other()) || p.sleeps.Works(own.Other())
	}
	if t := p.life.End; t != format.NoTime {
		add(times.Span{Start: t, End: t})
		may = true
	}
	if !found {
		return []times.Span{{Start: from, End: to}}, true
	}
	if last.End < to {
		out = append(out, times.Span{Start: last.End, End: to})
	}
	return out, may
}

// seen returns the interval for which an activity is evidence.
func (p *presence) seen(a *owners.Scan) times.Span {
	if p.Hides && a.Start == a.End && !a.IsWait() && a.Other().What() == format.ActivityRun {
		return times.Span{Start: a.Start - sampleFor/2, End: a.End + sampleFor/2}
	}
	return times.Span{Start: a.Start, End: a.End}
}
