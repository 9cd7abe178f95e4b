package locks

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"contend/analysis"
	"contend/blame"
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
	Of      []uint32 // of many locks that are told as one: their ids
}

// Owner is one site that took the lock, or a pseudo owner.
type Owner struct {
	Site         string
	Pseudo       bool // Site is no place in the program
	WaitNs       int64
	ByProvenance analysis.Known
	Callers      []Amount // the program's own frames around the site, as one text each
	Doings       []Doing
}

// Doing is what the owners at a site were at while others waited.
type Doing struct {
	What         blame.Doing
	Text         string
	Class        string // of Blocked: of the lock it was blocked on
	WaitNs       int64
	ByProvenance analysis.Known
	Root         Amount // of Blocked: the lock at the end of most chains of waits
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
func (c *Overview) Locks() []Lock {
	all, _ := c.Heaviest(nil)
	return all
}

// maxGroups is how many classes and sites the other locks are told by, at most: those of
// the most waiting.
const maxGroups = 1 << 12

// Heaviest returns the overview of some locks, and of all others by class and
// site: each that has several kinds of owners takes kilobytes. Of nil, all are
// heavy. Both are in descending order of waiting, but what comes after maxGroups is
// one that names neither site, owners nor waiters, [other], the last.
func (c *Overview) Heaviest(heavy map[uint32]bool) (out, rest []Lock) {
	roots := c.rootsOf()
	many := map[[2]string]*charged{}
	for one := range c.charged() {
		if heavy == nil || heavy[one.id] {
			out = append(out, c.lock(&one, roots))
			continue
		}
		key := [2]string{c.class(one.id), c.siteOf(&one)}
		if many[key] == nil {
			many[key] = &charged{id: one.id}
		}
		many[key].add(&one)
	}
	other := Lock{Name: blame.OtherText, Class: blame.OtherText}
	for i, of := range slices.SortedFunc(maps.Values(many), (*charged).compare) {
		if i >= maxGroups {
			other.WaitNs, other.Of = other.WaitNs+of.waitNs(), append(other.Of, of.ids...)
			continue
		}
		l := c.lock(of, roots)
		l.Of = of.ids
		rest = append(rest, l)
	}
	for _, list := range [][]Lock{out, rest} {
		slices.SortStableFunc(list, func(a, b Lock) int {
			return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Name, b.Name))
		})
	}
	if other.Of != nil {
		rest = append(rest, other)
	}
	return out, rest
}

// charged is what was summed of a lock, or of several.
type charged struct {
	id     uint32 // of the first
	parts  []*part
	places []*place
	ids    []uint32 // of several
}

func (c *charged) add(one *charged) {
	c.parts, c.places, c.ids = append(c.parts, one.parts...), append(c.places, one.places...), append(c.ids, one.id)
}

func (c *charged) waitNs() (ns int64) {
	for _, p := range c.places {
		ns += p.ns
	}
	return ns
}

// compare orders sums by waiting, most first.
func (c *charged) compare(o *charged) int {
	return cmp.Or(cmp.Compare(o.waitNs(), c.waitNs()), cmp.Compare(c.id, o.id))
}

// charged goes through the locks that were waited for, in order of their ids.
func (c *Overview) charged() iter.Seq[charged] {
	parts := byLock(c.parts, func(p *part) uint32 { return p.lock })
	places := byLock(c.places, func(p *place) uint32 { return p.lock })
	return func(yield func(charged) bool) {
		for len(places) > 0 {
			one := charged{id: places[0].lock}
			for len(parts) > 0 && parts[0].lock < one.id {
				parts = parts[1:]
			}
			one.places, places = upTo(places, func(p *place) bool { return p.lock > one.id })
			one.parts, parts = upTo(parts, func(p *part) bool { return p.lock > one.id })
			if !yield(one) {
				return
			}
		}
	}
}

// byLock orders sums by their locks; those of one lock stay in order.
func byLock[T any](all []T, lock func(*T) uint32) []*T {
	out := make([]*T, len(all))
	for i := range all {
		out[i] = &all[i]
	}
	slices.SortStableFunc(out, func(a, b *T) int { return cmp.Compare(lock(a), lock(b)) })
	return out
}

// upTo cuts a list before the first element that is behind.
func upTo[T any](list []T, behind func(T) bool) (before, from []T) {
	n := 0
	for n < len(list) && !behind(list[n]) {
		n++
	}
	return list[:n:n], list[n:]
}

// lock returns the overview of what was summed of a lock.
func (c *Overview) lock(of *charged, roots [][]partEnd) Lock {
	l := Lock{ID: of.id, Name: c.text(c.owners[0], of.id), Class: c.class(of.id), Owners: c.ownersOf(of.parts, roots), Waiters: c.waitersOf(of.places)}
	for _, w := range l.Waiters {
		l.WaitNs += w.WaitNs
	}
	l.Site = c.site(of.id, &l)
	return l
}

