package waits

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// queue is the waits in the long queue of a lock that may be kept. What they are charged with is written down once for all of them, and each is
// given what was written since it joined when it leaves: there may be 100,000, and the lock
// may change hands as often.
type queue struct {
	waits []*Wait
	runs  []run
	apart []*Wait // those that have all runs: if one is still there, the next slice is a run of its own
}

// run is slices of a queue that follow each other and have the same owners.
type run struct {
	start, end, ns int64
	direct, root   analysis.Owner
}

// minRuns is how many runs are written down at least before all waits are given them:
// then most have all their parts.
const minRuns = 4 * maxParts

// queues are the queues by lock.
type queues map[format.ObjectID]*queue

// QueueSlice implements analysis.QueueVisitor.
func (c *Longest) QueueSlice(s *analysis.Slice, _ int) {
	at := c.queues[s.Lock]
	if at == nil || len(at.waits) == 0 {
		return
	}
	sh := &s.Shares[0]
	if n := len(at.runs); n > 0 && !at.divided() {
		if last := &at.runs[n-1]; last.end == s.Start && last.direct == sh.Direct && last.root == sh.Root {
			last.end, last.ns = s.End, last.ns+sh.Ns
			return
		}
	}
	if len(at.runs) >= max(minRuns, len(at.waits)) {
		at.settle()
	}
	at.runs = append(at.runs, run{s.Start, s.End, sh.Ns, sh.Direct, sh.Root})
}

// divided reports whether some wait has to do with the next slice and not with the last
// run.
func (at *queue) divided() bool {
	there := slices.ContainsFunc(at.apart, func(w *Wait) bool { return w.queued })
	at.apart = at.apart[:0]
	return there
}

// QueueChanged implements analysis.QueueVisitor.
func (c *Longest) QueueChanged(m *analysis.QueueChange) {
	w := c.of(m.Thread)
	switch {
	case w == nil || w.Lock != m.Lock:
	case m.Leaves:
		c.leave(w)
	case !w.queued && !w.whole:
		at := c.queues[m.Lock]
		if at == nil {
			at = &queue{}
			c.queues[m.Lock] = at
		}
		w.queued, w.place = true, len(at.waits)
		at.waits = append(at.waits, w)
		at.bringUp(w, len(at.runs))
	}
}

// bringUp gives a wait the runs from one on.
func (at *queue) bringUp(w *Wait, from int) {
	for i := from; i < len(at.runs) && !w.whole; i++ {
		r := &at.runs[i]
		if w.whole = len(w.Parts) == maxParts && w.told < r.start; !w.whole { // else what is left is known without looking
			w.add(r.start, r.end, &analysis.Share{Ns: r.ns, Direct: r.direct, Root: r.root})
		}
	}
	w.heard, at.apart = len(at.runs), append(at.apart, w)
}

// settle gives all waits what is written, and forgets those that have all their parts.
func (at *queue) settle() {
	kept := at.waits[:0]
	for _, w := range at.waits {
		at.bringUp(w, w.heard)
		if w.queued = !w.whole; w.queued {
			w.heard, w.place = 0, len(kept)
			kept = append(kept, w)
		}
	}
	clear(at.waits[len(kept):])
	at.waits, at.runs, at.apart = kept, at.runs[:0], at.apart[:0]
}

// leave takes a wait out of its queue.
func (c *Longest) leave(w *Wait) {
	if !w.queued {
		return
	}
	at := c.queues[w.Lock]
	at.bringUp(w, w.heard)
	last := len(at.waits) - 1
	at.waits[w.place] = at.waits[last]
	at.waits[w.place].place = w.place
	at.waits[last] = nil
	if at.waits, w.queued = at.waits[:last], false; last == 0 {
		at.runs, at.apart = at.runs[:0], at.apart[:0]
	}
}
