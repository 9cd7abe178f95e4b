package page

import (
	"contend/analysis"
	"contend/blame"
	"contend/blame/cube"
	"contend/blame/doing"
	"contend/format"
)

// told is what stacks and locks tell of each row, as numbers of names.
type told struct {
	OwnerSite  []int32 `json:"ownerSite"`  // where the owner took the lock, or the pseudo owner
	WaiterSite []int32 `json:"waiterSite"` // where the waiter waits
	Took       []int32 `json:"took"`       // the frame in the owner's stack that did, a node; -1 for none
	Doing      []int32 `json:"doing"`      // what the owner was at, -1 where nothing tells
}

// tell adds what is told of the row of a key. Rows are added in order.
func (n *numbering) tell(key cube.Key) {
	t := &n.table.Told
	waiter, _ := n.cube.Text(cube.WaiterStack, key[cube.WaiterStack])
	if key[cube.WaiterStack] != cube.Other {
		waiter = n.sites.Names().Name(n.sites.Waiter(format.StackID(key[cube.WaiterStack])))
	}
	t.WaiterSite = append(t.WaiterSite, n.name(waiter))
	site, took, at := n.owned(key)
	t.OwnerSite, t.Took, t.Doing = append(t.OwnerSite, n.name(site)), append(t.Took, took), append(t.Doing, at)
}

// owned says where the direct owner of a row took the lock, at which node of its
// stack, and what it was at.
func (n *numbering) owned(key cube.Key) (site string, took, at int32) {
	id, lock := key[cube.OwnerStack], key[cube.Lock]
	if id == cube.Other || lock == cube.Other || blame.Pseudo(id) {
		text, _ := n.cube.Text(cube.OwnerStack, id)
		return text, -1, -1
	}
	stack, object := format.StackID(id), format.ObjectID(lock)
	site = n.sites.Names().Name(n.sites.Owner(stack, object))
	return site, n.taking(stack, object, id), n.doing(stack, id != key[cube.RootStack])
}

// taking returns the node of the frame that took a lock.
func (n *numbering) taking(stack format.StackID, lock format.ObjectID, id uint32) int32 {
	outwards := len(n.sites.Taking(stack, lock))
	if outwards == 0 {
		return -1
	}
	node := n.id(cube.OwnerStack, id)
	_, frames := n.cube.Text(cube.OwnerStack, id)
	for range len(frames) - outwards {
		node = n.table.Stacks.Caller[node]
	}
	return node
}

// doing names what an owner was at; one that was itself blocked was at that.
func (n *numbering) doing(stack format.StackID, blocked bool) int32 {
	d := n.sites.Doing(stack)
	if blocked {
		d = doing.Blocked
	}
	if d == doing.Unknown {
		return -1
	}
	return n.name(d.String())
}

// ownerDoing is doing of an owner in one of the longest waits.
func (n *numbering) ownerDoing(o analysis.Owner) int32 {
	if o.Kind != analysis.OwnerThread {
		return -1
	}
	return n.doing(o.Stack, false)
}
