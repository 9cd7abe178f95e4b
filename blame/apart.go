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
	owners  *Rows   // of the keys that are not about waiters
	tells   []bool  // by owner: whether some row tells who waits for it
	charges map[chargeOf]int
	known   []analysis.Provenance // by charge
	others  []int32               // by charge: the row of those who have no pair, from 1
	crowd   int                   // how many of the last one have no pair
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
	p.apart.owners = p.untold.owners.rows
	p.waits.apart = p.apart.threads
}

// Stays are those who wait together and are told apart, one pair for each of them and
// each of its owners. There are none but where rows tell threads apart.
func (p *Pivot) Stays() *Stays { return p.apart.stays }

// summed reports whether crowds are: samples want to be heard one by one.
func (p *Pivot) summed() bool { return p.apart.threads && !p.rec.Sampled() }

// moveApart follows who joins a crowd or leaves it. Who waits elsewhere, too, is one of the
// kinds from then on.
func (p *Pivot) moveApart(m *analysis.Move) {
	switch stays := p.apart.stays; {
	case m.Twice:
		stays.leave(m, p.isNewTo)
		joins := *m
		joins.Twice = false
		p.kinds.Move(&joins)
	case !m.Leaves:
		stays.join(m)
	case !stays.leave(m, p.isNewTo):
		p.kinds.Move(m)
	}
}

// isNewTo reports whether the wait of a thread is new to the row of its pair.
func (p *Pivot) isNewTo(pair int, of format.ThreadID) bool {
	return p.waits.IsNew(int(p.apart.rows[pair]), of)
}

// chargeApart charges those in a crowd, and makes the rows that they do not have yet.
func (p *Pivot) chargeApart(s *analysis.Slice, c *Charge) {
	a := &p.apart
	key := chargeOf{s.Lock, a.owners.Of(s.Lock, &analysis.Waiter{}, c), c.Owner.Prov}
	charge, met := a.charges[key]
	if !met {
		charge = len(a.known)
		a.charges[key] = charge
		a.known, a.others = append(a.known, key.known), append(a.others, 0)
	}
	n := a.stays.add(s.Lock, charge, s.Shares[0].Ns, func(w *analysis.Waiter) bool {
		if p.index.full() && !a.told(key.owner) {
			return p.meetUntold(charge, w, s.Lock, c)
		}
		row := p.row(s.Lock, w, c)
		if p.rows[row].other {
			return p.meetUntold(charge, w, s.Lock, c)
		}
		a.rows = append(a.rows, int32(row))
		return true
	})
	if n > 0 {
		r := &p.rows[a.others[charge]-1]
		r.Add(s, s.Shares[0].Ns, n, key.known)
		if r.rest {
			p.untold.owners.add(key.owner, s.Shares[0].Ns*int64(n))
		}
	}
	a.crowd = n
}

// meetUntold counts the wait of one in a crowd who has no pair; it returns false.
func (p *Pivot) meetUntold(charge int, w *analysis.Waiter, lock format.ObjectID, c *Charge) bool {
	other := &p.apart.others[charge]
	if *other == 0 {
		*other = int32(p.numbered(p.index.Other(lock, c), lock, c)) + 1
	}
	if row := int(*other) - 1; p.waits.IsNew(row, w.Thread) {
		p.rows[row].Waits++
	}
	return false
}

// tell notes that a row tells who waits for an owner, and told reports it.
func (a *apart) tell(owner int) {
	for len(a.tells) <= owner {
		a.tells = append(a.tells, false)
	}
	a.tells[owner] = true
}

func (a *apart) told(owner int) bool { return owner < len(a.tells) && a.tells[owner] }

// LastUntold returns how many of the last crowd have no pair: they are charged in a row that
// does not tell who waits.
func (p *Pivot) LastUntold() int { return p.apart.crowd }

// addApart gives the rows what was charged in crowds.
func (p *Pivot) addApart() {
	a := &p.apart
	a.stays.settleAll(p.isNewTo)
	for i := range a.stays.stays {
		for _, one := range a.stays.stays[i].pairs {
			r := &p.rows[a.rows[one.pair]]
			r.addTime(one.ns, a.known[one.charge])
			r.wall.AddApart(one.ns)
			r.Waits += int64(one.waits)
		}
	}
	a.stays.untold(p.untold.waiters.add)
}
