package locks

import (
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Named is a lock with the site in its name, "" if unknown, and its waiting in ns.
type Named struct {
	Lock   format.ObjectID
	Site   string
	WaitNs int64
}

// Named returns the locks with the most waiting, that first, at most so many.
func (c *Overview) Named(most int) []Named {
	list := slices.Collect(c.charged())
	list = slices.DeleteFunc(list, func(l charged) bool { return len(l.owners) == 0 }) // only waits of length zero
	slices.SortFunc(list, func(a, b charged) int { return a.compare(&b) })
	out := make([]Named, min(len(list), most))
	for i := range out {
		out[i] = Named{format.ObjectID(list[i].id), c.siteOf(&list[i]), list[i].ns}
	}
	return out
}

// OwnerPlace returns the site at which an owner took a lock, and what it was at.
func (c *Overview) OwnerPlace(lock format.ObjectID, o analysis.Owner) (site string, doing blame.Doing) {
	var ids [2]uint32
	c.keys.Find(
		ids[:],
		[]blame.Column{{Key: blame.ByOwnerSite}, {Key: blame.ByOwnerDoing}},
		lock,
		&analysis.Waiter{},
		&analysis.Share{Direct: o},
	)
	site, _ = c.keys.Text(blame.ByOwnerSite, ids[0])
	return site, doingOf(ids[1])
}
