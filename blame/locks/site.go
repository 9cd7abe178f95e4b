package locks

import (
	"cmp"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// site returns a place in the program by which a reader knows a lock. A class of
// locks is made in many places; where it is taken says more.
func (c *Overview) site(id uint32, l *Lock) string {
	if made, told := c.made(id); told {
		return made
	}
	for i := range l.Owners {
		if o := &l.Owners[i]; !o.Pseudo && o.Site != analysis.UnknownStack {
			return o.Site
		}
	}
	for i := range l.Waiters {
		if l.Waiters[i].Site != analysis.UnknownStack {
			return l.Waiters[i].Site
		}
	}
	return ""
}

// made returns where a lock was made, if the trace tells.
func (c *Overview) made(id uint32) (site string, told bool) {
	if c.owners.by[0] != blame.ByLock {
		return "", false
	}
	return madeAt(&c.keys, format.ObjectID(id))
}

func madeAt(keys *blame.Resolver, lock format.ObjectID) (site string, told bool) {
	site, _ = keys.Text(blame.ByCreated, keys.IDs([]blame.Key{blame.ByCreated}, lock, &analysis.Waiter{}, &blame.Charge{})[0])
	return site, blame.Made(site)
}

// siteOf is site for one of a million locks, of which nothing else is asked.
func (c *Overview) siteOf(of *charged) string {
	if made, told := c.made(of.id); told {
		return made
	}
	return cmp.Or(c.mostly(&c.owners, of.owners), c.mostly(&c.waiters, of.places))
}

// mostly returns which site in the program most of the waiting of some rows is at;
// "" where all is elsewhere.
func (c *Overview) mostly(s *sums, rows []int32) string {
	bySite := make(map[uint32]int64, len(rows))
	for _, r := range rows {
		if site := s.id(r, 1); !blame.Pseudo(site) {
			bySite[site] += s.ns[r]
		}
	}
	most := Amount{}
	for site, ns := range bySite {
		one := Amount{c.text(s.by[1], site), ns}
		if one.Text != analysis.UnknownStack && (most.Text == "" || one.compare(most) < 0) {
			most = one
		}
	}
	return most.Text
}
