package waits

import (
	"slices"

	"contend/analysis"
	"contend/blame"
)

// queue holds the open waits of a long queue. Charges are buffered as runs, once per queue,
// and a wait copies the runs since it joined when it leaves: there may be 100,000 waits, and
// the lock may change hands as often.
type queue struct {
	waits    []*Wait
	runs     []run
	upToDate []*Wait // they have copied all runs: while one is queued, the next slice begins a run
}

// run is a sequence of adjacent slices of a queue with the same owners.
type run struct {
	start, end, ns int64
	direct, root   analysis.Owner
}

// minRuns is the number of buffered runs before all waits copy them. By then most waits have
// maxParts parts and copy none.
const minRuns = 4 * maxParts

// QueueSlice implements analysis.QueueVisitor.
func (c *Longest) QueueSlice(s *analysis.Slice, _ int) {
	q := c.queues[s.Lock]
	if q == nil || len(q.waits) == 0 {
		return
	}
	sh := &s.Shares[0]
	if n := len(q.runs); n > 0 && !q.splits() {
		if last := &q.runs[n-1]; last.end == s.Start && last.direct == sh.Direct && last.root == sh.Root {
			last.end, last.ns = s.End, last.ns+sh.Ns
			return
		}
	}
	if len(q.runs) >= max(minRuns, len(q.waits)) {
		q.flush()
	}
	q.runs = append(q.runs, run{s.Start, s.End, sh.Ns, sh.Direct, sh.Root})
}

// splits reports whether the next slice must begin a run: a wait in the queue has copied the
// last one.
func (q *queue) splits() bool {
	split := slices.ContainsFunc(q.upToDate, func(w *Wait) bool { return w.queued })
	q.upToDate = q.upToDate[:0]
	return split
}

// QueueChanged implements analysis.QueueVisitor.
func (c *Longest) QueueChanged(m *analysis.QueueChange) {
	w := c.openWait(m.Waiter.Thread)
	switch {
	case w == nil || w.Lock != m.Lock:
	case m.Leaves:
		c.leave(w)
	case !w.queued && !w.full:
		q := blame.Entry(c.queues, m.Lock)
		w.queued, w.index = true, len(q.waits)
		q.waits = append(q.waits, w)
		q.catchUp(w, len(q.runs))
	}
}

// catchUp copies the runs from one on into the parts of a wait.
func (q *queue) catchUp(w *Wait, from int) {
	for i := from; i < len(q.runs) && !w.full; i++ {
		r := &q.runs[i]
		w.full = len(w.Parts) == maxParts && w.lastEnd < r.start
		if !w.full {
			w.charge(r.start, r.end, &analysis.Share{Ns: r.ns, Direct: r.direct, Root: r.root})
		}
	}
	w.copied, q.upToDate = len(q.runs), append(q.upToDate, w)
}

// flush lets all waits copy the runs, removes those with maxParts parts, and empties the buffer.
func (q *queue) flush() {
	kept := q.waits[:0]
	for _, w := range q.waits {
		q.catchUp(w, w.copied)
		w.queued = !w.full
		if w.queued {
			w.copied, w.index = 0, len(kept)
			kept = append(kept, w)
		}
	}
	clear(q.waits[len(kept):])
	q.waits = kept
	q.runs = q.runs[:0]
	q.upToDate = q.upToDate[:0]
}

// leave removes a wait from its queue after it has copied the runs.
func (c *Longest) leave(w *Wait) {
	if !w.queued {
		return
	}
	q := c.queues[w.Lock]
	q.catchUp(w, w.copied)
	last := len(q.waits) - 1
	q.waits[w.index] = q.waits[last]
	q.waits[w.index].index = w.index
	q.waits[last] = nil
	q.waits, w.queued = q.waits[:last], false
	if last == 0 {
		q.runs, q.upToDate = q.runs[:0], q.upToDate[:0]
	}
}
