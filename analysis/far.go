package analysis

import (
	"iter"

	"contend/format"
)

// MaxPath is how many locks of a path are followed wherever it changes. A change at the
// end of a chain of 10,000 waits would otherwise end the slices of all of them, and
// there are as many changes as waits. A slice of a longer path goes on while what lies
// further away changes. Its direct owner is right to the nanosecond all the same, and so
// is its root since the last such change; before it the root is unknown. Where a long
// path has not changed for a while, all slices end with the next change nevertheless,
// so that only short intervals have an unknown root.
const MaxPath = 32

// Further returns the locks passed after the first, as Path has them, but no more than
// MaxPath.
func (s *Share) Further() iter.Seq[*Hop] {
	return func(yield func(*Hop) bool) {
		n := 0
		for h := s.Path; h != nil && n < MaxPath && yield(h); h = h.Next {
			n++
		}
	}
}

// Far reports whether Further leaves out locks.
func (s *Share) Far() bool { return s.Hops-1 > MaxPath }

// newFar returns what is known when the first path is that long: until now every
// change has ended all slices.
func newFar(locks int) []farLock {
	far := make([]farLock, locks)
	for i := range far {
		far[i] = farLock{changed: format.NoTime, found: format.NoTime, flushed: format.NoTime}
	}
	return far
}

// step returns the lock for which the owner of a lock waits, if one thread owns it.
func (g *graph) step(lock format.ObjectID) (format.ObjectID, bool) {
	holders := g.holders(lock)
	if len(holders) != 1 {
		return format.NoObject, false
	}
	next := g.blockedOn(holders[0].Owner()).lock
	return next, next != format.NoObject
}

// ahead returns the lock MaxPath further on the path from a lock; false where it ends
// before.
func (g *graph) ahead(lock format.ObjectID) (to format.ObjectID, ok bool) {
	f := &g.far[lock]
	if f.found > f.changed {
		return f.ahead, true
	}
	to = lock
	for range MaxPath {
		if to, ok = g.step(to); !ok {
			return to, false
		}
	}
	f.ahead, f.found = to, g.now
	return to, true
}

// farRoute is the route from a lock with its first hop only. A circle is one path for all
// who wait there, as most of them are behind it.
func (g *graph) farRoute(lock format.ObjectID) route {
	r := route{round: g.routes.round, single: true, direct: g.owners[lock][0].Owner(), changed: format.NoTime, told: 1, path: g.hops.add(g.hop(lock))}
	at := lock
	for {
		r.changed = max(r.changed, g.far[at].changed)
		to, ok := g.ahead(at)
		if !ok {
			break
		}
		at = to
		if r.hops += MaxPath; r.hops > len(g.far) {
			r.root, r.hops = g.circleAt(at, r.changed)
			r.last = at
			return r
		}
	}
	for next, ok := g.step(at); ok; next, ok = g.step(next) {
		at = next
		r.hops++
	}
	r.hops, r.last = r.hops+1, at
	switch holders := g.holders(at); len(holders) {
	case 0:
		r.root = g.unowned(at)
	case 1:
		r.root = holders[0].Owner()
	default: // readers: a long path is not split
		r.root = unknownRoot
	}
	return r
}

// unknownRoot is the end of a path that is not known.
var unknownRoot = Owner{Kind: OwnerUnknown, Prov: Unknown}

// circleAt returns the pseudo owner of the circle that a lock is on, and how many locks
// that has. It was there already if it was found after the last change.
func (g *graph) circleAt(lock format.ObjectID, changed int64) (Owner, int) {
	if c, met := g.circles[lock]; met && c.found > changed {
		return c.owner, c.locks
	}
	locks := []format.ObjectID{lock}
	for next, _ := g.step(lock); next != lock; next, _ = g.step(next) {
		locks = append(locks, next)
	}
	c := circle{g.circleOf(locks), len(locks), g.now}
	if g.circles == nil {
		g.circles = map[format.ObjectID]circle{}
	}
	for _, l := range locks {
		g.circles[l] = c
	}
	return c.owner, c.locks
}

// circleOf returns the pseudo owner of a circle of locks.
func (g *graph) circleOf(locks []format.ObjectID) Owner {
	path := make([]Hop, len(locks))
	for i, l := range locks {
		path[i] = g.hop(l)
	}
	return g.cycles.owner(path, g.owners[locks[0]][0].Prov)
}

// hop returns what the one owner of a lock waits for.
func (g *graph) hop(lock format.ObjectID) Hop {
	holder := &g.owners[lock][0]
	b := g.blocked[holder.Thread]
	return Hop{Thread: holder.Thread, Stack: b.stack, Lock: b.lock}
}

// closed makes the routes from the locks of a circle, for who is not on it: once round.
// In a circle of more than MaxPath locks the others take them, too.
func (g *graph) closed(locks []format.ObjectID) {
	n := len(locks)
	r := route{round: g.routes.round, circle: true, single: n > MaxPath, hops: n + 1, told: n, root: g.circleOf(locks), changed: format.NoTime}
	for _, l := range locks {
		if g.far != nil {
			r.changed = max(r.changed, g.far[l].changed)
		}
	}
	var long *Hop // round once, and on so far that each has MaxPath hops
	for i := n + MaxPath - 1; i >= 0 && r.single; i-- {
		hop := g.hop(locks[i%n])
		hop.Next = long
		long = g.hops.add(hop)
		g.routes.byLock[locks[i%n]].path = long
	}
	for i, l := range locks {
		to := &g.routes.byLock[l]
		r.direct, r.last, r.path = g.owners[l][0].Owner(), l, to.path
		for j := i + n - 1; j >= i && !r.single; j-- {
			hop := g.hop(locks[j%n])
			hop.Next = r.path
			r.path = g.hops.add(hop)
		}
		*to = r
	}
}