// waitersOf joins places by site, the first of the most waiting first.
func (c *Overview) waitersOf(places []*place) (out []Waiter) {
	at := map[uint32]int{}
	for _, p := range places {
		i, known := at[p.site]
		if !known {
			i = len(out)
			at[p.site] = i
			out = append(out, Waiter{Site: c.text(c.waiters[1], p.site)})
		}
		out[i].WaitNs, out[i].Waits = out[i].WaitNs+p.ns, out[i].Waits+p.waits
	}
	slices.SortStableFunc(out, func(a, b Waiter) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Site, b.Site))
	})
	return out
}

// ownersOf joins the parts of one lock by site.
func (c *Overview) ownersOf(parts []*part, roots [][]partEnd) []Owner {
	var out []Owner
	for _, g := range groups(parts, func(p *part) uint32 { return p.site }) {
		o := Owner{Site: c.text(blame.ByOwnerSite, g.id), Pseudo: blame.Pseudo(g.id), WaitNs: g.ns, ByProvenance: g.byProvenance}
		if !o.Pseudo {
			o.Callers = c.amounts(g.parts, func(p *part) uint32 { return p.callers }, blame.ByOwnerCallers)
			o.Doings = c.doingsOf(g.parts, roots)
		}
		out = append(out, o)
	}
	slices.SortStableFunc(out, func(a, b Owner) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Site, b.Site))
	})
	return out
}

// doingsOf joins the parts of one owner by what it was at.
func (c *Overview) doingsOf(parts []*part, roots [][]partEnd) []Doing {
	var out []Doing
	for _, g := range groups(parts, func(p *part) uint32 { return p.doing }) {
		d := Doing{What: doingOf(g.id), Text: c.text(blame.ByOwnerDoing, g.id), WaitNs: g.ns, ByProvenance: g.byProvenance}
		if d.What == blame.Blocked {
			d.Class = c.keys.BlockedOn(g.id)
			d.Root = c.mostlyBehind(g.parts, roots)
		}
		out = append(out, d)
	}
	slices.SortStableFunc(out, func(a, b Doing) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Text, b.Text))
	})
	return out
}

// amounts joins parts by one of their ids.
func (c *Overview) amounts(parts []*part, id func(*part) uint32, key blame.Key) []Amount {
	var out []Amount
	for _, g := range groups(parts, id) {
		if text := c.text(key, g.id); text != "" && text != analysis.UnknownStack {
			out = append(out, Amount{text, g.ns})
		}
	}
	slices.SortFunc(out, Amount.compare)
	return out
}

func (a Amount) compare(b Amount) int {
	return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Text, b.Text))
}

// partEnd is a lock at which chains of waits end, and the waiting behind it.
type partEnd struct {
	root format.ObjectID
	ns   int64
}

// rootsOf lists the ends of the chains of each part.
func (c *Overview) rootsOf() [][]partEnd {
	out := make([][]partEnd, len(c.parts))
	for of, at := range c.roots {
		out[of.part] = append(out[of.part], partEnd{of.root, c.rootNs[at]})
	}
	return out
}

// mostlyBehind returns the lock at the end of most chains of some parts.
func (c *Overview) mostlyBehind(parts []*part, roots [][]partEnd) (most Amount) {
	sums := map[format.ObjectID]int64{}
	for _, p := range parts {
		for _, r := range roots[p.number] {
			sums[r.root] += r.ns
		}
	}
	for root, ns := range sums {
		if most.Text != "" && ns < most.WaitNs {
			continue
		}
		if one := (Amount{c.text(blame.ByRootLock, uint32(root)), ns}); most.Text == "" || one.compare(most) < 0 {
			most = one
		}
	}
	return most
}

func (c *Overview) text(k blame.Key, id uint32) string {
	text, _ := c.keys.Text(k, id)
	return text
}

// class returns the class of a lock.
func (c *Overview) class(id uint32) string {
	if c.owners[0] == blame.ByClass {
		return c.text(blame.ByClass, id)
	}
	return c.sym.ClassName(format.ObjectID(id))
}

// partGroup is the parts that have one id in common, and their sums.
type partGroup struct {
	id           uint32
	parts        []*part
	ns           int64
	byProvenance analysis.Known
}

// groups joins parts by one of their ids, in order of the ids.
func groups(parts []*part, id func(*part) uint32) (out []partGroup) {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b *part) int { return cmp.Compare(id(a), id(b)) })
	for _, p := range parts {
		if n := len(out); n == 0 || out[n-1].id != id(p) {
			out = append(out, partGroup{id: id(p)})
		}
		g := &out[len(out)-1]
		g.parts = append(g.parts, p)
		g.ns += p.ns
		g.byProvenance.AddAll(&p.byProvenance)
	}
	return out
}
