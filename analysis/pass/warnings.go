package pass

import (
	"slices"
	"strings"
	"time"

	"contend/analysis"
	"contend/analysis/internal/record"
	"contend/analysis/internal/times"
	"contend/analysis/owners"
	"contend/format"
	"contend/format/human"
)

// recordWarnings reports the waits that the record does not show. A thread whose wait was too short to be
// recorded counts as running, so running time is an upper bound for such waits. The
// distribution above a threshold does not show the waits below it.
func recordWarnings(r *record.Whole, defs *analysis.Symbols, tl *owners.Timelines, running int64) []format.Warning {
	var out []format.Warning
	if len(r.Record.Thresholds) > 0 {
		slices.Sort(r.Record.Thresholds)
		slices.Sort(r.Record.Unseen)
		out = append(out, format.Warning{
			Code:   format.CodeThreshold,
			Events: slices.Compact(r.Record.Unseen),
			Hint:   "'contend jfc' prints settings that record all",
			Text: "shorter waits were not recorded: " + strings.Join(slices.Compact(r.Record.Thresholds), ", ") +
				human.Say(": at most %v of the running time was such waiting", time.Duration(running)),
		})
	}
	if n := unlinked(defs, tl); n > 0 {
		out = append(out, format.Warning{
			Code: format.CodeUnlinked,
			Text: human.Say(
				"%v of %v contended locks in thread dumps match no recorded wait",
				n,
				r.Record.Evidence.Dumped(),
			),
		})
	}
	return slices.Concat(out, unendedWaits(r), failedWaits(r), censored(r), unclassified(r, defs))
}

// recorderLock is the class of a lock that only the flight recorder's own threads wait for.
// It records none of these waits.
const recorderLock = "jdk.jfr.internal.PlatformRecorder"

// unlinked counts the program's locks whose waiters in thread dumps match no recorded wait.
func unlinked(defs *analysis.Symbols, tl *owners.Timelines) (n int) {
	for i := range tl.Unlinked {
		if l := &tl.Unlinked[i]; !l.Counted && defs.ClassName(l.Lock) != recorderLock {
			n++
		}
	}
	return n
}

// unendedWaits reports the waits that only samples show.
func unendedWaits(r *record.Whole) []format.Warning {
	if len(r.Record.NotEnded) == 0 {
		return nil
	}
	return []format.Warning{{
		Code: format.CodeUnended,
		Text: human.Say(
			"%s before the recording or not ended with it: %v of waiting, by samples",
			human.Some(len(r.Record.NotEnded), "wait had begun", "waits had begun"),
			time.Duration(unendedNs(r)),
		),
	}}
}

func unendedNs(r *record.Whole) (sum int64) {
	for _, w := range r.Record.NotEnded {
		sum += w.End - w.Time
	}
	return sum
}

// failedWaits reports the waits that ended without the lock.
func failedWaits(r *record.Whole) []format.Warning {
	count, total := r.Activities.Failed()
	if count -= len(r.Record.NotEnded); count <= 0 {
		return nil
	}
	return []format.Warning{{
		Code: format.CodeFailed,
		Text: human.Say(
			"%v of %s timed out and count as ended without the lock: %v of waiting, counted like any other",
			count,
			human.Some(len(r.Activities.Starts), "wait", "waits"),
			time.Duration(total-unendedNs(r)),
		),
	}}
}

// censored reports the waits that reach into an interval of lost data. Their durations are
// recorded, but owners there may not be: these are inferred from the rest of the trace.
func censored(r *record.Whole) []format.Warning {
	if len(r.Record.Gaps) == 0 {
		return nil
	}
	lost := times.UnionOf(r.Record.Gaps)
	count, total := 0, int64(0)
	for _, i := range r.Activities.Starts {
		w := r.Activities.Activity(i)
		if ns := times.Within(lost, times.Span{Start: w.Start, End: w.End}); ns > 0 {
			count++
			total += ns
		}
	}
	if count == 0 {
		return nil
	}
	return []format.Warning{{
		Code: format.CodeCensored,
		Text: human.Say(
			"%s into intervals with lost data (%v in total): the owners there are less certain than shown",
			human.Some(count, "wait reaches", "waits reach"),
			time.Duration(total),
		),
	}}
}

// farWarning reports waiting whose root is unknown because its path is too long.
func farWarning(ns int64) []format.Warning {
	if ns == 0 {
		return nil
	}
	return []format.Warning{{
		Code: format.CodeFar,
		Text: human.Say(
			"%v of waiting lies behind chains of more than %v locks: its root is unknown",
			time.Duration(ns),
			analysis.MaxPath,
		),
	}}
}

// unclassified reports the waits that match no rule. They count as idle, which may hide a
// lock.
func unclassified(r *record.Whole, defs *analysis.Symbols) []format.Warning {
	count := 0
	total := int64(0)
	by := map[string]int64{}
	for lock, u := range r.Record.Unclear {
		count += u.N
		total += u.Ns
		by[defs.ClassName(lock)] += u.Ns
	}
	if count == 0 {
		return nil
	}
	top := ""
	for class, ns := range by {
		if top == "" || ns > by[top] || ns == by[top] && class < top {
			top = class
		}
	}
	most := "most of them on " + top
	if top == defs.Classes().Value(0) {
		most = "most have no recorded cause"
	}
	return []format.Warning{{
		Code:   format.CodeUnclassified,
		Hidden: total,
		Text: human.Say(
			"%s (%v in total) match no rule and count as idle, %s",
			human.Some(count, "wait", "waits"),
			time.Duration(total),
			most,
		),
	}}
}

// overflowWarning says that sums of thread-time are wrong.
func overflowWarning(overflown bool) []format.Warning {
	if !overflown {
		return nil
	}
	return []format.Warning{
		{
			Code: format.CodeOverflow,
			Text: "the running time of all threads together is more than 292 years: some times are damaged, and all " +
				"sums are wrong",
		},
	}
}
