package blame

import "contend/analysis"

// Sum is the sum of a row.
type Sum struct {
	ThreadNs     int64 // waiting thread-time
	WallNs       int64 // duration of the union of its intervals
	Waits        int64 // that begin in the row, see Charge
	ByProvenance analysis.Known
}

// accumulator is an unfinished sum: Finish sets its WallNs.
type accumulator struct {
	sum  Sum
	wall analysis.Union
}

// AddCharge adds a charge to the direct owner or to the root.
func (a *accumulator) AddCharge(c *Charge, root bool) {
	a.sum.ThreadNs += c.ThreadNs()
	a.sum.Waits += c.Begins
	a.wall.AddSlice(c.Slice)
	for i := range c.Shares {
		sh := &c.Shares[i]
		a.sum.ByProvenance.AddWaiting(sh.Owner(root).Prov, sh.Ns*int64(c.N))
	}
}

// Finish returns the sum. Its wall-time is at most its thread-time: one of several readers is charged
// a part of each instant only.
func (a *accumulator) Finish() Sum {
	a.sum.WallNs = min(a.wall.Len(), a.sum.ThreadNs)
	return a.sum
}
