package analysis

import (
	"cmp"
	"slices"

	"contend/analysis/internal/column"
	"contend/analysis/owners"
	"contend/format"
)

// runs books the running time of all threads: each thread's lifetime less its idle time. A
// thread that waits for a lock counts as running. runs books intervals in order of time
// with the number of running threads, or sums by interval if no visitor needs more. It
// returns the number of threads that count, and an upper bound of further running time in
// the cut of the filter, ns.
//
// A thread without a recorded start or end lives for all of its input's recording. Between
// two recordings it does not run, except for its waits. If the recorder took execution
// samples, a thread without any event did not run and does not count. See unseen.go for the
// rest.
func (r *record) runs(defs *definitions, start, end int64, e *emitter) (counted int, unseen int64) {
	seen := r.observed(start, end)
	coming, late := r.beginnings(defs, seen)
	counted = len(coming)
	now := runners{r: r, defs: defs, cut: span{max(start, e.from), min(end, e.to)}}
	if sums := e.newRunningSums(now.cut, counted); sums != nil && !late {
		for _, k := range coming {
			t := format.ThreadID(k.ID)
			now.runs(t, seen[defs.partOf(int(t))], r.parts[defs.partOf(int(t))].sight, sums)
		}
		sums.book(e)
		return counted, now.unseen
	}
	threads, last := int64(0), start
	for len(coming) > 0 || len(now.due) > 0 {
		if len(now.due) == 0 || len(coming) > 0 && coming[0].At <= now.due[0].At {
			t := format.ThreadID(coming[0].ID)
			now.begin(t, seen[defs.partOf(int(t))], r.parts[defs.partOf(int(t))].sight)
			coming = coming[1:]
			continue
		}
		at, by := now.next()
		if at = min(max(at, start), end); at > last {
			e.run(last, at, threads)
			last = at
		}
		threads += by
	}
	if last < end {
		e.run(last, end, 0)
	}
	return counted, now.unseen
}

// runners are the threads that have started to run and may run again. They are few at a
// time, even in a long recording.
type runners struct {
	r      *record
	defs   *definitions
	cut    span
	unseen int64 // upper bound of further running time in the cut of the threads so far, ns

	all  []runner
	free []uint32       // places of those that have finished
	due  column.KeyHeap // the next start or stop of each of the others
}

// runs adds a thread's running time to the sums.
func (rs *runners) runs(t format.ThreadID, seen observed, sight sight, sums *runningSums) {
	one, from := rs.runner(t, seen, sight), int64(0)
	for at, ok := one.next(); ok; at, ok = one.next() {
		if one.by < 0 {
			sums.add(from, at)
		}
		from = at
	}
}

// begin adds a thread, with what its input shows of threads.
func (rs *runners) begin(t format.ThreadID, seen observed, sight sight) {
	if len(rs.free) == 0 {
		rs.all, rs.free = append(rs.all, runner{}), append(rs.free, uint32(len(rs.all)))
	}
	at := rs.free[len(rs.free)-1]
	rs.free = rs.free[:len(rs.free)-1]
	one := &rs.all[at]
	*one = rs.runner(t, seen, sight)
	if first, ok := one.next(); ok {
		rs.due.Push(column.Key{At: first, ID: at})
	}
}

// runner returns the iterator over a thread's running time and adds to unseen.
func (rs *runners) runner(t format.ThreadID, seen observed, sight sight) runner {
	own, lives := rs.r.activitiesOf(t), rs.r.wholeLife(t, seen.span)
	p, lived := presence{sight, rs.r.activities, &rs.r.sleeps, own, rs.r.lifeOf(t)}, rs.r.recordedLife(t, seen.span)
	rs.unseen += rs.r.sleeps.unclear(rs.r.activities.Scan(own), rs.cut)
	gaps, may := p.unseen(lived.start, lived.end)
	if may && !serves(rs.defs.ThreadName(t)) {
		rs.unseen += outside(gaps, seen.between, span{max(lives.start, rs.cut.start), min(lives.end, rs.cut.end)})
	}
	return newRunner(rs.r.activities, &rs.r.sleeps, own, join(seen.between, gaps), lives)
}

// next returns the next instant at which a thread starts or stops running, and the change
// in the number of running threads.
func (rs *runners) next() (at, by int64) {
	first := &rs.due[0]
	one := &rs.all[first.ID]
	at, by = first.At, one.by
	var more bool
	if first.At, more = one.next(); more {
		rs.due.Sift()
		return at, by
	}
	rs.free = append(rs.free, first.ID)
	rs.due.Pop()
	return at, by
}

// beginnings returns the threads that count, by the earliest start of each. late reports
// that the end of one is recorded before its start.
func (r *record) beginnings(defs *definitions, seen []observed) (all []column.Key, late bool) {
	for t := range max(r.activities.Threads(), len(r.Lives), len(r.lockHolders())) {
		in, id := defs.partOf(t), format.ThreadID(t)
		l, own := r.lifeOf(id), r.activitiesOf(id)
		isSeen := t != int(format.NoThread) && (own.Len() > 0 || r.held(t))
		if !isSeen && (r.hasRuns(in) || l.Start == format.NoTime && l.End == format.NoTime) {
			continue
		}
		lives := r.wholeLife(id, seen[in].span)
		late = late || lives.start > lives.end
		all = append(all, column.Key{At: min(lives.start, lives.end), ID: uint32(t)})
	}
	slices.SortFunc(all, func(a, b column.Key) int { return cmp.Compare(a.At, b.At) })
	return all, late
}

// lifeOf returns the recorded start and end of a thread.
func (r *record) lifeOf(t format.ThreadID) owners.Life {
	if int(t) < len(r.Lives) {
		return r.Lives[t]
	}
	return owners.Life{Start: format.NoTime, End: format.NoTime}
}

// activitiesOf returns the activities of a thread; none of NoThread.
func (r *record) activitiesOf(t format.ThreadID) owners.Refs {
	if t == format.NoThread {
		return owners.Refs{}
	}
	return r.activities.Of(t)
}

// recordedLife returns the lifetime of a thread. A start or end that is not recorded is the
// start or end of its input.
func (r *record) recordedLife(t format.ThreadID, seen span) span {
	l := r.lifeOf(t)
	if l.Start != format.NoTime {
		seen.start = l.Start
	}
	if l.End != format.NoTime && l.End > seen.start {
		seen.end = l.End
	}
	return seen
}

// wholeLife is recordedLife, widened to include every wait of the thread.
func (r *record) wholeLife(t format.ThreadID, seen span) span {
	lives := r.recordedLife(t, seen)
	if waits := r.activities.Scan(r.activitiesOf(t)); waits.NextWait() {
		lives.start, lives.end = min(lives.start, waits.Start), max(lives.end, r.activities.WaitsUntil(t))
	}
	return lives
}

// partlySeen reports whether some input may not show when its threads were idle.
func (r *record) partlySeen() bool {
	return slices.ContainsFunc(r.parts, func(p part) bool { return p.ended })
}

// hasRuns reports whether an input has execution samples.
func (r *record) hasRuns(in int) bool { return in < len(r.parts) && r.parts[in].hasRuns }

// lockHolders reports, by thread, whether it held a lock; nil if no holds are recorded.
func (r *record) lockHolders() []bool {
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

func (r *record) held(t int) bool { return t < len(r.holders) && r.holders[t] }
