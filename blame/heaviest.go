package blame

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/analysis/bootstrap"
)

// heaviest is how a pivot goes on whose rows tell threads apart, once there are as many as
// are told: from then on what is charged is written down, and summed when that is much. A
// row that is new then is told if it is heavier than those that went before it, and when
// there are too many the lightest quarter goes, to [other] of its owner.
//
// Who went may come again, so that what a row holds may fall short, by what was the
// heaviest that had gone when it came. That is nothing of what is summed at once: of some
// hundred thousand waits.
type heaviest struct {
	ledger ledger
	sums   sums
	gone   int64   // no combination that has no row was charged more
	before int64   // the same when what is summed now began
	others []int32 // by owner: the row of [other], from 1
}

// limit begins it when there are too many rows.
func (p *Pivot) limit() {
	if p.heaviest != nil || !p.apart.threads || p.told < p.most.pairs {
		return
	}
	h := &heaviest{ledger: newLedger()}
	p.apart.stays.each(func(m *analysis.Move, waiter int) {
		h.ledger.join(m, waiter, p.waits.now(m.Thread))
	}, func(m *analysis.Move) {
		h.ledger.setBeside(m)
	})
	p.addApart()
	p.heaviest = h
}

// writeCrowd notes what a crowd is charged.
func (p *Pivot) writeCrowd(s *analysis.Slice, c *Charge) {
	l := &p.heaviest.ledger
	b, _ := l.bookOf(s.Lock)
	l.write(b, p.chargeOf(s.Lock, c), s.Shares[0].Ns)
	p.settleFull()
}

// writeAlone notes what one who waits alone is charged, as often as it does. A row of
// samples that there is gets them at once, since it tells when they were.
func (p *Pivot) writeAlone(s *analysis.Slice, w *analysis.Waiter, n int) {
	for i := range s.Shares {
		sh := &s.Shares[i]
		charge := ChargeOf(s.Lock, sh, p.root)
		waiter, of := p.untold.waiters.rows.Of(s.Lock, w, &charge), p.chargeOf(s.Lock, &charge)
		if p.rec.Sampled() {
			if ids := p.idsOf(waiter, of.owner); p.index.met.has(ids) {
				row := p.index.met.of(ids)
				p.charge(row, s, sh.Ns, w, n, &charge)
				p.rows[row].Waits += p.waits.count(row, p.waits.now(w.Thread), p.waits.now(w.Thread), 1)
				continue
			}
		}
		p.heaviest.ledger.alone(waiter, p.waits.now(w.Thread), of, sh.Ns*int64(n))
	}
	p.settleFull()
}

func (p *Pivot) settleFull() {
	if p.heaviest.ledger.size >= p.most.written {
		p.settleHeaviest()
	}
}

// idsOf returns the ids of a row by who waits and for whom.
func (p *Pivot) idsOf(waiter, owner int) []uint32 {
	p.ids = p.ids[:0]
	waiters, owners := p.untold.waiters.rows.IDs(waiter), p.untold.owners.rows.IDs(owner)
	for _, k := range p.by {
		from := &owners
		if k.ofWaiter() {
			from = &waiters
		}
		p.ids = append(p.ids, (*from)[0])
		*from = (*from)[1:]
	}
	return p.ids
}

// settleHeaviest gives rows what is written: first those that there are, so that all are
// as heavy as they are when the lightest go.
func (p *Pivot) settleHeaviest() {
	h := p.heaviest
	h.ledger.gather()
	h.before = h.gone
	h.sums.untold = make([]int64, len(h.ledger.charges))
	there := p.toldRows()
	p.settleEach(there, func(o *ofOwner, _, _ int) int { return o.there }, func() {})
	p.settleEach(there, func(o *ofOwner, waiter, owner int) int {
		switch {
		case o.there != none:
			return none
		case o.ns+h.before <= h.gone:
			return untoldRow
		}
		return p.newRow(waiter, owner)
	}, p.dropLight)
	for at, ns := range h.sums.untold {
		if c := &h.ledger.charges[at]; ns > 0 {
			row := p.otherRow(c.owner)
			p.rows[row].addTime(ns, c.known)
			p.classes.add(row, c.lock, ns)
		}
	}
	h.ledger.empty()
}

// settleEach gives rows what each who waits was charged, those that a function says, and
// calls another when they have it.
func (p *Pivot) settleEach(there []toldRow, rowOf func(o *ofOwner, waiter, owner int) int, then func()) {
	h := p.heaviest
	owners := p.untold.owners.rows.Len()
	h.ledger.each(func(waiter int, stays []entry) {
		h.sums.add(&h.ledger, stays, owners)
		for len(there) > 0 && there[0].waiter <= waiter {
			if there[0].waiter == waiter {
				h.sums.owners[there[0].owner].there = there[0].row
			}
			there = there[1:]
		}
		p.settle(waiter, rowOf)
		then()
	})
}

// newRow makes a row for one who waits and an owner that have none.
func (p *Pivot) newRow(waiter, owner int) int {
	row := p.numbered(p.index.met.of(p.idsOf(waiter, owner)))
	p.rows[row].series = bootstrap.NoSeries
	p.rows[row].lacks = p.heaviest.before
	return row
}

