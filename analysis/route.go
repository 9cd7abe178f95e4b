package analysis

import (
	"slices"

	"contend/format"
)

// changed invalidates all routes.
func (g *graph) changed() { g.routes.round++ }

// single fills in the share that all waiters of a lock have, except for its duration. It
// returns false if they do not share one: the path branches, returns to the lock, or its
// root changed after an instant. In most calls the owner is not blocked. The share is
// written in place, because there is one for each slice.
func (g *graph) single(lock format.ObjectID, since int64, to *Share) bool {
	holders := g.holders(lock)
	switch len(holders) {
	case 0:
		to.Direct = g.unowned(lock)
	case 1:
		to.Direct = holders[0].Owner()
	default:
		return false
	}
	if g.blockedOn(to.Direct).lock == format.NoObject {
		to.Root, to.Hops, to.Last, to.Path = to.Direct, 1, lock, nil
		return true
	}
	r := g.route(lock)
	*to = r.share()
	return r.single && r.root.Kind != OwnerDeadlock && !r.unsure(since)
}

// unsure reports whether the root of a long path changed after an instant.
func (r *route) unsure(since int64) bool { return r.hops > MaxPath && r.changed > since }

// hasHops reports whether a route holds enough hops for a waiter that is some locks before
// its start.
func (r *route) hasHops(before int) bool {
	return !r.single || r.pathHops == r.hops-1 || r.pathHops+before >= MaxPath
}

// route returns the route from a lock.
func (g *graph) route(lock format.ObjectID) *route {
	t := &g.routes
	if t.number != g.hops.number { // the memory of earlier hops is being reused
		t.number = g.hops.number
		t.round++
	}
	t.way = t.way[:0]
	r := g.routeAt(lock)
	for ; r.round != t.round || !r.hasHops(len(t.way)); r = g.routeAt(lock) {
		t.steps++
		*r = route{round: t.round} // reaching it again means that the way is a cycle
		t.way = append(t.way, lock)
		holders := g.holders(lock)
		if len(holders) > 1 {
			return g.back(lock)
		}
		end := g.unowned(lock)
		if len(holders) == 1 {
			end = holders[0].Owner()
		}
		next := g.blockedOn(end)
		if next.lock == format.NoObject {
			*r = route{round: t.round, single: true, hops: 1, last: lock, direct: end, root: end, changed: format.NoTime}
			t.way = t.way[:len(t.way)-1]
			return g.back(lock)
		}
		if g.far != nil && len(t.way) > MaxPath {
			*r = g.farRoute(lock)
			t.way = t.way[:len(t.way)-1]
			return g.back(lock)
		}
		lock = next.lock
	}
	if !r.single && !r.onCycle {
		if at := slices.Index(t.way, lock); at >= 0 {
			g.closeCycle(t.way[at:])
			t.way = t.way[:at]
		}
	}
	return g.back(lock)
}

// back completes the routes of the locks on the way, the last of which leads to lock, and
// returns the route of the first.
func (g *graph) back(lock format.ObjectID) *route {
	t := &g.routes
	r := &t.byLock[lock]
	for i := len(t.way) - 1; i >= 0; i-- {
		to := *r
		r = &t.byLock[t.way[i]]
		if !to.single && !to.onCycle {
			continue
		}
		hop := g.hop(t.way[i])
		hop.Next = to.path
		*r = route{round: t.round, single: true, hops: to.hops + 1, pathHops: to.pathHops + 1, last: to.last,
			direct: g.owners[t.way[i]][0].Owner(), root: to.root, path: g.hops.add(hop), changed: to.changed}
		if g.far != nil {
			r.changed = max(r.changed, g.far[t.way[i]].changed)
		}
	}
	return r
}

func (g *graph) routeAt(lock format.ObjectID) *route {
	for len(g.routes.byLock) <= int(lock) {
		g.routes.byLock = append(g.routes.byLock, route{})
	}
	return &g.routes.byLock[lock]
}
