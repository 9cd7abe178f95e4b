package analysis

import (
	"contend/analysis/internal/column"
	"contend/analysis/owners"
	"contend/format"
)

// lifetimes are those of the threads of a record.
type lifetimes struct {
	*whole
	sleeps  *sleepSites
	holders []bool // by thread: it has a recorded hold; see lockHolders
}

// runs books the running time of all threads: each thread's lifetime less its idle time. A
// thread that waits for a lock counts as running. It returns the number of threads that
// count, and an upper bound of further running time in the cut of the filter, ns.
//
// A thread without a recorded start or end lives for all of its input's recording. Between
// two recordings it does not run, except for its waits. If the recorder took execution
// samples, a thread without any event did not run and does not count. See unseen.go for the
// rest.
func (r *lifetimes) runs(defs *Symbols, start, end int64, e *emitter) (counted int, unseen int64) {
	seen, cut := r.observed(start, end), span{max(start, e.from), min(end, e.to)}
	if cut.start >= cut.end {
		cut.end = cut.start
	}
	ask := asking[RunningVisitor](e)
	sums := make([]*intervalSums, len(ask))
	for i, v := range ask {
		sums[i] = newIntervalSums(v, cut)
	}
	add := func(s span, threads int64) {
		if s = s.clip(cut); s.start < s.end {
			e.ran(s.end-s.start, threads)
			for _, sum := range sums {
				sum.add(s, threads)
			}
		}
	}
	var idle, waits []span // scratch
	for t := range max(r.activities.Threads(), len(r.Lives), len(r.lockHolders())) {
		id, in := format.ThreadID(t), defs.Part(format.ThreadID(t))
		if !r.counts(id, in) {
			continue
		}
		counted++
		own, lives := r.activitiesOf(id), r.wholeLife(id, seen[in].span)
		p, lived := presence{r.parts[in].sight, r.activities, r.sleeps, own, r.lifeOf(id)}, r.recordedLife(id, seen[in].span)
		unseen += r.sleeps.unclear(r.activities.Scan(own), cut)
		gaps, may := p.unseen(lived.start, lived.end)
		if may && !serves(defs.ThreadName(id)) {
			unseen += outside(gaps, seen[in].between, lives.clip(cut))
		}
		add(lives, 1)
		idle, waits = r.idleTimes(idle[:0], own), r.waitTimes(waits[:0], own)
		if len(seen[in].between)+len(gaps) > 0 {
			idle = unionOf(append(append(idle, seen[in].between...), gaps...))
		}
		without(idle, waits, func(s span) { add(s.clip(lives), -1) })
	}
	e.out.wait()
	for i, v := range ask {
		sums[i].deliver(v)
	}
	return counted, unseen
}

// idleTimes adds a thread's idle times to a list, but for its sleeps inside critical
// sections.
func (r *lifetimes) idleTimes(list []span, own owners.Refs) []span {
	for scan := r.activities.Scan(own); scan.NextOther(); {
		if o := scan.Other(); idle(o) && !r.sleeps.works(o) {
			list = extended(list, span{scan.Start, scan.End})
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
	return r.activities.Of(t)
}

// recordedLife returns the lifetime of a thread. A start or end that is not recorded is the
// start or end of its input.
func (r *lifetimes) recordedLife(t format.ThreadID, seen span) span {
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
func (r *lifetimes) wholeLife(t format.ThreadID, seen span) span {
	lives := r.recordedLife(t, seen)
	if waits := r.activities.Scan(r.activitiesOf(t)); waits.NextWait() {
		lives.start, lives.end = min(lives.start, waits.Start), max(lives.end, r.activities.WaitsUntil(t))
	}
	return lives
}

// hasRuns reports whether an input has execution samples.
func (r *lifetimes) hasRuns(in int) bool { return in < len(r.parts) && r.parts[in].hasRuns }

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
