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

// Lock is the place, the owners and the waiters of one lock, or one class of locks; a Row has its
// numbers.
type Lock struct {
	ID     uint32 // of the lock, or of the class
	Name   string
	Class  string
	WaitNs int64
	Of     []uint32 // of many locks in one row: their ids

	// where the lock was made, or, if unknown, is mostly acquired or waited for; "" if that is unknown,
	// too
	Site string
	// the threads at both sides by their places, in descending order of waiting
	Owners  []Owner
	Waiting []Site
}

// Owner is one site whose threads held a lock while others waited for it, or a pseudo owner. Lists are
// in descending order of waiting, and empty for a pseudo owner.
type Owner struct {
	Site    string // that acquired the lock; [handoff] and the like are no places
	In      bool   // Site is a frame that the owner was in: its acquisition site is unknown
	WaitNs  int64
	Share   float64   // of the waiting for the lock
	Callers []Callers // the program's own frames around the site
	Doing   []Doing
	// the owners, if no stack of theirs is known
	Threads []OwnerThread

	ByProvenance analysis.Known
}

// Doing is an activity of the owners at a site while others waited.
type Doing struct {
	What   string // the name of a blame.Doing
	Class  string // of the lock that the owner was blocked on
	WaitNs int64

	ByProvenance analysis.Known // for findings
	// of blame.Blocked, for findings: the lock at the end of most chains of waits
	Root Amount
}

// Site is a place at which threads wait.
type Site struct {
	Site   string
	WaitNs int64
	Waits  int64
}

// Amount is an amount of waiting with a name.
type Amount struct {
	Text   string
	WaitNs int64
}

// Locks returns all locks, one by one, in descending order of waiting.
func (c *Overview) Locks() []Lock {
	all, _ := c.split(func(uint32) bool { return true })
	return all
}

// Heaviest returns the locks with the given ids one by one, and all others joined by class and
// site, because the owners of one lock take kilobytes. Both are in descending order of waiting.
// Of the others, classes and sites behind the first maxGroups are one last lock, [other], without
// site, owners and waiters.
func (c *Overview) Heaviest(ids map[uint32]bool) (heavy, others []Lock) {
	heavy, joined := c.split(func(id uint32) bool { return ids[id] })
	if joined == nil {
		return heavy, nil
	}
	roots, other := c.rootsOf(), Lock{Name: blame.OtherText, Class: blame.OtherText}
	for i, of := range slices.SortedFunc(maps.Values(joined), (*charged).compare) {
		if i >= maxGroups {
			other.WaitNs, other.Of = other.WaitNs+of.ns, append(other.Of, of.ids...)
			continue
		}
		l := c.lock(of, roots)
		l.Of = of.ids
		others = append(others, l)
	}
	sortLocks(others)
	if other.Of != nil {
		others = append(others, other)
	}
	return heavy, others
}

// maxGroups bounds the groups of other locks by class and site. Those with most waiting are kept.
const maxGroups = 1 << 12

// split returns the locks whose ids are wanted, and the sums of the others by class and site.
func (c *Overview) split(wanted func(id uint32) bool) (list []Lock, others map[[2]string]*charged) {
	roots := c.rootsOf()
	for one := range c.charged() {
		if wanted(one.id) {
			list = append(list, c.lock(&one, roots))
			continue
		}
		if others == nil {
			others = map[[2]string]*charged{}
		}
		sum := blame.Entry(others, [2]string{c.class(one.id), c.siteOf(&one)})
		if sum.ids == nil {
			sum.id = one.id
		}
		sum.merge(&one)
	}
	sortLocks(list)
	return list, others
}

// sortLocks sorts in descending order of waiting.
func sortLocks(list []Lock) {
	blame.ByWaiting(list, func(l Lock) (int64, string) { return l.WaitNs, l.Name })
}

// charged holds the sums of one lock, or of several.
type charged struct {
	id             uint32  // of the first lock
	owners, places []int32 // rows
	ns             int64
	ids            []uint32 // of several locks
}

func (c *charged) merge(one *charged) {
	c.owners = append(c.owners, one.owners...)
	c.places = append(c.places, one.places...)
	c.ids = append(c.ids, one.id)
	c.ns += one.ns
}

// compare orders sums by waiting, the most first.
func (c *charged) compare(o *charged) int {
	return cmp.Or(cmp.Compare(o.ns, c.ns), cmp.Compare(c.id, o.id))
}

// charged visits the contended locks in order of their ids.
func (c *Overview) charged() iter.Seq[charged] {
	owners, places := c.owners.byLock(), c.waiters.byLock()
	return func(yield func(charged) bool) {
		for len(places) > 0 {
			one := charged{id: c.waiters.id(places[0], 0)}
			for len(owners) > 0 && c.owners.id(owners[0], 0) < one.id {
				owners = owners[1:]
			}
			one.places, places = c.waiters.upTo(places, one.id)
			one.owners, owners = c.owners.upTo(owners, one.id)
			for _, r := range one.places {
				one.ns += c.waiters.ns[r]
			}
			if !yield(one) {
				return
			}
		}
	}
}

