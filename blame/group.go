package blame

import (
	"contend/analysis"
	"contend/format"
)

// groups is what a pivot remembers of slices that are alike, see analysis.Group:
// their row, where no key tells waiters apart.
type groups struct {
	rows analysis.ByGroup[int]
	last []int // by lock: the row that its last slice was charged to, from 1; 0 when there are several, or none
}

// lastOf returns the place of the row that the last slice of a lock was charged to.
func (g *groups) lastOf(lock format.ObjectID) *int {
	for len(g.last) <= int(lock) {
		g.last = append(g.last, 0)
	}
	return &g.last[lock]
}

// Stretch implements analysis.StretchVisitor.
func (p *Pivot) Stretch(s *analysis.Stretch) bool {
	if p.each {
		return false
	}
	p.total.wall.AddStretch(s)
	for i := range s.Groups {
		g := &s.Groups[i]
		row := p.rowOf(g)
		r := &p.rows[row]
		r.wall.AddStretch(s)
		p.rec.Add(r.series, s.Start, s.End, s.Length(), len(g.Waiters))
		p.countWaits(s, i, row)
	}
	return true
}

// Tally implements analysis.TallyVisitor.
func (p *Pivot) Tally(w *analysis.Waiting, length, n int64) {
	if p.each {
		return
	}
	p.total.Waits += n * w.Begins
	for i := range w.Groups {
		g := &w.Groups[i]
		ns, prov := length*int64(len(g.Waiters)), g.Share.Owner(p.root).Prov
		p.total.addTime(ns, prov)
		p.rows[p.rowOf(g)].addTime(ns, prov)
	}
}

// rowOf returns the row of a group.
func (p *Pivot) rowOf(g *analysis.Group) int {
	row, known := p.groups.rows.At(g.Number)
	if !known {
		charge := ChargeOf(g.Lock, &g.Share, p.root)
		*row = p.row(g.Lock, &g.Waiters[0], &charge)
	}
	return *row
}

// countWaits counts the waits of a group in its row.
func (p *Pivot) countWaits(s *analysis.Stretch, group, row int) {
	of := &s.Groups[group]
	last := p.groups.lastOf(of.Lock)
	same := *last == row+1
	*last = row + 1
	for _, b := range s.Begun(group) {
		p.waits.begin(b.Thread)
		if same && p.waits.IsNew(row, b.Thread) {
			p.rows[row].Waits++
		}
	}
	if same {
		return // all others were counted there
	}
	for i := range of.Waiters {
		if p.waits.IsNew(row, of.Waiters[i].Thread) {
			p.rows[row].Waits++
		}
	}
}
