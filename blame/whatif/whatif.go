// Package whatif predicts what a change to a program would bring, as a range. A
// trace with the tenures of locks is replayed with the change: each thread is a
// program of intervals between acquiring and releasing locks, which keep their
// lengths, and of locks it has to wait for anew. The first replay is without a
// change: what it misses the trace by widens the ranges.
//
// Locks are handed over as they were: each wait of the trace says how long the lock
// was free while its thread was next, how many later threads got it first, and which
// took it at once meanwhile. The replay repeats all that, as far as it comes to a wait,
// so without a change it gives the trace again.
//
// The ends of a range are a closed loop, in which a thread that gets through sooner
// begins its next round sooner, and an open one, in which what it waited for outside
// of locks comes when it came in the trace (Lindley's recursion, for each thread).
// Sleeps keep their length in both. Where tenures were rebuilt there is a third: time
// in which the lock only seems free shrinks too, by the section's part of other waits.
// The results are compared with the trace, and with the same program hardly changed:
// the range holds both.
//
// There are as many processors as threads: a running thread may compute or do something
// that is not recorded. Where a recording says that no processor was idle the answer
// says so.
//
// Rebuilt tenures are made to fit together first: no thread holds what it waits for, or
// acquires or releases a lock while it waits for another. Where they still do not
// fit, ranges are wider by as much and reach to no change; where they lock up, and of
// samples, only bounds are known.
//
//	whatif.go    the question and the answer
//	predict.go   ranges from replays, and how well these fit
//	chance.go    how far two runs of one program differ
//	parts.go     threads and locks that never meet are replayed apart
//	replay.go    the replay: threads, locks, queues
//	queue.go     what is due next
//	program.go   the program of a thread
//	handover.go  how locks were handed over
//	permits.go   how many threads may hold a semaphore
//	settle.go    rebuilt tenures made to fit together
//	ceiling.go   operational bounds
//	change.go    changes in the numbers of a trace
//	sections.go  the names of sections and classes
//	collect.go   what is taken from the trace
//
// Sources. Coz (Curtsinger and Berger, SOSP 2015): the question, what a speed-up
// of one piece brings to the whole; there by slowing down all else in a run, here
// from a trace. wPerf (Zhou et al., OSDI 2018): waiting is followed to where it
// ends, whatever it is for; idle time is kept apart as there. Critical lock analysis
// (Chen and Stenstrom, SC 2012): a section counts as far as others depend on it in the
// order of the run, not by how long threads wait for it. SyncPerf (Alam et al., EuroSys
// 2017): the remedy depends on what is wrong with a lock; package findings names it.
// Eyerman and Eeckhout (ISCA 2010): sections bound a speed-up by how often they
// collide; the range for stripes spreads tenures by chance as their model does.
package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Row is what one change would bring.
type Row struct {
	Change
	Throughput Range   // acquisitions in the same time, over those of the trace
	WaitNs     Range   // of all threads
	Ceiling    float64 // of Throughput, by what locks and threads can do at most; 0 where the trace has no tenures
	Locks      bool    // in the replay threads come to wait for each other for ever
}

// Result is what several changes would bring.
type Result struct {
	Rows        []Row
	Replayed    bool // else the rows are bounds
	Locked      bool // and in it threads come to wait for each other for ever
	Misfit      Misfit
	WaitNs      int64 // of the trace
	Assumptions []string
}

// Predict says what changes would bring, each for itself. The error names what
// the trace does not have.
func (c *Collector) Predict(changes []Change) (*Result, error) {
	out := &Result{WaitNs: c.waitNs}
	var m *replays
	if out.Replayed = c.replayable(); out.Replayed {
		m = newReplays(c)
		out.Misfit, out.Locked = m.misfit, m.base[0].stuck
	}
	for _, ch := range changes {
		e, err := c.effect(&ch)
		if err != nil {
			return nil, err
		}
		row := Row{Change: c.named(ch)}
		if m != nil {
			row.Throughput, row.WaitNs, row.Locks = m.predict(e)
			if row.Locks && c.rebuilt {
				row.Throughput, row.WaitNs = c.bound(&ch, e)
			}
			row.Locks = row.Locks && !out.Locked
			row.Ceiling = max(m.demand.ceiling(c, e)*(1+c.unrest()), row.Throughput.High)
		} else {
			row.Throughput, row.WaitNs = c.bound(&ch, e)
		}
		out.Rows = append(out.Rows, row)
	}
	out.Assumptions = c.assumptions(out)
	return out, nil
}

// Rank predicts what it would bring to make each of the sections that cause
// most waiting shorter by a part, the most rewarding one first.
func (c *Collector) Rank(by float64, top int) (*Result, error) {
	var changes []Change
	for _, s := range c.Sections() {
		if top > 0 && len(changes) == top {
			break
		}
		changes = append(changes, Change{Kind: Shrink, Section: s.Method, Class: s.Class, By: by})
	}
	out, err := c.Predict(changes)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(out.Rows, func(a, b Row) int {
		return cmp.Or(-cmp.Compare(a.Throughput.middle(), b.Throughput.middle()), cmp.Compare(a.WaitNs.middle(), b.WaitNs.middle()))
	})
	return out, nil
}

func (r Range) middle() float64 { return math.Sqrt(r.Low * r.High) }

// bound says what a change can bring at most where only samples tell the owners of
// a lock: that no thread waits any more for those it concerns, and that all this
// time, and what owners spend less in the section themselves, becomes work; and
// at least nothing.
func (c *Collector) bound(ch *Change, e *effect) (throughput, waitNs Range) {
	var saved, inside int64
	for class, ns := range c.waited {
		if e.classes[c.sym.Classes().Name(class)] {
			saved += ns
		}
	}
	for section, ns := range c.passed {
		if e.shrinks(section) || among(e.readers, section) {
			saved += ns
		}
	}
	for section, when := range c.held {
		if e.shrinks(section) {
			inside += when.Len()
		}
	}
	saved = min(saved, c.waitNs) // a wait for several of them counts for each
	left := max(c.runningNs-saved-int64(ch.By*float64(inside)), 1)
	high := max(ratio(c.runningNs, left), 1)
	return Range{1, high}, Range{float64(c.waitNs - saved), float64(c.waitNs)}
}

// assumptions says what a reader must know to believe the result.
func (c *Collector) assumptions(r *Result) (list []string) {
	if c.waitNs == 0 {
		return []string{"nobody waited for a lock: there is nothing to win"}
	}
	if len(r.Rows) == 0 {
		return []string{"who held the locks that were waited for is not known: there is no section to make shorter"}
	}
	if c.deadlock && !r.Replayed {
		list = append(list, "threads that wait for each other for ever do so whatever sections take")
	}
	if !r.Replayed {
		return append(list, "the trace does not tell when locks were given back: rows are bounds, from nothing won to no waiting left")
	}
	misses := fmt.Sprintf("run again as it is the trace misses itself by more than %.0f %%", tooFar*100)
	if r.Locked {
		misses = "run again as it is the trace locks itself up"
	}
	list = append(list, "each thread repeats what it did between locks, locks are handed over as they were, and there is a processor for everyone who can run")
	if !r.Misfit.Fits() {
		list = append(list, misses+": ranges reach to no change")
	}
	if c.rebuilt {
		list = append(list, "sections for which nobody waited are not in the trace: they neither shrink nor get into each other's way")
	}
	for i := range r.Rows {
		if r.Rows[i].Locks {
			list = append(list, "with a change threads come to wait for each other for ever: some take the same locks in another order")
			break
		}
	}
	return list
}
