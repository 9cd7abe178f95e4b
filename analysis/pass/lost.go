package pass

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/analysis/internal/times"
	"contend/format"
)

// A recorder with a buffer for each thread writes a buffer when it is full. Where its file is cut off, the last
// buffers of most threads are missing: what a thread recorded last is the end of what is known of it.

// minLost is the share of the waiting below which intervals in which it is lost are merged.
const minLost = 1.0 / 64

// lostWaiting is an interval in which a share of the waiting is lost.
type lostWaiting struct {
	when  times.Span
	share float64
}

// inputWaiting is the waiting of an input, in threads that wait on average.
type inputWaiting struct {
	seen    times.Span
	waiting float64
	lost    []lostWaiting // share: of a thread, in threads
}

// lostWaiting returns when some waiting is lost, as disjoint intervals in order of time: the threads whose end is
// missing wait as they did before it.
func (r *lifetimes) lostWaiting(defs *analysis.Symbols) []lostWaiting {
	var all []lostWaiting
	inputs := r.waitingByInput(defs)
	for i := range inputs {
		cut, _ := r.whole.Record.LastCut(i)
		together := 0.0
		for j := range inputs {
			if s := inputs[j].seen.Clip(cut); s.Start < s.End {
				together += inputs[j].waiting
			}
		}
		for _, l := range mergedLosses(inputs[i].lost, minLost*together) {
			all = append(all, lostWaiting{l.when, l.share / together})
		}
	}
	return disjointLosses(all)
}

// waitingByInput sums the waiting of threads by input; it returns nil if no input is cut off.
func (r *lifetimes) waitingByInput(defs *analysis.Symbols) []inputWaiting {
	rec, cut := r.whole.Record, false
	for i := range rec.Parts {
		_, is := rec.LastCut(i)
		cut = cut || is
	}
	if !cut {
		return nil
	}
	inputs, seen := make([]inputWaiting, len(rec.Parts)), rec.Observed(rec.Bounds())
	for i := range inputs {
		inputs[i].seen = seen[i].Span
	}
	var waits []times.Span
	for t := range r.whole.Activities.Threads() {
		id := format.ThreadID(t)
		in := defs.Part(id)
		if waits = r.whole.WaitTimes(waits[:0], r.activitiesOf(id)); len(waits) == 0 || in >= len(inputs) {
			continue
		}
		whole := seen[in].Span
		lost, any := r.lostOf(id, in)
		known := whole.End - whole.Start - times.Within(seen[in].Between, whole)
		if any {
			known -= lost.End - lost.Start
		}
		if known <= 0 {
			continue
		}
		threads := float64(times.Within(waits, whole)) / float64(known)
		inputs[in].waiting += threads
		if any && threads > 0 {
			inputs[in].lost = append(inputs[in].lost, lostWaiting{lost, threads})
		}
	}
	return inputs
}

// mergedLosses merges intervals that end together, in order of their starts, until each loses as much as is asked
// for, so that there are not as many as threads. Together they lose as much as before.
func mergedLosses(all []lostWaiting, least float64) (out []lostWaiting) {
	slices.SortFunc(all, func(a, b lostWaiting) int { return cmp.Compare(a.when.Start, b.when.Start) })
	for _, l := range all {
		if n := len(out); n > 0 && out[n-1].share < least {
			last := &out[n-1]
			last.share += l.share
			last.when.Start += int64(float64(l.when.Start-last.when.Start) * l.share / last.share)
		} else {
			out = append(out, l)
		}
	}
	return out
}

// disjointLosses returns what intervals lose that may overlap.
func disjointLosses(all []lostWaiting) (out []lostWaiting) {
	type change struct {
		at    int64
		share float64
	}
	var changes []change
	for _, l := range all {
		changes = append(changes, change{l.when.Start, l.share}, change{l.when.End, -l.share})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	share := 0.0
	for i := range changes {
		if i > 0 && changes[i-1].at < changes[i].at && share > 0 {
			out = append(out, lostWaiting{times.Span{Start: changes[i-1].at, End: changes[i].at}, min(share, 1)})
		}
		share += changes[i].share
	}
	return out
}

// appendKnown adds a recorded interval to a list, divided where waiting is lost.
func appendKnown(list []analysis.Interval, s times.Span, lost []lostWaiting) []analysis.Interval {
	add := func(to int64, known float64) {
		if s.Start < to {
			list, s.Start = append(list, analysis.Interval{Start: s.Start, End: to, Known: known}), to
		}
	}
	for _, l := range lost {
		if part := l.when.Clip(s); part.Start < part.End {
			add(part.Start, 1)
			add(part.End, 1-l.share)
		}
	}
	add(s.End, 1)
	return list
}
