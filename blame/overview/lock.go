package overview

import (
	"cmp"
	"maps"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/blame/doing"
	"contend/blame/sites"
	"contend/format"
)

// Lock is what an overview tells of one lock, or one class of locks. Owners and
// waiters are in descending order of waiting.
type Lock struct {
	ID      uint32 // of the lock, or of the class
	Name    string
	Class   string
	Site    string // where it was made, or, where the trace does not tell, is mostly taken or waited for; "" where nothing tells
	WaitNs  int64
	Owners  []Owner
	Waiters []Waiter
}

// Owner is one site that took the lock, or a pseudo owner.
type Owner struct {
	Site         string
	Pseudo       bool // Site is no place in the program
	WaitNs       int64
	ByProvenance [analysis.Provenances]int64
	Callers      []Amount // the program's own frames around the site, as one text each
	Doings       []Doing
}

// Doing is what the owners at a site were at while others waited.
type Doing struct {
	What         doing.Doing
	Text         string
	Class        string // of Blocked: of the lock it was blocked on
	WaitNs       int64
	ByProvenance [analysis.Provenances]int64
	Roots        []Amount // of Blocked: the locks at the ends of the chains of waits
}

// Waiter is one site at which threads wait.
type Waiter struct {
	Site   string
	WaitNs int64
	Waits  int64
}

// Amount is some waiting under a name.
type Amount struct {
	Text   string
	WaitNs int64
}

// Locks returns the overview, in descending order of waiting.
func (c *Collector) Locks() []Lock {
	parts := map[uint32][]part{}
	for _, p := range c.parts {
		parts[p.lock] = append(parts[p.lock], p)
	}
	waiters := map[uint32][]Waiter{}
	for i := range c.places {
		p := &c.places[i]
		waiters[p.lock] = append(waiters[p.lock], Waiter{c.text(c.waiters[1], p.site), p.ns, p.waits})
	}
	out := make([]Lock, 0, len(waiters))
	for _, id := range slices.Sorted(maps.Keys(waiters)) {
		l := Lock{ID: id, Name: c.text(c.owners[0], id), Class: c.class(id), Owners: c.ownersOf(parts[id]), Waiters: waiters[id]}
		for _, w := range l.Waiters {
			l.WaitNs += w.WaitNs
		}
		slices.SortStableFunc(l.Waiters, func(a, b Waiter) int {
			return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Site, b.Site))
		})
		l.Site = c.site(id, &l)
		out = append(out, l)
	}
	slices.SortStableFunc(out, func(a, b Lock) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// site returns a place in the program by which a reader knows a lock. A class of
// locks is made in many places; where it is taken says more.
func (c *Collector) site(id uint32, l *Lock) string {
	if c.owners[0] == blame.ByLock {
		if made := c.text(blame.ByCreated, c.keys.IDs([]blame.Key{blame.ByCreated}, format.ObjectID(id), &analysis.Waiter{}, blame.Charge{})[0]); made != sites.NotTold {
			return made
		}
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

// ownersOf joins the parts of one lock by site.
func (c *Collector) ownersOf(parts []part) []Owner {
	bySite := map[uint32][]part{}
	for _, p := range parts {
		bySite[p.site] = append(bySite[p.site], p)
	}
	out := make([]Owner, 0, len(bySite))
	for _, site := range slices.Sorted(maps.Keys(bySite)) {
		parts := bySite[site]
		o := Owner{Site: c.text(blame.ByOwnerSite, site), Pseudo: blame.Pseudo(site)}
		for i := range parts {
			o.WaitNs += parts[i].ns
			add(&o.ByProvenance, &parts[i].byProvenance)
		}
		if !o.Pseudo {
			o.Callers = c.amounts(parts, func(p *part) uint32 { return p.callers }, blame.ByOwnerCallers)
			o.Doings = c.doingsOf(parts)
		}
		out = append(out, o)
	}
	slices.SortStableFunc(out, func(a, b Owner) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Site, b.Site))
	})
	return out
}

// doingsOf joins the parts of one owner by what it was at.
func (c *Collector) doingsOf(parts []part) []Doing {
	byDoing := map[uint32][]part{}
	for _, p := range parts {
		byDoing[p.doing] = append(byDoing[p.doing], p)
	}
	out := make([]Doing, 0, len(byDoing))
	for _, id := range slices.Sorted(maps.Keys(byDoing)) {
		parts := byDoing[id]
		d := Doing{What: doingOf(id), Text: c.text(blame.ByOwnerDoing, id)}
		for i := range parts {
			d.WaitNs += parts[i].ns
			add(&d.ByProvenance, &parts[i].byProvenance)
		}
		if d.What == doing.Blocked {
			d.Class = c.keys.BlockedOn(id)
			d.Roots = c.amounts(parts, func(p *part) uint32 { return p.root }, blame.ByRootLock)
		}
		out = append(out, d)
	}
	slices.SortStableFunc(out, func(a, b Doing) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Text, b.Text))
	})
	return out
}

// amounts joins parts by one of their ids.
func (c *Collector) amounts(parts []part, id func(*part) uint32, key blame.Key) []Amount {
	by := map[uint32]int64{}
	for i := range parts {
		by[id(&parts[i])] += parts[i].ns
	}
	var out []Amount
	for i, ns := range by {
		if text := c.text(key, i); text != "" && text != analysis.UnknownStack {
			out = append(out, Amount{text, ns})
		}
	}
	slices.SortFunc(out, func(a, b Amount) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Text, b.Text))
	})
	return out
}

func (c *Collector) text(k blame.Key, id uint32) string {
	text, _ := c.keys.Text(k, id)
	return text
}

// class returns the class of a lock.
func (c *Collector) class(id uint32) string {
	if c.owners[0] == blame.ByClass {
		return c.text(blame.ByClass, id)
	}
	return c.sym.ClassName(format.ObjectID(id))
}

func add(to, more *[analysis.Provenances]int64) {
	for p := range more {
		to[p] += more[p]
	}
}
