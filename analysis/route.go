package analysis

import "contend/format"

// changed forgets all routes.
func (g *graph) changed() { g.routes.round++ }

// single finds the share, but for its length, that all waiters have who wait for a
// lock, where each has one and the path does not return to the lock. Mostly the owner is
// not blocked itself. It is written in place, as there is one for each slice.
func (g *graph) single(lock format.ObjectID, to *Share) bool {
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
	return r.single
}

// route returns the route from a lock.
func (g *graph) route(lock format.ObjectID) *route {
	t := &g.routes
	if t.number != g.hops.number { // what the hops of before were kept in is used again
		t.number = g.hops.number
		t.round++
	}
	t.way = t.way[:0]
	for r := g.routeAt(lock); r.round != t.round; r = g.routeAt(lock) {
		t.steps++
		*r = route{round: t.round} // whoever gets here again goes in a circle
		t.way = append(t.way, lock)
		holders := g.holders(lock)
		if len(holders) > 1 {
			break
		}
		end := g.unowned(lock)
		if len(holders) == 1 {
			end = holders[0].Owner()
		}
		next := g.blockedOn(end)
		if next.lock == format.NoObject {
			*r = route{round: t.round, single: true, hops: 1, last: lock, direct: end, root: end}
			t.way = t.way[:len(t.way)-1]
			break
		}
		lock = next.lock
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
		if !to.single {
			continue
		}
		o := g.owners[t.way[i]][0].Owner()
		b := g.blocked[o.Thread]
		*r = route{round: t.round, single: true, hops: to.hops + 1, last: to.last, direct: o, root: to.root,
			path: g.hops.add(Hop{Thread: o.Thread, Stack: b.stack, Lock: b.lock, Next: to.path})}
	}
	return r
}

func (g *graph) routeAt(lock format.ObjectID) *route {
	for len(g.routes.byLock) <= int(lock) {
		g.routes.byLock = append(g.routes.byLock, route{})
	}
	return &g.routes.byLock[lock]
}
