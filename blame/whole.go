package blame

import (
	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/analysis/durations"
	"contend/format"
)

// Whole describes the waits that begin in a row of locks.
type Whole struct {
	First   format.ObjectID // the lock that was waited for first
	Threads ThreadSet
	Failed  int64 // waits that ended without the lock
	MaxNs   int64 // 0 when waits were only sampled
	Lengths durations.Distribution

	Reacquired   int64 // waits whose beginning is estimated, see analysis.Reacquired
	ReacquiredNs int64 // their part in the cut of the filter
}

// Whole makes a pivot by lock or by class describe whole waits, including those of length zero.
func (p *Pivot) Whole() *Pivot {
	p.whole, p.also = true, func(row int, c Charge) {
		if row == len(p.wholes) {
			p.wholes = append(p.wholes, Whole{First: c.Slice.Lock})
		}
		for i := range c.Slice.Waiters { // the slice lists those whose wait begins
			w := &c.Slice.Waiters[i]
			p.wholes[row].addWaiter(w, c.Slice)
			if w.First && !c.Slice.Sample.Taken && p.reacquires(w.Stack) {
				p.wholes[row].Reacquired++
				p.wholes[row].ReacquiredNs += w.CutNs
			}
		}
	}
	return p
}

// reacquires reports whether a wait with this stack is one of analysis.Reacquired.
func (p *Pivot) reacquires(stack format.StackID) bool {
	known := p.reacquired.Entry(int(stack))
	if *known == unknownStack {
		*known = otherStack
		if analysis.Reacquires(p.keys.sym.Frames(stack)) {
			*known = reacquiringStack
		}
	}
	return *known == reacquiringStack
}

// What is known of a stack, by Pivot.reacquired.
const (
	unknownStack uint8 = iota
	otherStack
	reacquiringStack
)

// addWaiter adds a waiter of a slice. The threads of sums are unknown.
func (w *Whole) addWaiter(by *analysis.Waiter, in *analysis.Slice) {
	sampled := in.Sample.Taken
	if (by.First || sampled) && !in.Summed { // otherwise it was added when the wait began
		w.Threads.Insert(by.Thread)
	}
	if by.First && by.Failed {
		w.Failed++
	}
	if by.First && !sampled { // otherwise the duration is unknown
		w.MaxNs = max(w.MaxNs, by.WaitNs)
		w.Lengths.Record(by.WaitNs)
	}
}

// Join adds the waits of another row.
func (w *Whole) Join(o *Whole) {
	w.Threads.Join(&o.Threads)
	w.Failed, w.MaxNs = w.Failed+o.Failed, max(w.MaxNs, o.MaxNs)
	w.Lengths.Merge(&o.Lengths)
	w.Reacquired, w.ReacquiredNs = w.Reacquired+o.Reacquired, w.ReacquiredNs+o.ReacquiredNs
}

// Len returns the number of rows.
func (p *Pivot) Len() int { return len(p.rows) }

// WholeRow returns the sum of a row of Whole without its wall-time, and the id of the row.
func (p *Pivot) WholeRow(row int) (id uint32, s *Sum, w *Whole) {
	return p.index.IDs(row)[0], &p.rows[row].acc.sum, &p.wholes[row]
}

// WallNs returns the wall-time of a row.
func (p *Pivot) WallNs(row int) int64 { return p.rows[row].acc.Finish().WallNs }

// With returns the row with an id, -1 if there is none.
func (p *Pivot) With(id uint32) int { return p.index.met.number([]uint32{id}) }

// Estimate returns the thread-time of a row in nanoseconds and its part of the running time,
// each with its 95 % interval; false if the trace is exact or the row is beyond the bound. Nothing
// may be added afterwards.
func (p *Pivot) Estimate(row int) (ns, part bootstrap.Estimate, ok bool) {
	series := p.rows[row].series
	if series == bootstrap.NoSeries {
		return ns, part, false
	}
	if p.cells == nil {
		p.cells = p.rec.Finish()
	}
	s := p.cells.Series(series)
	return p.cells.Rate(s).Scale(float64(p.cells.Span())), p.cells.Ratio(s, p.cells.Series(bootstrap.Running)), true
}

// Symbols returns the symbols of the trace.
func (p *Pivot) Symbols() *analysis.Symbols { return p.keys.sym }
