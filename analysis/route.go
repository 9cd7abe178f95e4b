package analysis

import (
	"slices"

	"contend/format"
)

// changed forgets all routes.
func (g *graph) changed() { g.routes.round++ }

// single finds the share, but for its length, that all waiters have who wait for a
// lock, where each has one since an instant and the path does not return to the lock.
// Mostly the owner is not blocked itself. It is written in place, as there is one for
// each slice.
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

// unsure reports whether the root of a long path was another one after an instant.
func (r *route) unsure(since int64) bool { return r.hops > MaxPath && r.changed > since }

// tells reports whether a route has as many hops as are told of who waits some locks
// before it.
func (r *route) tells(before int) bool {
	return !r.single || r.told == r.hops-1 || r.told+before >= MaxPath
}

// route returns the route from a lock.
func (g *graph) route(lock format.ObjectID) *route {
	t := &g.routes
	if t.number != g.hops.number { // what the hops of before were kept in is used again
		t.number = g.hops.number
		t.round++
	}
	t.way = t.way[:0]
	r := g.routeAt(lock)
	for ; r.round != t.round || !r.tells(len(t.way)); r = g.routeAt(lock) {
		t.steps++
		*r = route{round: t.round} // if it is met again, the way is a circle
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
	if !r.single && !r.circle {
		if at := slices.Index(t.way, lock); at >= 0 {
			g.closed(t.way[at:])
			t.way = t.way[:at]
		}
	}
	return g.back(lock)
}

// back makes the routes of the locks on the way, the last of which leads to
// lock, and returns that of the first.
func (g *graph) back(lock format.ObjectID) *route {
	t := &g.routes
	r := &t.byLock[lock]
	for i := len(t.way) - 1; i >= 0; i-- {
		to := *r
		r = &t.byLock[t.way[i]]
		if !to.single && !to.circle {
			continue
		}
		hop := g.hop(t.way[i])
		hop.Next = to.path
		*r = route{round: t.round, single: true, hops: to.hops + 1, told: to.told + 1, last: to.last,
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
