package blame

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// apart is how a pivot whose rows tell threads apart sums what those in crowds are
// charged. Nobody waits elsewhere meanwhile, so that the time of a row in crowds is that
// of its wall, too.
type apart struct {
	threads bool // some key does
	stays   *Stays
	rows    []int32 // by pair of the stays
	charges map[chargeOf]int
	known   []analysis.Provenance // by charge
}

// chargeOf is what those who wait for a lock have in common of the rows they are charged
// to.
type chargeOf struct {
	lock  format.ObjectID
	owner int // in the numbers of owners
	known analysis.Provenance
}

// tellApart begins to, if some key does.
func (p *Pivot) tellApart() {
	p.apart = apart{stays: newStays(p.kinds.number), charges: map[chargeOf]int{}}
	p.apart.threads = slices.Contains(p.by, ByWaiterThread)
	p.waits.apart = p.apart.threads
}

// summed reports whether crowds are: samples want to be heard one by one.
func (p *Pivot) summed() bool { return p.apart.threads && !p.rec.Sampled() }

// moveApart follows who joins a crowd or leaves it. Who waits elsewhere, too, is one of the
// kinds from then on.
func (p *Pivot) moveApart(m *analysis.Move) {
	switch {
	case m.Twice:
		p.leaveApart(m)
		joins := *m
		joins.Twice = false
		p.kinds.Move(&joins)
	case m.Leaves:
		if !p.leaveApart(m) {
			p.kinds.Move(m)
		}
	case p.heaviest != nil:
		p.heaviest.ledger.join(m, p.kinds.number(m), p.waits.now(m.Thread))
	default:
		p.apart.stays.join(m)
	}
}

// leaveApart follows who leaves; false of one who is one of the kinds.
func (p *Pivot) leaveApart(m *analysis.Move) bool {
	if p.heaviest != nil {
		return p.heaviest.ledger.leave(m)
	}
	return p.apart.stays.leave(m, p.isNewTo)
}

// isNewTo reports whether the wait of a thread is new to the row of its pair.
func (p *Pivot) isNewTo(pair int, of format.ThreadID) bool {
	return p.waits.IsNew(int(p.apart.rows[pair]), of)
}

// chargeApart charges those in a crowd, and makes the rows that they do not have yet.
func (p *Pivot) chargeApart(s *analysis.Slice, c *Charge) {
	a := &p.apart
	key := p.chargeOf(s.Lock, c)
	charge, met := a.charges[key]
	if !met {
		charge = len(a.known)
		a.charges[key] = charge
		a.known = append(a.known, key.known)
	}
	a.stays.add(s.Lock, charge, s.Shares[0].Ns, func(w *analysis.Waiter) {
		a.rows = append(a.rows, int32(p.row(s.Lock, w, c)))
	})
}

// chargeOf returns what a charge has in common with others.
func (p *Pivot) chargeOf(lock format.ObjectID, c *Charge) chargeOf {
	return chargeOf{lock, p.untold.owners.rows.Of(lock, &analysis.Waiter{}, c), c.Owner.Prov}
}

// addApart gives the rows what was charged in crowds.
func (p *Pivot) addApart() {
	a := &p.apart
	a.stays.settleAll(p.isNewTo)
	for i := range a.stays.stays {
		stay := &a.stays.stays[i]
		for _, one := range stay.pairs {
			row := int(a.rows[one.pair])
			r := &p.rows[row]
			r.addTime(one.ns, a.known[one.charge])
			r.wall.AddApart(one.ns)
			r.Waits += int64(one.waits)
			p.classes.add(row, stay.lock, one.ns)
		}
	}
	a.stays = newStays(p.kinds.number)
}