// lock returns the overview of a lock from its sums.
func (c *Overview) lock(of *charged, roots [][]partEnd) Lock {
	l := Lock{
		ID:      of.id,
		Name:    c.text(c.owners.by[0], of.id),
		Class:   c.class(of.id),
		Site:    c.siteOf(of),
		Owners:  c.ownersOf(of.owners, roots),
		Waiting: c.waitersOf(of.places),
	}
	for _, w := range l.Waiting {
		l.WaitNs += w.WaitNs
	}
	for i := range l.Owners {
		l.Owners[i].Share = analysis.Ratio(l.Owners[i].WaitNs, l.WaitNs)
	}
	return l
}

// waitersOf joins rows of waiters by site, in descending order of waiting.
func (c *Overview) waitersOf(rows []int32) (out []Site) {
	for _, g := range c.waiters.groups(rows, 1) {
		out = append(out, Site{c.text(blame.ByWaiterSite, g.id), g.ns, g.waits})
	}
	return blame.ByWaiting(out, func(s Site) (int64, string) { return s.WaitNs, s.Site })
}

// ownersOf joins the rows of one lock by site.
func (c *Overview) ownersOf(rows []int32, roots [][]partEnd) []Owner {
	var out []Owner
	for _, g := range c.owners.groups(rows, 1) {
		o := Owner{
			Site:         c.text(blame.ByOwnerSite, g.id),
			WaitNs:       g.ns,
			Callers:      []Callers{},
			Doing:        []Doing{},
			ByProvenance: g.byProvenance,
		}
		if !blame.Pseudo(g.id) {
			o.In = c.keys.Sites().OnlyInFrame(g.id)
			o.Callers = append(o.Callers, c.callersOf(g.rows)...)
			o.Doing = append(o.Doing, c.doingsOf(g.rows, roots)...)
			o.Threads = c.stackless.threads(g.rows, c.sym.ThreadName)
		}
		out = append(out, o)
	}
	return blame.ByWaiting(out, func(o Owner) (int64, string) { return o.WaitNs, o.Site })
}

// doingsOf joins the rows of one owner by its activity.
func (c *Overview) doingsOf(rows []int32, roots [][]partEnd) []Doing {
	var out []Doing
	for _, g := range c.owners.groups(rows, 3) {
		d := Doing{What: doingOf(g.id).String(), WaitNs: g.ns, ByProvenance: g.byProvenance}
		if d.What == blame.Blocked.String() {
			d.Class = c.keys.BlockedOn(g.id)
			d.Root = c.mostlyBehind(g.rows, roots)
		}
		out = append(out, d)
	}
	return blame.ByWaiting(out, func(d Doing) (int64, string) { return d.WaitNs, d.What + " " + d.Class })
}

// callersOf joins the rows of one owner by the frames around its site.
func (c *Overview) callersOf(rows []int32) (out []Callers) {
	for _, g := range c.owners.groups(rows, 2) {
		if frames := c.keys.Sites().CallersFrames(g.id); frames != nil {
			out = append(out, Callers{frames, g.ns})
		}
	}
	return sortCallers(out)
}

func (a Amount) compare(b Amount) int {
	return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Text, b.Text))
}

// partEnd is a lock at which chains of waits end, and the waiting behind it.
type partEnd struct {
	root format.ObjectID
	ns   int64
}

// rootsOf lists the ends of chains of each row of owners.
func (c *Overview) rootsOf() [][]partEnd {
	out := make([][]partEnd, len(c.owners.ns))
	for of, ns := range c.roots {
		out[of.part] = append(out[of.part], partEnd{of.root, ns})
	}
	return out
}

// mostlyBehind returns the lock at the end of most chains behind some rows.
func (c *Overview) mostlyBehind(rows []int32, roots [][]partEnd) Amount {
	sums := map[uint32]int64{}
	for _, row := range rows {
		for _, r := range roots[row] {
			sums[uint32(r.root)] += r.ns
		}
	}
	return c.largest(sums, blame.ByRootLock)
}

// largest returns the largest of some sums by the ids of a key; unknown stacks have none.
func (c *Overview) largest(sums map[uint32]int64, by blame.Key) (most Amount) {
	for id, ns := range sums {
		if most.Text != "" && ns < most.WaitNs {
			continue // a comparison of names is needed for ties only
		}
		if one := (Amount{c.text(by, id), ns}); one.Text != analysis.UnknownStack &&
			(most.Text == "" || one.compare(most) < 0) {
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
	if c.owners.by[0] == blame.ByClass {
		return c.text(blame.ByClass, id)
	}
	return c.sym.ClassName(format.ObjectID(id))
}
