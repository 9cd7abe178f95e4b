package blame

import "contend/analysis"

// Singles implements analysis.SinglesVisitor, where no key tells waiters apart.
func (p *Pivot) Singles(s *analysis.Singles) bool {
	if p.each || p.rec.Sampled() {
		return false
	}
	p.rowsOf(s)
	for i := range s.Slices {
		one := &s.Slices[i]
		p.total.wall.AddRecorded(one.Start, one.End, s.NoEarlierStart)
		number := p.alike[one.Alike]
		r := &p.rows[number]
		r.wall.AddRecorded(one.Start, one.End, s.NoEarlierStart)
		waiters := s.Waiters(one)
		if one.Begins > 0 {
			p.total.Waits += int64(one.Begins)
			p.waits.Begin(waiters)
		}
		for j := range waiters {
			if p.waits.IsNew(number, waiters[j].Thread) {
				r.Waits++
			}
		}
	}
	return true
}

// rowsOf finds the rows of slices, by what these have in common, and adds the waiting to
// them.
func (p *Pivot) rowsOf(s *analysis.Singles) {
	p.alike = p.alike[:0]
	for i := range s.Alike {
		a := &s.Alike[i]
		*p.groups.lastOf(a.Lock) = 0
		charge := ChargeOf(a.Lock, &a.Share, p.root)
		row := p.row(a.Lock, &analysis.Waiter{}, &charge)
		p.alike = append(p.alike, row)
		p.rows[row].addTime(a.Ns, charge.Owner.Prov)
		p.total.addTime(a.Ns, charge.Owner.Prov)
	}
}
