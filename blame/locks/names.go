package locks

import (
	"regexp"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Names is an overview that learns the place in the program by which a reader knows each lock,
// and sums nothing besides.
type Names struct{ *Overview }

// Named is a lock with the place it is known by, "" where nothing tells, and its waiting in ns.
type Named struct {
	Lock   format.ObjectID
	Site   string
	WaitNs int64
}

// NewNames returns an empty collector; own is the program's own code, see blame.Resolver.App.
func NewNames(own *regexp.Regexp) *Names {
	c := newOverview(own, blame.ByLock, blame.ByOwnerSite)
	c.named = true
	return &Names{c}
}

// Heaviest returns the locks with the most waiting, that first, at most so many.
func (n *Names) Heaviest(most int) []Named {
	list := slices.Collect(n.charged())
	list = slices.DeleteFunc(list, func(c charged) bool { return len(c.owners) == 0 }) // waits of length zero alone
	slices.SortFunc(list, func(a, b charged) int { return a.compare(&b) })
	out := make([]Named, min(len(list), most))
	for i := range out {
		out[i] = Named{format.ObjectID(list[i].id), n.siteOf(&list[i]), list[i].ns}
	}
	return out
}

// Owner names the owner of a lock by the site that took it, and by what it was at if that is known.
func (n *Names) Owner(lock format.ObjectID, o analysis.Owner) string {
	var ids [2]uint32
	n.keys.Find(ids[:], []blame.Column{{Key: blame.ByOwnerSite}, {Key: blame.ByOwnerDoing}}, lock, &analysis.Waiter{}, &analysis.Share{Direct: o})
	site, _ := n.keys.Text(blame.ByOwnerSite, ids[0])
	if doing := doingOf(ids[1]); doing != blame.DoingUnknown {
		site += ", " + doing.String()
	}
	return site
}
