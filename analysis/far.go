package analysis

import (
	"iter"

	"contend/format"
)

// MaxPath is the number of locks on a path behind which a change no longer ends a slice.
// Otherwise a change at the end of a chain of 10,000 waits would end the slices of all of
// them, and there are as many changes as waits. A slice of a longer path continues while
// its far end changes. Its direct owner is exact all the same, and so is its root since the
// last such change; before that the root is unknown. After a long path has not changed for
// a while, the next change does end all slices, so only short intervals have an unknown
// root.
const MaxPath = 32

// Further iterates over the hops of Path, MaxPath of them at most.
func (s *Share) Further() iter.Seq[*Hop] {
	return func(yield func(*Hop) bool) {
		n := 0
		for h := s.Path; h != nil && n < MaxPath && yield(h); h = h.Next {
			n++
		}
	}
}

// Far reports whether Further leaves out hops.
func (s *Share) Far() bool { return s.Hops-1 > MaxPath }

// newFar returns the state of all locks when the first long path appears: until then every
// change has ended all slices.
func newFar(locks int) []farLock {
	far := make([]farLock, locks)
	for i := range far {
		far[i] = farLock{changed: format.NoTime, found: format.NoTime, flushed: format.NoTime}
	}
	return far
}

// step returns the lock that a lock's only owner waits for; ok is false if there is none.
func (g *graph) step(lock format.ObjectID) (format.ObjectID, bool) {
	holders := g.holders(lock)
	if len(holders) != 1 {
		return format.NoObject, false
	}
	next := g.blockedOn(holders[0].Owner()).lock
	return next, next != format.NoObject
}

// ahead returns the lock MaxPath further on the path from a lock; ok is false if the path
// is shorter.
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

// farRoute returns the route from a lock with its first hop only. A cycle counts as one
// path for all waiters, because most of them are behind it.
func (g *graph) farRoute(lock format.ObjectID) route {
	r := route{round: g.routes.round, single: true, direct: g.owners[lock][0].Owner(), changed: format.NoTime, pathHops: 1, path: g.hops.add(g.hop(lock))}
	at := lock
	for {
		r.changed = max(r.changed, g.far[at].changed)
		to, ok := g.ahead(at)
		if !ok {
			break
		}
		at = to
		if r.hops += MaxPath; r.hops > len(g.far) {
			r.root, r.hops = g.cycleAt(at, r.changed)
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

// unknownRoot is the root of a path whose end is unknown.
var unknownRoot = Owner{Kind: OwnerUnknown, Prov: Unknown}

// cycleAt returns the pseudo owner of the cycle that a lock is on, and the cycle's length
// in locks. A cycle found after the last change is reused.
func (g *graph) cycleAt(lock format.ObjectID, changed int64) (Owner, int) {
	if c, found := g.longCycles[lock]; found && c.found > changed {
		return c.owner, c.locks
	}
	locks := []format.ObjectID{lock}
	for next, _ := g.step(lock); next != lock; next, _ = g.step(next) {
		locks = append(locks, next)
	}
	c := longCycle{g.cycleOwner(locks), len(locks), g.now}
	if g.longCycles == nil {
		g.longCycles = map[format.ObjectID]longCycle{}
	}
	for _, l := range locks {
		g.longCycles[l] = c
	}
	return c.owner, c.locks
}

// cycleOwner returns the pseudo owner of a cycle of locks.
func (g *graph) cycleOwner(locks []format.ObjectID) Owner {
	path := make([]Hop, len(locks))
	for i, l := range locks {
		path[i] = g.hop(l)
	}
	return g.cycles.owner(path, g.owners[locks[0]][0].Prov)
}

// hop returns the hop from a lock: its only owner and what that waits for.
func (g *graph) hop(lock format.ObjectID) Hop {
	holder := &g.owners[lock][0]
	b := g.blocked[holder.Thread]
	return Hop{Thread: holder.Thread, Stack: b.stack, Lock: b.lock}
}

// closeCycle sets the routes from the locks of a cycle, once around, for waiters outside of
// it. In a cycle of more than MaxPath locks its own waiters use them as well.
func (g *graph) closeCycle(locks []format.ObjectID) {
	n := len(locks)
	r := route{round: g.routes.round, onCycle: true, single: n > MaxPath, hops: n + 1, pathHops: n, root: g.cycleOwner(locks), changed: format.NoTime}
	for _, l := range locks {
		if g.far != nil {
			r.changed = max(r.changed, g.far[l].changed)
		}
	}
	var long *Hop // once around and MaxPath further, so that each lock has enough hops
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
