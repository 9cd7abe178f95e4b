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
	Ns     int64 // its whole length; of a sampled wait, the time its samples stand for
	Thread format.ThreadID
	Stack  format.StackID
	Lock   format.ObjectID
	Failed bool // it ended without the lock
	Parts  []Part
	Left   int64 // thread-time charged to further parts, see maxParts

	lastEnd int64 // end of the last part
	cutNs   int64 // of a recorded wait: the time all its slices charge
	listed  bool  // among the longest since it began, as its length was known
	full    bool  // it has maxParts parts, and Left is computed from cutNs

	queued bool // in a queue, which buffers its charges: see queueruns.go
	index  int  // in the queue
	copied int  // the number of runs of the queue that its parts contain
}

// Part is an interval of a wait that is charged to one owner. Several owners at a time
// share it: Ns is then less than its length. All parts and Left sum to the waiting inside
// the filter's cut.
type Part struct {
	Start, End int64
	Ns         int64
	Direct     analysis.Owner
	BlockedNs  int64          // while that owner was itself blocked
	Root       analysis.Owner // the end of the chain of waits in the longest interval in which it was
	rootNs     int64          // length of that interval
}

// maxParts bounds how many owners of one wait are kept.
const maxParts = 64

// Longest is a visitor that keeps the longest waits.
type Longest struct {
	limit  int
	filter func(w *Wait, start int64) bool
	start  int64             // of the trace
	open   blame.ByID[*Wait] // by thread; nil if it is not in a wait that may be among the longest
	queues map[format.ObjectID]*queue
	kept   shortestFirst
	spare  []*Wait // for reuse
}

// NewLongest returns a collector of the limit longest waits.
func NewLongest(limit int) *Longest {
	return &Longest{limit: max(limit, 1), queues: map[format.ObjectID]*queue{}}
}

// Only restricts the collector to waits for which f returns true; start is the begin of the trace.
func (c *Longest) Only(f func(w *Wait, start int64) bool) *Longest {
	c.filter = f
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
		if wait := c.openWait(w.Thread); wait != nil && wait.Lock == s.Lock {
			if wait.queued {
				c.queues[s.Lock].catchUp(wait, wait.copied)
			}
			for j := range s.Shares {
				wait.charge(s.Start, s.End, &s.Shares[j])
			}
		}
	}
}

func (c *Longest) openWait(t format.ThreadID) *Wait {
	if int(t) < len(c.open) {
		return c.open[t]
	}
	return nil
}

// begin opens a wait, unless it is known to be too short. A recorded wait without a filter is
// listed at once, so that no more than limit waits are open.
func (c *Longest) begin(s *analysis.Slice, w *analysis.Waiter) {
	c.close(w.Thread)
	known := !s.Sample.Taken && w.WaitNs > 0 && c.filter == nil
	if !s.Sample.Taken && len(c.kept) == c.limit && w.WaitNs <= c.kept[0].Ns {
		return
	}
	one := c.newWait(
		Wait{
			Start:  s.Start,
			Ns:     w.WaitNs,
			Thread: w.Thread,
			Stack:  w.Stack,
			Lock:   s.Lock,
			Failed: w.Failed,
			cutNs:  w.CutNs,
			listed: known,
		},
	)
	*c.open.Entry(int(w.Thread)) = one
	if known {
		c.insert(one)
	}
}

// insert lists a wait in place of the shortest one, if it is longer. The other of the two is
// dropped and no longer followed: of 100,000 open waits most are known to be too short when
// others begin.
func (c *Longest) insert(w *Wait) {
	switch {
	case len(c.kept) < c.limit:
		heap.Push(&c.kept, w)
		return
	case w.Ns > c.kept[0].Ns:
		w, c.kept[0] = c.kept[0], w
		heap.Fix(&c.kept, 0)
	}
	if c.openWait(w.Thread) == w {
		c.open[w.Thread] = nil
		c.leave(w)
	}
	c.spare = append(c.spare, w)
}

// newWait returns a wait, in the memory of a dropped one if there is any.
func (c *Longest) newWait(w Wait) *Wait {
	if n := len(c.spare); n > 0 {
		old := c.spare[n-1]
		c.spare = c.spare[:n-1]
		w.Parts = old.Parts[:0]
		*old = w
		return old
	}
	return &w
}

// close ends the wait of a thread and lists it if it is long enough.
func (c *Longest) close(t format.ThreadID) {
	w := c.openWait(t)
	if w == nil {
		return
	}
	c.open[t] = nil
	c.leave(w)
	if w.full {
		w.Left = 0
		w.Left = w.cutNs - w.charged()
	}
	w.Ns = cmp.Or(w.Ns, w.charged())
	switch {
	case w.listed:
	case w.Ns == 0 || c.filter != nil && !c.filter(w, c.start):
		c.spare = append(c.spare, w)
	default:
		c.insert(w)
	}
}

// charge charges a share of a slice to its owner, extending the part that it continues.
func (w *Wait) charge(start, end int64, sh *analysis.Share) {
	p := w.partFor(sh, start)
	switch {
	case p == nil && len(w.Parts) == maxParts:
		w.Left += sh.Ns
		return
	case p == nil:
		w.Parts = append(w.Parts, Part{Start: start, Direct: sh.Direct, Root: sh.Direct})
		p = &w.Parts[len(w.Parts)-1]
	}
	p.End, w.lastEnd = end, end
	p.addShare(sh)
}

// partFor returns the part that a share continues; nil if it begins one.
func (w *Wait) partFor(sh *analysis.Share, start int64) *Part {
	if w.lastEnd < start {
		return nil // no part reaches the slice
	}
	for i := len(w.Parts) - 1; i >= 0; i-- {
		if p := &w.Parts[i]; p.End == start && p.Direct == sh.Direct {
			return p
		}
	}
	return nil
}

func (p *Part) addShare(sh *analysis.Share) {
	p.Ns += sh.Ns
	if sh.Root == sh.Direct.Cause() {
		return
	}
	p.BlockedNs += sh.Ns
	if sh.Ns > p.rootNs {
		p.Root, p.rootNs = sh.Root, sh.Ns
	}
}

// charged returns the sum of the parts and Left.
func (w *Wait) charged() int64 {
	ns := w.Left
	for i := range w.Parts {
		ns += w.Parts[i].Ns
	}
	return ns
}

// Waits ends all waits and returns the longest, in descending order. Nothing can be added
// after it.
func (c *Longest) Waits() []*Wait {
	for t := range c.open {
		c.close(format.ThreadID(t))
	}
	return slices.SortedFunc(slices.Values(c.kept), func(a, b *Wait) int {
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
