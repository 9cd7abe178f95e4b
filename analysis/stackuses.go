package analysis

import "contend/format"

// Acquisition is a stack with which threads took a lock, or tried to.
type Acquisition struct {
	Stack format.StackID
	Lock  format.ObjectID
}

// Uses is what the events of a trace show a stack at: a set.
type Uses uint16

// What a stack may be seen at, besides each format.Activity.
const (
	Acquiring Uses = 1 << (14 + iota) // a lock, waiting for it or not
	Releasing                         // a lock
)

// Did returns the use of a stack by an activity.
func Did(a format.Activity) Uses { return 1 << min(a, 13) }

// Has reports whether a set holds all of another.
func (u Uses) Has(all Uses) bool { return u&all == all }

// stackUses is what events show of stacks besides their frames. The lists are
// what visitors read: they change while these are idle only, see definer.
type stackUses struct {
	acquisitions []Acquisition // each once
	uses         []Uses        // by stack

	known map[Acquisition]struct{}
	last  []format.ObjectID // by stack: what it was seen acquiring last, as few stacks take several locks
}

// Acquisitions returns where locks were seen taken, in the order in which it was
// learnt; the list only grows.
func (u *stackUses) Acquisitions() []Acquisition { return u.acquisitions }

// Uses returns what a stack has been seen at.
func (u *stackUses) Uses(id format.StackID) Uses {
	if int(id) < len(u.uses) {
		return u.uses[id]
	}
	return 0
}

// isKnown reports whether an acquisition is on the list.
func (u *stackUses) isKnown(a Acquisition) bool {
	if int(a.Stack) < len(u.last) && u.last[a.Stack] == a.Lock {
		return true
	}
	_, known := u.known[a]
	if known {
		u.last[a.Stack] = a.Lock
	}
	return known
}

// acquired puts an acquisition on the list.
func (u *stackUses) acquired(a Acquisition) {
	if u.known == nil {
		u.known = map[Acquisition]struct{}{}
	}
	for len(u.last) <= int(a.Stack) {
		u.last = append(u.last, format.NoObject)
	}
	u.known[a], u.last[a.Stack] = struct{}{}, a.Lock
	u.acquisitions = append(u.acquisitions, a)
	u.use(a.Stack, Acquiring)
}

// use notes what a stack was seen at.
func (u *stackUses) use(id format.StackID, what Uses) {
	for len(u.uses) <= int(id) {
		u.uses = append(u.uses, 0)
	}
	u.uses[id] |= what
}
