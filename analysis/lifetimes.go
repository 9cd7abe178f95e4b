package analysis

import (
	"cmp"
	"slices"

	"contend/analysis/internal/column"
	"contend/analysis/owners"
	"contend/format"
)

// runs computes the running time of all threads: each thread's lifetime less
// its idle time, where waiting for a lock is running time even if the thread
// seems idle as well. It books stretches in order of time with the number of
// running threads, or sums by interval where no visitor wants more. It returns
// how many threads it counted, and for how long in the cut of the filter they may
// have run beside that, as far as is known, ns.
//
// A thread whose start or end the trace does not tell lives from its start,
// or until its end. What it did between two recordings nobody knows: that is no
// running time, but for its waits. Where the recorder took execution samples, a thread
// without any event did not run at all and is not counted. What is not told of
// the others unseen.go says.
func (r *record) runs(defs *definitions, start, end int64, e *emitter) (counted int, unseen int64) {
	seen := r.observed(start, end)
	coming, late := r.beginnings(defs, seen)
	counted = len(coming)
	now := runners{r: r, defs: defs, cut: span{max(start, e.from), min(end, e.to)}}
	if sums := e.newRanIn(now.cut, counted); sums != nil && !late {
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

// runners are the threads that have begun to run and not ceased for good, which are
// few at a time of all that a long recording tells of.
type runners struct {
	r      *record
	defs   *definitions
	cut    span
	unseen int64 // how long in the cut the threads so far may have run beside, ns

	all  []runner
	free []uint32       // those that have ceased
	due  column.KeyHeap // when each of the others begins or ceases next
}

// runs sums up when a thread runs.
func (rs *runners) runs(t format.ThreadID, seen observed, sight sight, sums *ranIn) {
	one, from := rs.runner(t, seen, sight), int64(0)
	for at, ok := one.next(); ok; at, ok = one.next() {
		if one.by < 0 {
			sums.add(from, at)
		}
		from = at
	}
}

// begin adds a thread, of an input that saw threads so.
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

// runner returns when a thread runs, and counts for how long it may have beside that.
func (rs *runners) runner(t format.ThreadID, seen observed, sight sight) runner {
	own, lives := rs.r.did(t), rs.r.wholeLife(t, seen.span)
	p, told := presence{sight, rs.r.activities, &rs.r.sleeps, own, rs.r.lifeOf(t)}, rs.r.toldLife(t, seen.span)
	rs.unseen += rs.r.sleeps.unclear(rs.r.activities.Scan(own), rs.cut)
	gaps, may := p.unseen(told.start, told.end)
	if may && !serves(rs.defs.ThreadName(t)) {
		rs.unseen += outside(gaps, seen.between, span{max(lives.start, rs.cut.start), min(lives.end, rs.cut.end)})
	}
	return newRunner(rs.r.activities, &rs.r.sleeps, own, join(seen.between, gaps), lives)
}

// next returns the next instant at which a thread begins or ceases to run, and how
// many run more.
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

// beginnings returns the threads that count, by when they may begin to run, and whether
// one is told to have ended before it began.
func (r *record) beginnings(defs *definitions, seen []observed) (all []column.Key, late bool) {
	for t := range max(r.activities.Threads(), len(r.Lives), len(r.tenants())) {
		in, id := defs.partOf(t), format.ThreadID(t)
		l, own := r.lifeOf(id), r.did(id)
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

// lifeOf returns what the trace tells of when a thread lived.
func (r *record) lifeOf(t format.ThreadID) owners.Life {
	if int(t) < len(r.Lives) {
		return r.Lives[t]
	}
	return owners.Life{Start: format.NoTime, End: format.NoTime}
}

// did returns what a thread did, nothing of what nobody is said to have done.
func (r *record) did(t format.ThreadID) owners.Refs {
	if t == format.NoThread {
		return owners.Refs{}
	}
	return r.activities.Of(t)
}

// toldLife returns when a thread lived as far as the trace tells it, else from the
// first to the last at which its input saw threads.
func (r *record) toldLife(t format.ThreadID, seen span) span {
	l := r.lifeOf(t)
	if l.Start != format.NoTime {
		seen.start = l.Start
	}
	if l.End != format.NoTime && l.End > seen.start {
		seen.end = l.End
	}
	return seen
}

// wholeLife is toldLife, widened to hold every wait of the thread.
func (r *record) wholeLife(t format.ThreadID, seen span) span {
	lives := r.toldLife(t, seen)
	if waits := r.activities.Scan(r.did(t)); waits.NextWait() {
		lives.start, lives.end = min(lives.start, waits.Start), max(lives.end, r.activities.WaitsUntil(t))
	}
	return lives
}

// partlySeen reports whether an input may not tell when its threads were idle.
func (r *record) partlySeen() bool {
	return slices.ContainsFunc(r.parts, func(p part) bool { return p.ended })
}

// hasRuns reports whether an input holds execution samples.
func (r *record) hasRuns(in int) bool { return in < len(r.parts) && r.parts[in].hasRuns }

// tenants tells, by thread, who held a lock; nil for a trace without tenures.
func (r *record) tenants() []bool {
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
