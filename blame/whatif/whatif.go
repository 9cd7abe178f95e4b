// Package whatif predicts the effect of a change to a program, as a range. A trace with
// holds of locks is replayed with the change: each thread is a program of intervals between
// acquisitions and releases, which keep their lengths, and of waits, which are computed
// anew. The unchanged trace is replayed first; its deviation from the trace widens the
// ranges.
//
// Locks are handed over as in the trace: each wait says for how long the lock was free
// while its thread was next, how many later threads got it first, and how many took it at
// once meanwhile. The replay repeats that for each wait, so without a change it reproduces
// the trace.
//
// The ends of a range are a closed loop, in which a faster thread begins its next round
// sooner, and an open one, in which external events keep their times (Lindley's recursion,
// for each thread). Sleeps keep their length in both. For inferred holds there is a third:
// time in which the lock only seems free shrinks too, by the section's share of other
// waits. Results are compared with the trace, and with the same program after a negligible
// change: the range covers both.
//
// There are as many processors as threads, because a running thread may compute or do
// something that is not recorded. If a recording says that no processor was idle, the
// answer says so.
//
// Inferred holds are first made consistent: no thread holds a lock that it waits for, or
// acquires or releases a lock during a wait for another. If they still do not fit, ranges
// are wider and include no change; if they deadlock, and for samples, there are only
// bounds.
//
//	whatif.go    the question and the answer
//	predict.go   ranges from replays, and the deviation of these
//	chance.go    differences between two runs of one program
//	parts.go     independent sets of threads and locks
//	replay.go    the replay: threads, locks, waiters
//	queue.go     the events that are due
//	program.go   the program of a thread
//	handover.go  acquisitions in the trace
//	permits.go   permits of semaphores
//	settle.go    consistency of inferred holds
//	ceiling.go   operational bounds
//	change.go    changes in terms of a trace
//	sections.go  names of sections and classes
//	collect.go   the input from the trace
//
// Sources. Coz (Curtsinger and Berger, SOSP 2015): the question, what a faster piece
// brings to the whole; there all else is slowed down in a run, here a trace is replayed.
// wPerf (Zhou et al., OSDI 2018): waiting of all kinds is followed to its root, and idle
// time is separate. Critical lock analysis (Chen and Stenstrom, SC 2012): a section counts
// as far as others depend on it in the order of the run, not by the waiting for it.
// SyncPerf (Alam et al., EuroSys 2017): the remedy depends on the problem of a lock, which
// package findings names. Eyerman and Eeckhout (ISCA 2010): collisions of sections bound a
// speed-up; the range for stripes spreads holds by chance as their model does.
package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Row is the predicted effect of one change.
type Row struct {
	Change
	Throughput Range   // acquisitions in the same time, over those of the trace
	WaitNs     Range   // of all threads
	Ceiling    float64 // upper bound of Throughput by the demand of locks and threads; 0 if the trace has no holds
	Deadlocks  bool    // threads deadlock in the replay
}

// Result is the predicted effect of several changes.
type Result struct {
	Rows        []Row
	Replayed    bool // else the rows are bounds
	Deadlocks   bool // threads deadlock in the replay of the unchanged trace
	Misfit      Misfit
	WaitNs      int64 // of the trace
	Assumptions []string
}

// Predict predicts the effect of each change by itself. The error names what the trace does
// not have.
func (c *Collector) Predict(changes []Change) (*Result, error) {
	out := &Result{WaitNs: c.waitNs}
	var m *replays
	out.Replayed = c.replayable()
	if out.Replayed {
		m = newReplays(c)
		out.Misfit, out.Deadlocks = m.misfit, m.base[closedLoop].stuck
	}
	for _, ch := range changes {
		e, err := c.effect(&ch)
		if err != nil {
			return nil, err
		}
		row := Row{Change: c.named(ch)}
		if m != nil {
			row.Throughput, row.WaitNs, row.Deadlocks = m.predict(e)
			if row.Deadlocks && c.rebuilt {
				row.Throughput, row.WaitNs = c.bound(&ch, e)
			}
			row.Deadlocks = row.Deadlocks && !out.Deadlocks
			row.Ceiling = max(m.demand.ceiling(c, e)*(1+c.throughputNoise()), row.Throughput.High)
		} else {
			row.Throughput, row.WaitNs = c.bound(&ch, e)
		}
		out.Rows = append(out.Rows, row)
	}
	out.Assumptions = c.assumptions(out)
	return out, nil
}

// Rank predicts the effect of shortening each of the sections that cause most waiting by a
// share, the most rewarding one first.
func (c *Collector) Rank(by float64, top int) (*Result, error) {
	var changes []Change
	for _, s := range c.Sections() {
		if top > 0 && len(changes) == top {
			break
		}
		changes = append(changes, Change{Action: Shrink, Section: s.Method, Class: s.Class, By: by})
	}
	out, err := c.Predict(changes)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(out.Rows, func(a, b Row) int {
		return cmp.Or(
			-cmp.Compare(a.Throughput.middle(), b.Throughput.middle()),
			cmp.Compare(a.WaitNs.middle(), b.WaitNs.middle()),
		)
	})
	return out, nil
}

func (r Range) middle() float64 { return math.Sqrt(r.Low * r.High) }

// bound returns bounds of a change if owners are only sampled: at most, no thread waits any
// more for the locks it concerns, and all that time, with the time that owners save in the
// section, becomes work; at least, nothing is gained.
func (c *Collector) bound(ch *Change, e *effect) (throughput, waitNs Range) {
	var saved, inside int64
	for class, ns := range c.waited {
		if e.classes[c.sym.Classes().Value(class)] {
			saved += ns
		}
	}
	for section, ns := range c.onPath {
		if e.shrinks(section) || contains(e.readers, section) {
			saved += ns
		}
	}
	for section, when := range c.heldWhile {
		if e.shrinks(section) {
			inside += when.Len()
		}
	}
	saved = min(saved, c.waitNs) // a wait for several of them is in each
	left := max(c.runningNs-saved-int64(ch.By*float64(inside)), 1)
	high := max(relative(c.runningNs, left), 1)
	return Range{1, high}, Range{float64(c.waitNs - saved), float64(c.waitNs)}
}

// assumptions returns the assumptions that the result rests on.
func (c *Collector) assumptions(r *Result) (list []string) {
	if c.waitNs == 0 {
		return []string{"no thread waited for a lock: no change can help"}
	}
	if len(r.Rows) == 0 {
		return []string{"the owners of the contended locks are unknown: there is no section to shorten"}
	}
	if c.deadlock && !r.Replayed {
		list = append(list, "shorter sections do not resolve the deadlock")
	}
	if !r.Replayed {
		return append(
			list,
			"the trace does not record when locks were released: rows are bounds, from no gain to no waiting",
		)
	}
	misfit := fmt.Sprintf("the replay of the unchanged trace deviates by more than %.0f %%", maxMisfit*100)
	if r.Deadlocks {
		misfit = "the replay of the unchanged trace deadlocks"
	}
	list = append(
		list,
		"each thread repeats its work between locks, locks pass on in the recorded way, and each thread that can run has a processor",
	)
	if !r.Misfit.Fits() {
		list = append(list, misfit+": ranges include no change")
	}
	if c.rebuilt {
		list = append(list, "sections without waiters are not in the trace: they neither shrink nor contend")
	}
	for i := range r.Rows {
		if r.Rows[i].Deadlocks {
			list = append(list, "with the change threads deadlock: some acquire the same locks in another order")
			break
		}
	}
	return list
}
