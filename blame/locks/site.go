package locks

import (
	"cmp"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// made returns where a lock was made, if the trace tells.
func (c *Overview) made(id uint32) (site string, known bool) {
	if c.owners.by[0] != blame.ByLock {
		return "", false
	}
	var of [1]uint32
	c.keys.Find(of[:], []blame.Column{{Key: blame.ByCreated}}, format.ObjectID(id), &analysis.Waiter{}, blame.AnyShare)
	site, _ = c.keys.Text(blame.ByCreated, of[0])
	return site, blame.Made(site)
}

// siteOf returns a place in the program by which a reader knows a lock: where it was made, or
// else where it is mostly taken, or else waited for. A class of locks is made in many places;
// where it is taken says more.
func (c *Overview) siteOf(of *charged) string {
	if made, known := c.made(of.id); known {
		return made
	}
	acquired := c.keys.Sites().Acquired
	return cmp.Or(c.mostly(&c.owners, of.owners, acquired), c.mostly(&c.waiters, of.places, all), c.mostly(&c.owners, of.owners, all))
}

func all(uint32) bool { return true }

// mostly returns which site in the program most of the waiting of some rows is at, of those
// that count; "" where all is elsewhere.
func (c *Overview) mostly(s *sums, rows []int32, counts func(site uint32) bool) string {
	bySite := make(map[uint32]int64, len(rows))
	for _, r := range rows {
		if site := s.id(r, 1); !blame.Pseudo(site) && counts(site) {
			bySite[site] += s.ns[r]
		}
	}
	return c.largest(bySite, s.by[1]).Text
}
