package document

import (
	"strings"

	"contend/analysis"
	"contend/blame/locks"
)

// Owner is a site whose threads held a lock while others waited for it, or a pseudo owner. Lists
// are in descending order of waiting, and empty for a pseudo owner.
type Owner struct {
	Site   string  `json:"site"`         // that acquired the lock; [handoff] and the like are no places
	In     bool    `json:"in,omitempty"` // Site is a frame that the owner was in: its acquisition site is unknown
	WaitNs int64   `json:"waitNs"`
	Share  float64 `json:"share"` // of the waiting for the lock
	// half of the 95 % interval of the share, by the thread dumps that show owners of the lock; nil without twenty
	SharePlusMinus *float64 `json:"sharePlusMinus,omitempty"`

	Callers []Callers `json:"callers"` // the program's own frames around the site
	Doing   []Doing   `json:"doing"`
	// the owners, if no stack of theirs is known
	Threads []OwnerThread `json:"threads,omitempty"`

	Provenance Provenance `json:"provenance"`
}

// Doing is an activity of the owners at a site while others waited.
type Doing struct {
	What   string `json:"what"`            // the name of a blame.Doing
	Class  string `json:"class,omitempty"` // of the lock that the owner was blocked on
	WaitNs int64  `json:"waitNs"`
}

// Callers are the methods of the program that called a place, innermost first; those of an owner
// have their lines.
type Callers struct {
	Sites  []string `json:"sites"`
	WaitNs int64    `json:"waitNs"`
}

// OwnerThread is a thread that held a lock while others waited for it.
type OwnerThread struct {
	Thread string `json:"thread"` // its name
	WaitNs int64  `json:"waitNs"`
}

// Site is a place at which threads wait for a lock.
type Site struct {
	Site   string `json:"site"`
	WaitNs int64  `json:"waitNs"`
	Waits  int64  `json:"waits"`
}

// newOwners converts the owners of a lock; top limits them, and the callers and threads of each, 0 means all.
func newOwners(list []locks.Owner, top int) []Owner {
	out := []Owner{}
	for _, o := range limit(list, top) {
		out = append(out, Owner{
			Site:       o.Site,
			In:         o.In,
			WaitNs:     o.WaitNs,
			Share:      o.Share,
			Callers:    mapped(limit(o.Callers, top), newCallers),
			Doing:      mapped(o.Doing, newDoing),
			Threads:    mapped(limit(o.Threads, top), newOwnerThread),
			Provenance: NewProvenance(o.ByProvenance),
		})
	}
	return out
}

func newCallers(c *locks.Callers) Callers { return Callers(*c) }

func newDoing(d *locks.Doing) Doing { return Doing{d.What, d.Class, d.WaitNs} }

func newOwnerThread(t *locks.OwnerThread) OwnerThread { return OwnerThread(*t) }

func newSite(s *locks.Site) Site { return Site(*s) }

// minLikely is the least probability of an inferred owner that is named. Below it the reader
// would be sent to the wrong code twice of three times.
const minLikely = 0.35

// nameable reports whether the owner is known well enough to be named. Pseudo owners always are.
func (o *Owner) nameable() bool {
	likely, inferred := o.Provenance.Right()
	return !inferred || strings.HasPrefix(o.Site, "[") || 2*o.Provenance.InferredNs <= o.WaitNs || likely >= minLikely
}

// nameableOwners returns the owners of a lock. Those that are not known well enough to be named
// become one: the unknown owner.
func nameableOwners(list []Owner) []Owner {
	var named, rest []Owner
	for _, o := range list {
		if o.nameable() {
			named = append(named, o)
			continue
		}
		rest = append(rest, Owner{
			Site:       analysis.PseudoOwner(analysis.OwnerUnknown, 0),
			WaitNs:     o.WaitNs,
			Provenance: o.Provenance,
		})
	}
	if rest == nil {
		return list
	}
	return joinOwners(named, rest)
}

// joinOwners adds up the owners of two locks by their sites.
func joinOwners(list, more []Owner) []Owner {
	bySite := func(o *Owner) (string, *int64) { return o.Site, &o.WaitNs }
	return locks.JoinRows(list, more, bySite, func(o, more *Owner) {
		o.Provenance.merge(more.Provenance)
		o.SharePlusMinus = nil // that of one of them
		o.Callers = joinCallers(o.Callers, more.Callers)
		o.Doing = joinDoings(o.Doing, more.Doing)
	})
}

func joinCallers(list, more []Callers) []Callers {
	bySites := func(c *Callers) (string, *int64) { return strings.Join(c.Sites, "\n"), &c.WaitNs }
	return locks.JoinRows(list, more, bySites, nil)
}

func joinDoings(list, more []Doing) []Doing {
	byName := func(d *Doing) (string, *int64) { return d.What + "\n" + d.Class, &d.WaitNs }
	return locks.JoinRows(list, more, byName, nil)
}

// joinSites adds up the waiters of two locks by their sites.
func joinSites(list, more []Site) []Site {
	bySite := func(s *Site) (string, *int64) { return s.Site, &s.WaitNs }
	return locks.JoinRows(list, more, bySite, func(s, more *Site) { s.Waits += more.Waits })
}
