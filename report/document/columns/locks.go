package columns

import (
	"cmp"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/blame/cube"
	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// lock is a lock with its name in commands, and with its name for people: its class and its place in
// the program. Locks of one place have numbers in addition, by waiting.
type lock struct {
	Name     string `json:"name"`
	Class    int32  `json:"class"` // of Classes
	Kind     string `json:"kind"`
	Resource bool   `json:"resource,omitempty"` // not a lock: a pool, a queue, a latch
	Place    int32  `json:"place"`
	Number   int    `json:"number,omitempty"`

	Holders  []document.Holder `json:"holders,omitempty"`  // of a pool's objects, or those that ran the tasks
	Released []released        `json:"released,omitempty"` // of a resource: the known sites that ended the waits
}

// released is one of the sites, or groups of threads, that ended waits for resources.
type released struct {
	Site  string  `json:"site,omitempty"`
	Group string  `json:"group,omitempty"`
	Share float64 `json:"share"` // of the waiting
}

// maxReleased bounds the sites and groups of a resource.
const maxReleased = 3

func releasedBy(r *document.Resource) (list []released) {
	for _, u := range r.Users[:min(len(r.Users), maxReleased)] {
		list = append(list, released{u.Site, u.Group, float64(u.WaitNs) / float64(max(r.WaitNs, 1))})
	}
	return list
}

// class is a class of locks. No two have one printed name.
type class struct {
	Name  string `json:"name"`
	Shown string `json:"shown"`
}

// place identifies locks that have one name for people.
type place struct{ class, site string }

// lock adds a lock of the trace.
func (n *numbering) lock(id uint32, name string) int32 {
	t := n.table
	if p, ok := n.cube.Resource(id); ok {
		w := n.resources[p]
		t.Locks = append(
			t.Locks,
			lock{
				Name:     name,
				Class:    n.class(p.What),
				Kind:     w.Kind,
				Resource: true,
				Holders:  w.Of.Holders[:min(len(w.Of.Holders), maxReleased)],
				Released: releasedBy(w.Of),
			},
		)
	} else {
		t.Locks = append(t.Locks, lock{Name: name, Class: n.class(n.cube.Class(id)), Kind: n.cube.Kind(id).String()})
	}
	n.objects = append(n.objects, format.ObjectID(id))
	n.waited = append(n.waited, 0)
	return int32(len(t.Locks) - 1)
}

func (n *numbering) class(name string) int32 {
	i, added := n.classes.Intern(name)
	if added {
		shown := n.plain.Class(name)
		if n.shown[shown] {
			shown = name
		}
		n.shown[shown] = true
		n.table.Classes = append(n.table.Classes, class{name, shown})
	}
	return int32(i)
}

// nameLocks sets the names of all locks. No two places have one name.
func (n *numbering) nameLocks() {
	t := n.table
	at := format.Interner[place]{}
	taken := map[string]bool{}
	order := make([]int32, len(t.Locks))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(n.waited[b], n.waited[a]) })
	alike := map[int32][]int32{}
	for _, i := range order {
		key, shown := n.place(i)
		number, added := at.Intern(key)
		p := int32(number)
		if added {
			for taken[shown] {
				shown = distinct(shown, key)
			}
			taken[shown] = true
			t.Places = append(t.Places, shown)
		}
		t.Locks[i].Place = p
		alike[p] = append(alike[p], i)
	}
	for _, list := range alike {
		for number, i := range list {
			if len(list) > 1 {
				t.Locks[i].Number = number + 1
			}
		}
	}
}

// place returns the place of a lock, and its name.
func (n *numbering) place(i int32) (place, string) {
	l, class := &n.table.Locks[i], n.table.Classes[n.table.Locks[i].Class].Name
	if n.objects[i] == format.ObjectID(cube.Other) {
		return place{class, l.Name}, l.Name
	}
	if p, ok := n.cube.Resource(uint32(n.objects[i])); ok {
		return place{p.What, p.Site}, strings.Join(n.plain.Resource(p.What, p.Site), " ")
	}
	site := n.content.Sites[n.objects[i]]
	if !document.Placed(site) {
		return place{class, l.Name}, strings.Join(n.plain.Lock(l.Name, class, ""), " ")
	}
	return place{class, site}, n.plain.Class(class) + " at " + n.plain.Name(site)
}

// distinct writes a place in full if another one has its short name.
func distinct(shown string, p place) string {
	if whole := p.class + " at " + p.site; shown != whole {
		return whole
	}
	return shown + "'"
}

// siteColumns are the sites of each row, as numbers of names. A frame that acquired a lock is a node
// of the owner's stack, -1 if unknown.
type siteColumns struct {
	WaiterSite []int32 `json:"waiterSite"` // where the waiter waits
	OwnerSite  []int32 `json:"ownerSite"`  // where the owner acquired the lock, or the pseudo owner
	OwnerTook  []int32 `json:"ownerTook"`
	RootSite   []int32 `json:"rootSite"` // where the owner at the end of the chain acquired its lock
	RootTook   []int32 `json:"rootTook"`
}

// addSites adds the sites of the row of a key. Rows are added in order.
func (n *numbering) addSites(key cube.Key) {
	t := &n.table.Sites
	waiter, _ := n.cube.Text(cube.WaiterStack, key[cube.WaiterStack])
	if key[cube.WaiterStack] != cube.Other {
		waiter = n.sites.Names().Value(n.sites.Waiter(format.StackID(key[cube.WaiterStack])))
	}
	t.WaiterSite = append(t.WaiterSite, n.name(waiter))
	site, took := n.owned(cube.OwnerStack, key[cube.OwnerStack], key[cube.Lock])
	t.OwnerSite, t.OwnerTook = append(t.OwnerSite, site), append(t.OwnerTook, took)
	site, took = n.owned(cube.RootStack, key[cube.RootStack], key[cube.RootLock])
	t.RootSite, t.RootTook = append(t.RootSite, site), append(t.RootTook, took)
}

// owned returns the site where the owner of a lock acquired it, and the node of its stack.
func (n *numbering) owned(d cube.Dim, id, lock uint32) (site, took int32) {
	if id == cube.Other || lock == cube.Other || blame.Pseudo(id) {
		name, _ := n.cube.Text(d, id)
		return n.name(name), -1
	}
	stack, object := format.StackID(id), format.ObjectID(lock)
	return n.ownerSite(stack, object), n.taking(d, id, object)
}

// ownerSite names the site of a lock's owner, as the first screen does.
func (n *numbering) ownerSite(stack format.StackID, lock format.ObjectID) int32 {
	site := n.sites.Owner(stack, lock)
	return n.name(text.OwnerAt(n.sites.Names().Value(site), n.sites.OnlyInFrame(site)))
}

// taking returns the node of the frame that acquired a lock.
func (n *numbering) taking(d cube.Dim, id uint32, lock format.ObjectID) int32 {
	outwards := len(n.sites.Taking(format.StackID(id), lock))
	if outwards == 0 {
		return -1
	}
	node := n.id(d, id)
	_, frames := n.cube.Text(d, id)
	for range len(frames) - outwards {
		node = n.table.Stacks.Caller[node]
	}
	return node
}

// doing names the activity of an owner in one of the longest waits, -1 if unknown.
func (n *numbering) doing(o analysis.Owner) int32 {
	if o.Kind != analysis.OwnerThread {
		return -1
	}
	d := blame.RecordedDoing(o.Did)
	if d == blame.DoingUnknown {
		d = n.sites.Doing(o.Stack)
	}
	if d == blame.DoingUnknown {
		return -1
	}
	return n.name(d.String())
}
