package analysis

import "contend/format"

// Acquisition is a stack with which threads acquired a lock, or tried to; in the list of
// releases, one with which they released it.
type Acquisition struct {
	Stack format.StackID
	Lock  format.ObjectID
}

// Uses is the set of things that events show a stack doing.
type Uses uint16

// Uses of a stack other than a format.Activity.
const (
	Acquiring Uses = 1 << (14 + iota) // a lock, waiting for it or not
	Releasing                         // a lock
)

// Did returns the use of a stack by an activity.
func Did(a format.Activity) Uses { return 1 << min(a, 13) }

// Has reports whether a set includes another.
func (u Uses) Has(all Uses) bool { return u&all == all }

// stackUses is how events use stacks. Visitors read the lists, so these change only while
// visitors are idle, see Definer.
type stackUses struct {
	acquisitions, releases pairs
	uses                   []Uses // by stack
}

// Acquisitions returns the acquisition sites of locks, in the order in which they were
// found. The list only grows.
func (u *stackUses) Acquisitions() []Acquisition { return u.acquisitions.list }

// Releases returns the release sites of locks, in the order in which they were found.
func (u *stackUses) Releases() []Acquisition { return u.releases.list }

// Uses returns the uses of a stack so far.
func (u *stackUses) Uses(id format.StackID) Uses {
	if int(id) < len(u.uses) {
		return u.uses[id]
	}
	return 0
}

// use adds uses to a stack.
func (u *stackUses) use(id format.StackID, what Uses) {
	for len(u.uses) <= int(id) {
		u.uses = append(u.uses, 0)
	}
	u.uses[id] |= what
}

// pairs is a list of distinct pairs of stack and lock.
type pairs struct {
	list  []Acquisition
	known map[Acquisition]struct{}
	last  []format.ObjectID // by stack: its latest lock, as few stacks acquire several
}

// has reports whether a pair is in the list.
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

// appendPair appends a pair.
func (p *pairs) appendPair(a Acquisition) {
	if p.known == nil {
		p.known = map[Acquisition]struct{}{}
	}
	for len(p.last) <= int(a.Stack) {
		p.last = append(p.last, format.NoObject)
	}
	p.known[a], p.last[a.Stack] = struct{}{}, a.Lock
	p.list = append(p.list, a)
}
