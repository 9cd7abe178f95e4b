package renewal

// meeting weighs where the section may have ended that the first thread to wait
// ran into, over all cells of its stretch.
type meeting struct {
	m          *Model
	a          *Arrival
	of         *takes
	cell, held int     // that of the stretch, and of until when somebody had the lock
	gone       float64 // chance that the last known section was over when the thread came

	sum  float64 // how likely the stretch is in all
	ends lattice // by cell: how likely the section that was met ends there
	rest lattice // by length of what is left then: how likely it is
}

// meet divides a stretch of so many cells, as one of canon; false if the model knows
// no such stretch.
func (m *Model) meet(a *Arrival, cell, held int, met *Met) bool {
	n := meeting{m: m, a: a, of: m.takings(taking{a.Last, a.Group}), cell: cell, held: held, gone: m.gone(a)}
	own := n.known()
	if cap(met.cells) < m.sites {
		met.cells = make([]float64, m.sites)
	}
	first := met.cells[:m.sites]
	for s := range first {
		first[s] = n.other(s)
	}
	if n.sum <= 1e-300 {
		return false
	}
	n.divide(own, first, met)
	return true
}

// known weighs the section that began with the last acquisition that is known. It
// returns its cells, times how likely they are.
func (n *meeting) known() (cells float64) {
	own := n.m.left(n.a)
	for d, p := range own[:n.cell+1] {
		q := n.cell - d
		after, times := 0.0, 1.0
		if d < n.held {
			after, times = n.of.held[q], n.of.more[q]
		} else {
			after = n.m.rest(q, n.a.Last, n.a.Group)
		}
		w := p * after
		n.sum += w
		n.ends[d] += w
		cells += w * float64(d)
		n.rest[q] += p * times
	}
	return cells
}

// other weighs a section of a site that nobody saw begin: the longer it is, the
// likelier a thread runs into it. It returns the cells that were left of it, times
// how likely they are.
func (n *meeting) other(s int) (cells float64) {
	m, last := n.m, n.a.Last
	any, alone := n.often(s)
	if any == 0 && alone == 0 {
		return 0
	}
	over := &m.over[s]
	for d := 0; d <= n.cell; d++ {
		q := n.cell - d
		density := over[d] / m.average * n.gone * n.a.Busy
		v, times := 0.0, 1.0
		if d < n.held {
			v, times = density*any*n.of.held[q], n.of.more[q]
		} else {
			v = density * (alone*m.direct[q] + any*(m.rest(q, last, n.a.Group)-m.straight(q, last)))
		}
		if v <= 0 {
			continue
		}
		n.sum += v
		n.ends[d] += v
		cells += v * float64(d)
		n.rest[q] += density * any * times
	}
	return cells
}

// often returns how often a site takes the lock where others follow, and where its
// section is the only one: then it is that of the last owner.
func (n *meeting) often(s int) (any, alone float64) {
	any = n.m.mixes[0][s]
	switch n.a.Last {
	case LastSame:
		return any, any * n.m.again
	case LastOther:
		return any, n.m.mixes[n.a.Group][s]
	}
	return any, any
}

// divide makes the stretch of what has been weighed. No part may have what those
// before it have.
func (n *meeting) divide(own float64, first []float64, met *Met) {
	all := own
	for _, cells := range first {
		all += cells
	}
	met.SureFirst, met.SureRest = n.m.sure(&n.ends, n.sum, all/n.sum, n.cell)
	unit := canon / float64(n.cell) / n.sum
	met.Own = int64(own * unit)
	free := int64(canon) - met.Own
	for s, cells := range first {
		met.First[s] = min(int64(cells*unit), free)
		free -= met.First[s]
		met.Others[s] = min(int64(taken(n.of.by[s], n.rest[:n.cell+1])*unit), free)
		free -= met.Others[s]
	}
}

// straight returns the chance that the next waiter gets the lock so many cells after
// its release, nobody else having had it in between.
func (m *Model) straight(q int, last Last) float64 {
	if last == LastOther {
		return 0
	}
	return m.direct[q]
}

// left returns what is left of the section at a site after the time elapsed.
func (m *Model) left(a *Arrival) (own lattice) {
	if e, ok := m.cell(a.Elapsed); ok && a.Site >= 0 {
		copy(own[:], m.hold[a.Site][e:])
	}
	return own
}

// gone returns the chance that the section at a site is over after the time
// elapsed.
func (m *Model) gone(a *Arrival) float64 {
	e, ok := m.cell(a.Elapsed)
	if a.Site < 0 || !ok {
		return 1
	}
	left := 0.0
	for _, p := range m.hold[a.Site][e:] {
		left += p
	}
	return max(1-left, 0)
}
