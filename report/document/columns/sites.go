package columns

import (
	"contend/analysis"
	"contend/blame"
	"contend/blame/cube"
	"contend/format"
	"contend/report/text"
)

// siteColumns are the sites of each row, as numbers of names. A frame that took a
// lock is a node of the owner's stack, -1 where it is not known.
type siteColumns struct {
	WaiterSite []int32 `json:"waiterSite"` // where the waiter waits
	OwnerSite  []int32 `json:"ownerSite"`  // where the owner took the lock, or the pseudo owner
	OwnerTook  []int32 `json:"ownerTook"`
	RootSite   []int32 `json:"rootSite"` // the same of the end of the chain, and its lock
	RootTook   []int32 `json:"rootTook"`
}

// addSites adds the sites of the row of a key. Rows are added in order.
func (n *numbering) addSites(key cube.Key) {
	t := &n.table.Sites
	waiter, _ := n.cube.Text(cube.WaiterStack, key[cube.WaiterStack])
	if key[cube.WaiterStack] != cube.Other {
		waiter = n.sites.Names().Name(n.sites.Waiter(format.StackID(key[cube.WaiterStack])))
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
	return n.name(text.OwnerAt(n.sites.Names().Name(site), n.sites.In(site)))
}

// taking returns the node of the frame that took a lock.
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

// doing names the activity of an owner in one of the longest waits, -1 where it is not
// known.
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
