// Package overview sums slices into what a reader asks of each lock first: where
// its owners took it, who called them, what they were at meanwhile, and where
// the others wait. It prints nothing and judges nothing.
package overview

import (
	"regexp"

	"contend/analysis"
	"contend/blame"
	"contend/blame/doing"
)

// Options of an overview.
type Options struct {
	ByClass bool           // locks of one class are one
	App     *regexp.Regexp // the program's own code, see blame.Resolver.App
}

// Collector is a visitor that sums by lock, owner and waiter. It allocates
// nothing for a slice that is like one before.
type Collector struct {
	owners, waiters []blame.Key
	keys            blame.Resolver
	sym             *analysis.Symbols
	held, waited    *blame.Rows // numbers of parts and of places
	parts           []part
	places          []place
	trapped         []Trapped // by deadlock, from 1
	orders          map[order]*seen
	total           int64
	groups          analysis.ByGroup[group]
}

// held is what tells owners apart: ids of the keys of owners.
type held struct{ lock, site, callers, doing, root uint32 }

// waited is what tells waiters apart.
type waited struct{ lock, site uint32 }

// part is the waiting that one sort of owner caused.
type part struct {
	held
	ns           int64
	byProvenance [analysis.Provenances]int64
}

// place is the waiting at one site.
type place struct {
	waited
	ns, waits int64
}

// New returns an empty collector.
func New(o Options) *Collector {
	lock := blame.ByLock
	if o.ByClass {
		lock = blame.ByClass
	}
	c := &Collector{
		owners:  []blame.Key{lock, blame.ByOwnerSite, blame.ByOwnerCallers, blame.ByOwnerDoing, blame.ByRootLock},
		waiters: []blame.Key{lock, blame.ByWaiterSite}}
	c.held, c.waited = blame.NewRows(&c.keys, c.owners), blame.NewRows(&c.keys, c.waiters)
	c.keys.App(o.App)
	return c
}

// Begin implements analysis.Visitor.
func (c *Collector) Begin(sym *analysis.Symbols, _ int64) {
	c.sym, c.groups = sym, analysis.ByGroup[group]{}
	c.keys.Begin(sym)
}

// Running implements analysis.Visitor.
func (c *Collector) Running(_, _, _ int64) {}

// Slice implements analysis.Visitor.
func (c *Collector) Slice(s *analysis.Slice) {
	c.total += s.Ns()
	if s.Group != 0 {
		c.group(s)
		return
	}
	for i := range s.Shares {
		sh := &s.Shares[i]
		ns := sh.Ns * int64(len(s.Waiters))
		p := &c.parts[c.part(s, sh)]
		p.ns += ns
		p.byProvenance[sh.Direct.Prov] += ns
		c.note(s, sh, p.site, ns)
		if sh.Root.Kind == analysis.OwnerDeadlock {
			for len(c.trapped) <= int(sh.Root.Cycle) {
				c.trapped = append(c.trapped, Trapped{})
			}
			t := &c.trapped[sh.Root.Cycle]
			t.WaitNs += ns
			t.ByProvenance[sh.Root.Prov] += ns
		}
	}
	for i := range s.Waiters {
		p := &c.places[c.place(s, &s.Waiters[i])]
		p.ns += s.Length()
		if s.Waiters[i].First {
			p.waits++
		}
	}
}

// part returns the number of the sum a share of a slice goes to.
func (c *Collector) part(s *analysis.Slice, sh *analysis.Share) int {
	i := c.held.Of(s.Lock, &s.Waiters[0], blame.ChargeOf(s.Lock, sh, false))
	if i == len(c.parts) {
		ids := c.held.IDs(i)
		c.parts = append(c.parts, part{held: held{ids[0], ids[1], ids[2], ids[3], ids[4]}})
	}
	return i
}

// place returns the number of the sum a waiter goes to.
func (c *Collector) place(s *analysis.Slice, w *analysis.Waiter) int {
	i := c.waited.Of(s.Lock, w, blame.Charge{})
	if i == len(c.places) {
		ids := c.waited.IDs(i)
		c.places = append(c.places, place{waited: waited{ids[0], ids[1]}})
	}
	return i
}

// TotalNs returns all waiting, in ns of thread-time.
func (c *Collector) TotalNs() int64 { return c.total }

// Trapped is the waiting that a deadlock has caused.
type Trapped struct {
	WaitNs       int64
	ByProvenance [analysis.Provenances]int64
}

// Trapped returns what a deadlock, numbered from 1, has caused.
func (c *Collector) Trapped(cycle int) (t Trapped) {
	if cycle < len(c.trapped) {
		t = c.trapped[cycle]
	}
	return t
}

// doingOf returns what an id of the key of doings means.
func doingOf(id uint32) doing.Doing {
	if blame.Pseudo(id) {
		return doing.Unknown
	}
	return blame.Doing(id)
}
