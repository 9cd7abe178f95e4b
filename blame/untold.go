package blame

// untold is what rows hold that do not tell who waits, by who waits, and what the last of
// them holds that tells nothing, by what else rows have: so that whoever sums rows by one
// of these has all of it.
type untold struct{ waiters, owners untoldSide }

// untoldSide are sums by some of the keys.
type untoldSide struct {
	rows *Rows
	ns   []int64 // by row; those behind are zero
}

func newUntold(keys *Resolver, by []Key) untold {
	return untold{untoldSide{rows: NewRows(keys, ofWaiters(by))}, untoldSide{rows: NewRows(keys, ofOwners(by))}}
}

// addUntold adds thread-time of a waiter in a row that does not tell it.
func (p *Pivot) addUntold(r *row, waiter, owner int, ns int64) {
	p.untold.waiters.add(waiter, ns)
	if r.rest {
		p.untold.owners.add(owner, ns)
	}
}

func (u *untoldSide) add(row int, ns int64) {
	for len(u.ns) <= row {
		u.ns = append(u.ns, 0)
	}
	u.ns[row] += ns
}

// each calls f with the ids of each sum.
func (u *untoldSide) each(f func(ids []uint32, ns int64)) {
	for row, ns := range u.ns {
		if ns > 0 {
			f(u.rows.IDs(row), ns)
		}
	}
}

// Untold calls waiter with what is in rows that do not tell who waits, by the ids of the
// keys about waiters, and owner with what is in rows that do not tell the owner either, by
// the ids of the others. It is asked when the table is there, of rows by keys of both.
func (p *Pivot) Untold(waiter, owner func(ids []uint32, ns int64)) {
	p.untold.waiters.each(waiter)
	p.untold.owners.each(owner)
}