// otherRow returns the row of those who wait for an owner and are not told.
func (p *Pivot) otherRow(owner int) int {
	h := p.heaviest
	h.others = longer(h.others, owner+1)
	if h.others[owner] == 0 {
		ids := p.idsOf(0, owner)
		row := p.numbered(p.index.met.of(p.index.withoutWaiter(ids)))
		p.rows[row].series = bootstrap.NoSeries
		h.others[owner] = int32(row) + 1
	}
	return int(h.others[owner]) - 1
}

// settle does so for one who waits.
func (p *Pivot) settle(waiter int, rowOf func(o *ofOwner, waiter, owner int) int) {
	sums := &p.heaviest.sums
	for _, owner := range sums.waitedOn {
		o := &sums.owners[owner]
		switch o.row = rowOf(o, waiter, int(owner)); o.row {
		case none:
		case untoldRow:
			r := &p.rows[p.otherRow(int(owner))]
			r.Waits += o.waits
			p.addUntold(r, waiter, int(owner), o.ns)
		default:
			r := &p.rows[o.row]
			r.Waits += p.waits.count(o.row, o.first, o.last, o.waits)
			r.wall.AddApart(o.ns)
		}
	}
	for _, at := range sums.charged {
		c, ns := &p.heaviest.ledger.charges[at], sums.charges[at].ns
		switch row := sums.owners[c.owner].row; row {
		case none:
		case untoldRow:
			sums.untold[at] += ns
		default:
			p.rows[row].addTime(ns, c.known)
			p.classes.add(row, c.lock, ns)
		}
	}
}

// toldRow is a row with who waits and for whom.
type toldRow struct{ waiter, owner, row int }

// toldRows returns all rows that are told, by who waits.
func (p *Pivot) toldRows() []toldRow {
	list := make([]toldRow, 0, p.told)
	for i := range p.rows {
		if !p.rows[i].other {
			waiter, owner := p.sidesOf(p.index.IDs(i))
			list = append(list, toldRow{waiter, owner, i})
		}
	}
	slices.SortFunc(list, func(a, b toldRow) int { return cmp.Or(cmp.Compare(a.waiter, b.waiter), cmp.Compare(a.row, b.row)) })
	return list
}

// dropLight lets the lightest rows go where there are too many.
func (p *Pivot) dropLight() {
	if p.told <= p.most.pairs {
		return
	}
	h, told := p.heaviest, p.toldRows()
	atMost := func(r toldRow) int64 { return p.rows[r.row].ThreadNs + p.rows[r.row].lacks }
	slices.SortFunc(told, func(a, b toldRow) int { return cmp.Or(cmp.Compare(atMost(b), atMost(a)), cmp.Compare(a.row, b.row)) })
	light := told[p.most.pairs-p.most.pairs/4:]
	h.gone = max(h.gone, atMost(light[0]))
	had := make([]Sum, len(light))
	for i, one := range light {
		had[i] = p.rows[one.row].Sum
		p.rows[one.row].gone = true
	}
	to := p.pack()
	for i, one := range light {
		row := p.otherRow(one.owner)
		to[one.row] = int32(row)
		p.rows[row].merge(&had[i])
		p.addUntold(&p.rows[row], one.waiter, one.owner, had[i].ThreadNs)
	}
	p.classes.renumber(to)
}

// sidesOf returns who waits, and for whom, by the ids of a row.
func (p *Pivot) sidesOf(ids []uint32) (waiter, owner int) {
	var of [2][]uint32
	for i, k := range p.by {
		side := 1
		if k.ofWaiter() {
			side = 0
		}
		of[side] = append(of[side], ids[i])
	}
	return p.untold.waiters.rows.met.of(of[0]), p.untold.owners.rows.met.of(of[1])
}

// pack numbers the rows anew without those that have gone, and returns the new numbers.
func (p *Pivot) pack() (to []int32) {
	h := p.heaviest
	met := numbering{width: len(p.by)}
	to = make([]int32, len(p.rows))
	for i := range p.rows {
		if p.rows[i].gone {
			p.told--
			continue
		}
		at := met.of(p.index.IDs(i))
		to[i], p.rows[at] = int32(at), p.rows[i]
		p.waits.move(i, at)
	}
	p.waits.cut(met.count)
	clear(p.rows[met.count:])
	p.rows = p.rows[:met.count]
	p.index.become(met)
	for owner, row := range h.others {
		if row > 0 {
			h.others[owner] = to[row-1] + 1
		}
	}
	return to
}

// finishHeaviest gives the rows what is written still. How long anybody of [other] waited is
// known no better than that it is no longer than all together.
func (p *Pivot) finishHeaviest(t *Table) {
	if p.heaviest == nil {
		return
	}
	p.settleHeaviest()
	t.OtherMostNs = p.heaviest.gone
	for i := range p.rows {
		if r := &p.rows[i]; r.other {
			r.wall = analysis.Union{}
			r.wall.AddApart(t.Total.WallNs)
		} else {
			t.LackingNs = max(t.LackingNs, r.lacks)
		}
	}
}
