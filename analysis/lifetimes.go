package analysis

import (
	"slices"

	"contend/analysis/internal/column"
	"contend/analysis/owners"
	"contend/format"
)

// runs computes the running time of all threads: each thread's lifetime less
// its idle time, where waiting for a lock is running time even if the thread
// seems idle as well. It books stretches in order of time with the number of
// running threads. It returns how many threads it counted, and for how long in
// the cut of the filter they may have run beside that, as far as is known, ns.
//
// A thread whose start or end the trace does not tell lives from its start,
// or until its end. What it did between two recordings nobody knows: that is no
// running time, but for its waits. Where the recorder took execution samples, a thread
// without any event did not run at all and is not counted. What is not told of
// the others unseen.go says.
func (r *record) runs(defs *definitions, start, end int64, e *emitter) (counted int, unseen int64) {
	runners, unseen := r.runners(defs, start, end, span{max(start, e.from), min(end, e.to)})
	var due column.KeyHeap
	for i := range runners {
		if t, ok := runners[i].next(); ok {
			due.Push(column.Key{At: t, ID: uint32(i)})
		}
	}
	threads, last := int64(0), start
	for len(due) > 0 {
		one := &runners[due[0].ID]
		t := min(max(due[0].At, start), end)
		if t > last {
			e.run(last, t, threads)
			last = t
		}
		threads += one.by
		var ok bool
		if due[0].At, ok = one.next(); ok {
			due.Sift()
		} else {
			due.Pop()
		}
	}
	if last < end {
		e.run(last, end, 0)
	}
	return len(runners), unseen
}

// partlySeen reports whether an input may not tell when its threads were idle.
func (r *record) partlySeen() bool {
	return slices.ContainsFunc(r.parts, func(p part) bool { return p.ended })
}

// runners returns the threads that count, each at its beginning, and how long
// they were unseen in the cut.
func (r *record) runners(defs *definitions, start, end int64, cut span) (all []runner, unseen int64) {
	observed := r.observed(start, end)
	for t := range max(r.activities.Threads(), len(r.Lives), len(r.tenants())) {
		l := owners.Life{Start: format.NoTime, End: format.NoTime}
		if t < len(r.Lives) {
			l = r.Lives[t]
		}
		in, own := defs.partOf(t), r.activities.Of(format.ThreadID(t))
		seen := t != int(format.NoThread) && (own.Len() > 0 || r.held(t))
		if !seen && (r.hasRuns(in) || l.Start == format.NoTime && l.End == format.NoTime) {
			continue
		}
		from, to := observed[in].start, observed[in].end
		if l.Start != format.NoTime {
			from = l.Start
		}
		if l.End != format.NoTime && l.End > from {
			to = l.End
		}
		if t == int(format.NoThread) {
			own = owners.Refs{}
		}
		p := presence{r.parts[in].sight, r.activities, own, l}
		gaps, between := p.unseen(from, to), observed[in].between
		one := newRunner(r.activities, format.ThreadID(t), own, join(between, gaps), from, to)
		unseen += outside(gaps, between, span{max(one.from, cut.start), min(one.to, cut.end)})
		all = append(all, one)
	}
	return all, unseen
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
