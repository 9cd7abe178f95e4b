package waits

import (
	"cmp"
	"container/heap"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Wait is a wait of one thread for one lock. Times are nanoseconds.
type Wait struct {
	Start  int64
	Ns     int64 // its whole length; of a sampled wait what its samples stand for
	Thread format.ThreadID
	Stack  format.StackID
	Lock   format.ObjectID
	Failed bool // it ended without the lock
	Parts  []Part
	Left   int64 // thread-time of further parts, see maxParts

	told   int64 // when the last part ends
	cutNs  int64 // of a recorded wait: what all slices of it charge
	place  int   // in its queue
	heard  int   // so many of its runs
	queued bool
	kept   bool // since it began: its length was known
	whole  bool // has all its parts, and the rest was not looked at
}

// Part is an interval of a wait that one owner is charged with. Several owners at
// a time share it: Ns is then less than its length. The parts, with what was
// left out, sum to the waiting inside the filter's cut.
type Part struct {
	Start, End int64
	Ns         int64
	Direct     analysis.Owner
	BlockedNs  int64          // while that owner was itself blocked
	Root       analysis.Owner // what it then mostly came down to: the end of the chain in the longest interval
	rootNs     int64          // of that interval
}

// maxParts bounds how many owners of one wait are kept.
const maxParts = 64

// Longest is a visitor that keeps the longest waits.
type Longest struct {
	most   int
	only   func(w *Wait, start int64) bool
	start  int64             // of the trace
	open   blame.ByID[*Wait] // by thread; nil when the thread has none that may be kept
	queues map[format.ObjectID]*queue
	found  shortestFirst
	spare  []*Wait
}

// NewLongest returns a collector of so many waits.
func NewLongest(most int) *Longest {
	return &Longest{most: max(most, 1), queues: map[format.ObjectID]*queue{}}
}

// Only keeps no waits but those for which f holds, of a trace that begins at start.
func (c *Longest) Only(f func(w *Wait, start int64) bool) *Longest {
	c.only = f
	return c
}

// Begin implements analysis.Visitor.
func (c *Longest) Begin(_ *analysis.Symbols, start int64) { c.start = start }

// Slice implements analysis.Visitor.
func (c *Longest) Slice(s *analysis.Slice) {
	for i := range s.Waiters {
		w := &s.Waiters[i]
		if w.Again {
			continue
		}
		if w.First {
			c.begin(s, w)
		}
		if wait := c.of(w.Thread); wait != nil && wait.Lock == s.Lock {
			if wait.queued {
				c.queues[s.Lock].bringUp(wait, wait.heard)
			}
			for j := range s.Shares {
				wait.add(s.Start, s.End, &s.Shares[j])
			}
		}
	}
}

func (c *Longest) of(t format.ThreadID) *Wait {
	if int(t) < len(c.open) {
		return c.open[t]
	}
	return nil
}

// begin opens a wait, unless it is known to be too short.
func (c *Longest) begin(s *analysis.Slice, w *analysis.Waiter) {
	c.close(w.Thread)
	early := !s.Sample.Taken && w.WaitNs > 0 && c.only == nil
	if !s.Sample.Taken && len(c.found) == c.most && w.WaitNs <= c.found[0].Ns {
		return
	}
	one := c.take(Wait{Start: s.Start, Ns: w.WaitNs, Thread: w.Thread, Stack: w.Stack, Lock: s.Lock, Failed: w.Failed, cutNs: w.CutNs, kept: early})
	if *c.open.At(int(w.Thread)) = one; early {
		c.keep(one)
	}
}

// keep keeps a wait instead of the shortest one, if it is longer. Of 100,000 waits that are
// open at a time most are known to be too short when others begin.
func (c *Longest) keep(w *Wait) {
	switch {
	case len(c.found) < c.most:
		heap.Push(&c.found, w)
		return
	case w.Ns > c.found[0].Ns:
		w, c.found[0] = c.found[0], w
		heap.Fix(&c.found, 0)
	}
	if c.of(w.Thread) == w {
		c.open[w.Thread] = nil
		c.leave(w)
	}
	c.spare = append(c.spare, w)
}

// take returns room for a wait: that of one which was not kept, if there is any.
func (c *Longest) take(w Wait) *Wait {
	if n := len(c.spare); n > 0 {
		old := c.spare[n-1]
		c.spare = c.spare[:n-1]
		w.Parts = old.Parts[:0]
		*old = w
		return old
	}
	return &w
}

// close keeps the wait a thread was in, if it is long enough.
func (c *Longest) close(t format.ThreadID) {
	w := c.of(t)
	if w == nil {
		return
	}
	c.open[t] = nil
	c.leave(w)
	if w.whole {
		w.Left = 0
		w.Left = w.cutNs - w.charged()
	}
	w.Ns = cmp.Or(w.Ns, w.charged())
	switch {
	case w.kept:
	case w.Ns == 0 || c.only != nil && !c.only(w, c.start):
		c.spare = append(c.spare, w)
	default:
		c.keep(w)
	}
}

// add charges a share of a slice to its owner. One that goes on is one part.
func (w *Wait) add(start, end int64, sh *analysis.Share) {
	p := w.last(sh, start)
	switch {
	case p == nil && len(w.Parts) == maxParts:
		w.Left += sh.Ns
		return
	case p == nil:
		w.Parts = append(w.Parts, Part{Start: start, Direct: sh.Direct, Root: sh.Direct})
		p = &w.Parts[len(w.Parts)-1]
	}
	p.End, w.told = end, end
	p.add(sh)
}

// last returns the part that a share continues, nil when it begins one.
func (w *Wait) last(sh *analysis.Share, start int64) *Part {
	if w.told < start {
		return nil // not even the last one
	}
	for i := len(w.Parts) - 1; i >= 0; i-- {
		if p := &w.Parts[i]; p.End == start && p.Direct == sh.Direct {
			return p
		}
	}
	return nil
}

func (p *Part) add(sh *analysis.Share) {
	p.Ns += sh.Ns
	if sh.Root == sh.Direct.Cause() {
		return
	}
	p.BlockedNs += sh.Ns
	if sh.Ns > p.rootNs {
		p.Root, p.rootNs = sh.Root, sh.Ns
	}
}

// charged is how much waiting the parts sum to.
func (w *Wait) charged() int64 {
	ns := w.Left
	for i := range w.Parts {
		ns += w.Parts[i].Ns
	}
	return ns
}

// Waits returns the longest waits, the longest first; nothing can be added any
// more.
func (c *Longest) Waits() []*Wait {
	for t := range c.open {
		c.close(format.ThreadID(t))
	}
	return slices.SortedFunc(slices.Values(c.found), func(a, b *Wait) int {
		return cmp.Or(cmp.Compare(b.Ns, a.Ns), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Thread, b.Thread))
	})
}

// shortestFirst is a heap.
type shortestFirst []*Wait

func (h shortestFirst) Len() int { return len(h) }
func (h shortestFirst) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].Ns, h[j].Ns), cmp.Compare(h[j].Start, h[i].Start)) < 0
}
func (h shortestFirst) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *shortestFirst) Push(w any)   { *h = append(*h, w.(*Wait)) }
func (h *shortestFirst) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// queue holds the candidates among the waits of one long queue. Charges are buffered once per
// queue as runs, and a wait copies the runs since it joined when it leaves: there may be
// 100,000 waits, and the lock may change hands as often.
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

// minRuns is the number of buffered runs before all waits copy them. By then most waits have
// maxParts parts and copy none.
const minRuns = 4 * maxParts

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
		at := blame.At(c.queues, m.Lock)
		w.queued, w.place = true, len(at.waits)
		at.waits = append(at.waits, w)
		at.bringUp(w, len(at.runs))
	}
}

// bringUp gives a wait the runs from one on.
func (at *queue) bringUp(w *Wait, from int) {
	for i := from; i < len(at.runs) && !w.whole; i++ {
		r := &at.runs[i]
		if w.whole = len(w.Parts) == maxParts && w.told < r.start; !w.whole { // else the rest is known without looking
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
