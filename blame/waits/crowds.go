package waits

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// crowd is those waits in the crowd of a lock of which more is to be told than how long
// they are. What they are charged with is written down once for all of them, and each is
// given what was written since it joined when it leaves: there may be 100,000, and the lock
// may change hands as often.
type crowd struct {
	waits []*Wait
	runs  []run
	apart []*Wait // those that have all runs: if one is still there, the next slice is a run of its own
}

// run is slices of a crowd that follow each other and show the same.
type run struct {
	start, end, ns int64
	direct, root   analysis.Owner
}

// minRuns is how many runs are written down at least before all waits are given them:
// then most have all their parts.
const minRuns = 4 * maxParts

// crowds are the crowds by lock.
type crowds map[format.ObjectID]*crowd

// Crowd implements analysis.CrowdVisitor.
func (c *Longest) Crowd(s *analysis.Slice, _ int) {
	at := c.crowds[s.Lock]
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
func (at *crowd) divided() bool {
	there := slices.ContainsFunc(at.apart, func(w *Wait) bool { return w.inCrowd })
	at.apart = at.apart[:0]
	return there
}

// Moved implements analysis.CrowdVisitor.
func (c *Longest) Moved(m *analysis.Move) {
	w := c.of(m.Thread)
	switch {
	case m.Twice || w == nil || w.Lock != m.Lock:
	case m.Leaves:
		c.leave(w)
	case !w.inCrowd && !w.whole:
		at := c.crowds[m.Lock]
		if at == nil {
			at = &crowd{}
			c.crowds[m.Lock] = at
		}
		w.inCrowd, w.place = true, len(at.waits)
		at.waits = append(at.waits, w)
		at.bringUp(w, len(at.runs))
	}
}

// bringUp gives a wait the runs from one on.
func (at *crowd) bringUp(w *Wait, from int) {
	for i := from; i < len(at.runs) && !w.whole; i++ {
		r := &at.runs[i]
		if w.whole = len(w.Parts) == maxParts && w.told < r.start; !w.whole { // else what is left is known without looking
			w.add(r.start, r.end, &analysis.Share{Ns: r.ns, Direct: r.direct, Root: r.root})
		}
	}
	w.heard, at.apart = len(at.runs), append(at.apart, w)
}

// settle gives all waits what is written, and forgets those that have all their parts.
func (at *crowd) settle() {
	kept := at.waits[:0]
	for _, w := range at.waits {
		at.bringUp(w, w.heard)
		if w.inCrowd = !w.whole; w.inCrowd {
			w.heard, w.place = 0, len(kept)
			kept = append(kept, w)
		}
	}
	clear(at.waits[len(kept):])
	at.waits, at.runs, at.apart = kept, at.runs[:0], at.apart[:0]
}

// leave takes a wait out of its crowd.
func (c *Longest) leave(w *Wait) {
	if !w.inCrowd {
		return
	}
	at := c.crowds[w.Lock]
	at.bringUp(w, w.heard)
	last := len(at.waits) - 1
	at.waits[w.place] = at.waits[last]
	at.waits[w.place].place = w.place
	at.waits[last] = nil
	if at.waits, w.inCrowd = at.waits[:last], false; last == 0 {
		at.runs, at.apart = at.runs[:0], at.apart[:0]
	}
}
