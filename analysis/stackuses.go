package analysis

import "contend/format"

// Acquisition is a stack with which threads took a lock, or tried to; among releases,
// with which they gave it back.
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
	acquisitions, releases pairs
	uses                   []Uses // by stack
}

// Acquisitions returns where locks were seen taken, in the order in which it was
// learnt; the list only grows.
func (u *stackUses) Acquisitions() []Acquisition { return u.acquisitions.list }

// Releases returns where locks were seen given back, in the same way.
func (u *stackUses) Releases() []Acquisition { return u.releases.list }

// Uses returns what a stack has been seen at.
func (u *stackUses) Uses(id format.StackID) Uses {
	if int(id) < len(u.uses) {
		return u.uses[id]
	}
	return 0
}

// use notes what a stack was seen at.
func (u *stackUses) use(id format.StackID, what Uses) {
	for len(u.uses) <= int(id) {
		u.uses = append(u.uses, 0)
	}
	u.uses[id] |= what
}

// pairs is a list on which each stack and lock stand once.
type pairs struct {
	list  []Acquisition
	known map[Acquisition]struct{}
	last  []format.ObjectID // by stack: what it was seen with last, as few stacks take several locks
}

// has reports whether a pair is on the list.
func (p *pairs) has(a Acquisition) bool {
	if int(a.Stack) < len(p.last) && p.last[a.Stack] == a.Lock {
		return true
	}
	_, known := p.known[a]
	if known {
		p.last[a.Stack] = a.Lock
	}
	return known
}

// add puts a pair on the list.
func (p *pairs) add(a Acquisition) {
	if p.known == nil {
		p.known = map[Acquisition]struct{}{}
	}
	for len(p.last) <= int(a.Stack) {
		p.last = append(p.last, format.NoObject)
	}
	p.known[a], p.last[a.Stack] = struct{}{}, a.Lock
	p.list = append(p.list, a)
}
