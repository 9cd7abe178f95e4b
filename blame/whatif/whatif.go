package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Row is the predicted effect of one change.
type Row struct {
	Change     Change
	Throughput Range   // acquisitions in the same time, over those of the trace; High is 0 if the trace sets no bound
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

	unreplayed int // changes whose replay is stuck though nothing recorded lets threads deadlock
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
			if row.Deadlocks && !c.mayDeadlock() {
				row.Throughput, row.WaitNs = c.bound(&ch, e)
				row.Deadlocks, out.unreplayed = false, out.unreplayed+1
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
			-cmp.Compare(a.Throughput.Middle(), b.Throughput.Middle()),
			cmp.Compare(a.WaitNs.Middle(), b.WaitNs.Middle()),
		)
	})
	return out, nil
}

// Middle returns the middle of the range by ratio: over the simulator's programs it is a third as far from the truth
// as an end.
func (r Range) Middle() float64 { return math.Sqrt(r.Low * r.High) }

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
	waitNs = Range{float64(c.waitNs - saved), float64(c.waitNs)}
	if c.runningNs <= c.waitNs && saved > 0 { // the trace does not show what threads do besides waiting
		return Range{Low: 1}, waitNs
	}
	left := max(c.runningNs-saved-int64(ch.By*float64(inside)), 1)
	high := max(relative(c.runningNs, left), 1)
	return Range{1, high}, waitNs
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
		misfit = "the replay of the unchanged trace does not run to its end"
		if c.deadlock {
			misfit = "the replay of the unchanged trace deadlocks"
		}
	}
	list = append(list, "each thread repeats its work between locks, locks pass on in the recorded way, "+
		"and each thread that can run has a processor")
	if !r.Misfit.Fits() {
		list = append(list, misfit+": ranges include no change")
	}
	if c.rebuilt {
		list = append(list, "sections without waiters are not in the trace: they neither shrink nor contend")
	}
	if n := r.unreplayed; n > 0 {
		list = append(list, fmt.Sprintf(
			"the holds do not fit together after %d of %d changes: their rows are bounds, from no gain to no waiting",
			n,
			len(r.Rows),
		))
	}
	for i := range r.Rows {
		if r.Rows[i].Deadlocks {
			list = append(list, "with the change threads deadlock: some acquire the same locks in another order")
			break
		}
	}
	return list
}
