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

// Column is what a dimension holds: a key of blame, of the direct owner or, with Root, of
// the owner at the end of the chain. Known is the one column that is no key.
type Column struct {
	Key  blame.Key
	Root bool

	name  string // in documents
	known bool
}

// Known is how the direct owner is known, as an analysis.Word. It is the last column.
var Known = Column{name: "provenance", known: true}

// dims is the one list of a page's dimensions.
var dims = [Dims]Column{
	Lock:        {name: "lock", Key: blame.ByLock},
	WaiterGroup: {name: "waiterGroup", Key: blame.ByWaiterGroup},
	WaiterStack: {name: "waiterStack", Key: blame.ByWaiterStack},
	OwnerGroup:  {name: "ownerGroup", Key: blame.ByOwnerGroup},
	OwnerStack:  {name: "ownerStack", Key: blame.ByOwnerStack},
	OwnerDoing:  {name: "ownerDoing", Key: blame.ByOwnerDoing},
	BlockedOn:   {name: "blockedOn", Key: blame.ByOwnerBlockedOn},
	RootGroup:   {name: "rootGroup", Key: blame.ByOwnerGroup, Root: true},
	RootStack:   {name: "rootStack", Key: blame.ByOwnerStack, Root: true},
	RootDoing:   {name: "rootDoing", Key: blame.ByOwnerDoing, Root: true},
	RootLock:    {name: "rootLock", Key: blame.ByRootLock, Root: true},
	Provenance:  Known,
}

// Names are the dimensions as documents write them.
func Names() (names [Dims]string) {
	for d := range dims {
		names[d] = dims[d].name
	}
	return names
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
