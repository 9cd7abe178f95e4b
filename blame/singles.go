package blame

import "contend/analysis"

// Singles implements analysis.SinglesVisitor, where no key tells waiters apart.
func (p *Pivot) Singles(s *analysis.Singles) bool {
	if p.each || p.rec.Sampled() {
		return false
	}
	p.rowsOf(s)
	moved := s.Moved()
	for i := range s.Slices {
		if moved {
			p.follow(s.Moves(i))
		}
		one := &s.Slices[i]
		p.total.wall.AddRecorded(one.Start, one.End, s.NoEarlierStart)
		number := p.alike[one.Alike]
		r := &p.rows[number]
		r.wall.AddRecorded(one.Start, one.End, s.NoEarlierStart)
		if one.Crowd {
			r.Waits += p.kinds.Of(s.Alike[one.Alike].Lock)[0].Meets(number, &p.waits)
			continue
		}
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

func (p *Pivot) follow(moves []analysis.Move) {
	for i := range moves {
		p.kinds.Move(&moves[i])
	}
}

// Moved implements analysis.CrowdVisitor.
func (p *Pivot) Moved(m *analysis.Move) {
	if p.summed() {
		p.moveApart(m)
	} else {
		p.kinds.Move(m)
	}
}

// Crowd implements analysis.CrowdVisitor.
func (p *Pivot) Crowd(s *analysis.Slice, n int) {
	sh := &s.Shares[0]
	charge := ChargeOf(s.Lock, sh, p.root)
	p.total.Add(s, sh.Ns, n, charge.Owner.Prov)
	*p.groups.lastOf(s.Lock) = 0
	p.limit()
	switch {
	case !p.summed():
	case p.heaviest != nil:
		p.writeCrowd(s, &charge)
	default:
		p.chargeApart(s, &charge)
	}
	for _, k := range p.kinds.Of(s.Lock) {
		if p.heaviest != nil {
			p.writeAlone(s, &k.Waiter, k.Len())
			continue
		}
		row := p.row(s.Lock, &k.Waiter, &charge)
		r := p.charge(row, s, sh.Ns, &k.Waiter, k.Len(), &charge)
		r.Waits += k.Meets(row, &p.waits)
	}
}
