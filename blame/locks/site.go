package locks

import (
	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// made returns the site that made a lock, if the trace shows it.
func (c *Overview) made(id uint32) (site string, known bool) {
	if c.owners.by[0] != blame.ByLock {
		return "", false
	}
	var of [1]uint32
	c.keys.Find(of[:], []blame.Column{{Key: blame.ByCreated}}, format.ObjectID(id), &analysis.Waiter{}, blame.AnyShare)
	site, _ = c.keys.Text(blame.ByCreated, of[0])
	return site, blame.Made(site)
}

// siteOf returns the site in the name of a lock: the site that made it, else the main acquisition
// site, else the main waiting site. Locks of a class are made in many places, so a class has its
// main acquisition site.
func (c *Overview) siteOf(of *charged) string {
	if made, known := c.made(of.id); known {
		return made
	}
	acquired := c.keys.Sites().Acquired
	candidates := [...]Amount{
		c.mostly(&c.owners, of.owners, acquired),
		c.mostly(&c.waiters, of.places, all),
		c.mostly(&c.owners, of.owners, all),
	}
	most := int64(0)
	for _, one := range candidates {
		most = max(most, one.WaitNs)
	}
	for _, one := range candidates {
		if one.Text != "" && one.WaitNs >= most/speaks {
			return one.Text
		}
	}
	return ""
}

// speaks is how many times the waiting at a site another one must have, of a kind that says less
// about the lock, to name it: the locks of a class have a site each.
const speaks = 10

func all(uint32) bool { return true }

// mostly returns the site in the program with most of the waiting of some rows, among the sites that
// count; the zero Amount if there is none.
func (c *Overview) mostly(s *sums, rows []int32, counts func(site uint32) bool) Amount {
	bySite := make(map[uint32]int64, len(rows))
	for _, r := range rows {
		if site := s.id(r, 1); !blame.Pseudo(site) && counts(site) {
			bySite[site] += s.ns[r]
		}
	}
	return c.largest(bySite, s.by[1])
}
