package cube

import "contend/blame"

// Dim is one dimension of a row, besides time: a place in its Key.
type Dim uint8

// The dimensions of a page. Class, method and site follow from lock and stack.
const (
	Lock Dim = iota
	WaiterGroup
	WaiterStack
	OwnerGroup // of the direct owner
	OwnerStack
	OwnerDoing
	BlockedOn // the lock the direct owner waited for itself
	RootGroup // of the owner at the end of the chain
	RootStack
	RootDoing
	RootLock   // the last of the chain
	Provenance // how the direct owner is known
	Dims
)

// dims are the columns of a page's dimensions.
var dims = [Dims]blame.Column{
	Lock:        {Key: blame.ByLock},
	WaiterGroup: {Key: blame.ByWaiterGroup},
	WaiterStack: {Key: blame.ByWaiterStack},
	OwnerGroup:  {Key: blame.ByOwnerGroup},
	OwnerStack:  {Key: blame.ByOwnerStack},
	OwnerDoing:  {Key: blame.ByOwnerDoing},
	BlockedOn:   {Key: blame.ByOwnerBlockedOn},
	RootGroup:   {Key: blame.ByOwnerGroup, Root: true},
	RootStack:   {Key: blame.ByOwnerStack, Root: true},
	RootDoing:   {Key: blame.ByOwnerDoing, Root: true},
	RootLock:    {Key: blame.ByRootLock, Root: true},
	Provenance:  {Key: blame.ByProvenance},
}

// Names are the dimensions as documents write them.
var Names = [Dims]string{
	Lock:        "lock",
	WaiterGroup: "waiterGroup",
	WaiterStack: "waiterStack",
	OwnerGroup:  "ownerGroup",
	OwnerStack:  "ownerStack",
	OwnerDoing:  "ownerDoing",
	BlockedOn:   "blockedOn",
	RootGroup:   "rootGroup",
	RootStack:   "rootStack",
	RootDoing:   "rootDoing",
	RootLock:    "rootLock",
	Provenance:  "provenance",
}

// Key tells rows apart: an id for each column, in the numbers of the trace, see Cube.Text.
type Key [Dims]uint32

// Other is the id of what was merged to keep the table small.
const Other = uint32(blame.Other)

// withoutStacks and nameless are the keys that a row of a page is merged into: without its
// stacks, and what owners with such stacks were at, if there are other rows of its lock and
// groups, else without those as well. How the owner is known stays.
func (k Key) withoutStacks() Key {
	return k.with(WaiterStack, OwnerStack, OwnerDoing, BlockedOn, RootStack, RootDoing, RootLock)
}

func (k Key) nameless() Key {
	if k[Lock] != Other && k[Lock]&aResource != 0 { // resources are never added to locks
		return k.withoutStacks().with(WaiterGroup, OwnerGroup, RootGroup)
	}
	return k.withoutStacks().with(Lock, WaiterGroup, OwnerGroup, RootGroup)
}

// groups are those dimensions of a key that have nothing to do with stacks.
type groups [5]uint32

// groups are what withoutStacks leaves of a key.
func (k Key) groups() groups {
	return groups{k[Lock], k[WaiterGroup], k[OwnerGroup], k[RootGroup], k[Provenance]}
}

func (k Key) with(other ...Dim) Key {
	for _, d := range other {
		k[d] = Other
	}
	return k
}
