package analysis

import (
	"cmp"
	"slices"

	"contend/format"
)

// idleWork tells which activities are idle time: a thread with nothing to do.
// A wait no rule classifies is idle too; the warnings say how much there was.
var idleWork = [...]bool{
	format.ActivityUnknown: true,
	format.ActivityWait:    true,
	format.ActivityPark:    true,
	format.ActivitySleep:   true,
	format.ActivityIO:      false,
	format.ActivityRun:     false,
	format.ActivityLive:    false,
}

// runs computes the running time of all threads: each thread's lifetime less
// its idle time, where waiting for a lock is running time even if the thread
// seems idle as well. It calls run for stretches in order of time with the
// number of running threads.
//
// A thread whose start or end the trace does not tell lives from its start,
// or until its end. Where the recorder took execution samples, a thread
// without any event did not run at all and is not counted.
func (r *record) runs(sym *Symbols, start, end int64, run func(lo, hi, threads int64)) (counted int) {
	var edges []edge
	byThread := r.stretches()
	for t, own := range byThread {
		l := life{format.NoTime, format.NoTime}
		if t < len(r.lives) {
			l = r.lives[t]
		}
		in := sym.partOf(t)
		if !own.seen && (r.hasRuns(in) || l.start == format.NoTime && l.end == format.NoTime) {
			continue
		}
		counted++
		from, to := r.span(in, start, end)
		if l.start != format.NoTime {
			from = l.start
		}
		if l.end != format.NoTime && l.end > from {
			to = l.end
		}
		edges = own.running(from, to, edges)
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.time, b.time) })
	threads, last := int64(0), start
	for _, ed := range edges {
		t := min(max(ed.time, start), end)
		if t > last {
			run(last, t, threads)
			last = t
		}
		threads += ed.by
	}
	return counted
}

// hasRuns tells whether an input holds execution samples.
func (r *record) hasRuns(in int) bool { return in < len(r.parts) && r.parts[in].hasRuns }

// edge is a thread that begins (+1) or ceases (-1) to run.
type edge struct{ time, by int64 }

// stretches are one thread's waits and idle times.
type stretches struct {
	seen        bool
	waits, idle []span
}

func (r *record) stretches() []stretches {
	var by []stretches
	of := func(t format.ThreadID) *stretches {
		for len(by) <= int(t) && int(t) <= maxSymbol {
			by = append(by, stretches{})
		}
		if t == format.NoThread || int(t) >= len(by) {
			return &stretches{}
		}
		return &by[t]
	}
	for i := range r.waits {
		w := &r.waits[i]
		s := of(w.thread)
		s.seen, s.waits = true, append(s.waits, span{w.start, w.end})
	}
	for i := range r.tenures {
		of(r.tenures[i].thread).seen = true
	}
	for i := range r.activities {
		a := &r.activities[i]
		s := of(a.thread)
		s.seen = s.seen || a.what != format.ActivityLive
		if a.end > a.start && int(a.what) < len(idleWork) && idleWork[a.what] {
			s.idle = append(s.idle, span{a.start, a.end})
		}
	}
	if len(r.lives) > 0 {
		of(format.ThreadID(len(r.lives) - 1))
	}
	return by
}

// running appends the edges of the running stretches within [from, to),
// widened to hold every wait.
func (s *stretches) running(from, to int64, edges []edge) []edge {
	for _, w := range s.waits {
		from, to = min(from, w.start), max(to, w.end)
	}
	idle := subtract(union(s.idle), union(s.waits))
	edges = append(edges, edge{from, 1}, edge{to, -1})
	for _, i := range idle {
		lo, hi := max(i.start, from), min(i.end, to)
		if lo < hi {
			edges = append(edges, edge{lo, -1}, edge{hi, 1})
		}
	}
	return edges
}

// union sorts spans and joins those that touch.
func union(in []span) []span {
	slices.SortFunc(in, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	out := in[:0]
	for _, s := range in {
		if n := len(out); n > 0 && s.start <= out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}

// subtract removes b from a; both are unions.
func subtract(a, b []span) []span {
	var out []span
	j := 0
	for _, s := range a {
		for j < len(b) && b[j].end <= s.start {
			j++
		}
		for k := j; k < len(b) && b[k].start < s.end; k++ {
			if b[k].start > s.start {
				out = append(out, span{s.start, b[k].start})
			}
			s.start = max(s.start, b[k].end)
		}
		if s.start < s.end {
			out = append(out, s)
		}
	}
	return out
}
