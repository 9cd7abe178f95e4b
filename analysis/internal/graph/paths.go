package graph

import (
	"contend/analysis"
	"contend/format"
)

// maxShares bounds the number of paths that a slice is split into. Only nested readers
// branch. Beyond the bound a branch ends at the owner it has reached.
const maxShares = 4096

// UnknownRoot is the root of a path whose end is unknown.
var UnknownRoot = analysis.Owner{Kind: analysis.OwnerUnknown, Prov: analysis.Unknown}

// Direct returns the owner of a lock if all waiters have one share, which ends there: the
// common case.
func (g *Graph) Direct(lock format.ObjectID) (o analysis.Owner, ok bool) {
	switch holders := g.holders(lock); len(holders) {
	case 0:
		return g.unowned(lock), true
	case 1:
		o = holders[0]
		return o, g.blockedOn(o).Lock == format.NoObject
	}
	return o, false
}

// Shares splits the interval [lo, hi) of a blocked thread over every path through the
// graph:
//
//  1. an exclusive lock passes all of it to its owner;
//  2. of k readers, reader j gets floor((x+j)/k) taken between lo and hi. Summed over j that
//     is exactly hi-lo (Hermite's identity), no two readers differ by more than a
//     nanosecond, and cutting the interval anywhere changes no sum;
//  3. an owner that is blocked itself passes its part on. The part ends at an owner that is
//     not blocked, at a lock without an owner, where the path repeats, or after MaxPath
//     locks.
//
// If common, all waiters of the lock have these shares; otherwise a path leads back to the
// lock through one of them, whose own path is shorter. The result is valid until the next
// call.
func (g *Graph) Shares(t format.ThreadID, lo, hi int64) (shares []analysis.Share, common bool) {
	p := &g.paths
	p.shares = p.shares[:0]
	p.path = p.path[:0]
	p.returns = false
	for len(p.place) < len(g.Blocked) {
		p.place = append(p.place, 0)
	}
	g.enter(analysis.Hop{Thread: t, Stack: g.Blocked[t].Stack, Lock: g.Blocked[t].Lock})
	g.follow(analysis.Owner{}, lo, hi)
	g.leave()
	return p.shares, !p.returns
}

func (g *Graph) enter(h analysis.Hop) {
	g.paths.path = append(g.paths.path, h)
	g.paths.place[h.Thread] = uint32(len(g.paths.path))
}

func (g *Graph) leave() {
	n := len(g.paths.path) - 1
	g.paths.place[g.paths.path[n].Thread] = 0
	g.paths.path = g.paths.path[:n]
}

// follow passes [lo, hi) on from the last hop of the path.
func (g *Graph) follow(direct analysis.Owner, lo, hi int64) {
	path := g.paths.path
	lock := path[len(path)-1].Lock
	holders := g.holders(lock)
	if len(holders) == 0 {
		g.leaf(direct, g.unowned(lock), hi-lo)
		return
	}
	k := int64(len(holders))
	for j := range holders {
		a, b := lo, hi
		if k > 1 { // a division costs more than the rest
			if a, b = floorDiv(lo+int64(j), k), floorDiv(hi+int64(j), k); a == b {
				continue
			}
		}
		o := holders[j]
		first := direct
		if len(path) == 1 {
			first = o
		}
		g.pass(first, o, a, b)
	}
}

// pass charges owner o, or passes on if o is blocked itself.
func (g *Graph) pass(direct, o analysis.Owner, lo, hi int64) {
	p := &g.paths
	next := g.blockedOn(o)
	if next.Lock == format.NoObject || len(p.shares) >= maxShares {
		g.leaf(direct, o, hi-lo)
		return
	}
	p.returns = p.returns || next.Lock == p.path[0].Lock
	if at := p.place[o.Thread]; at > 0 {
		deadlock, n := g.Cycles.owner(p.path[at-1:], o.Prov), len(p.path)
		if at > 1 && p.path[at-2].Lock != p.path[n-1].Lock { // a path into a cycle ends where a lock repeats
			p.path = append(p.path, analysis.Hop{Thread: o.Thread, Stack: next.Stack, Lock: next.Lock})
		}
		g.leaf(direct, deadlock, hi-lo)
		p.path = p.path[:n]
		return
	}
	if len(p.path) > analysis.MaxPath {
		g.leaf(direct, UnknownRoot, hi-lo)
		p.shares[len(p.shares)-1].Hops++ // the lock that the last owner waits for
		return
	}
	g.enter(analysis.Hop{Thread: o.Thread, Stack: next.Stack, Lock: next.Lock})
	g.follow(direct, lo, hi)
	g.leave()
}

// leaf adds the share of one path. If the path has one lock, root and direct owner are
// equal, except that a pause which stops the owner becomes the root.
func (g *Graph) leaf(direct, root analysis.Owner, ns int64) {
	path := g.paths.path
	if len(path) == 1 && root.Kind != analysis.OwnerDeadlock {
		direct = root
	}
	s := analysis.Share{Ns: ns, Direct: direct, Root: root.Cause(), Hops: len(path), Last: path[len(path)-1].Lock}
	for i := len(path) - 1; i > 0; i-- {
		h := path[i]
		h.Next = s.Path
		s.Path = g.Hops.Keep(h)
	}
	g.paths.shares = append(g.paths.shares, s)
}

// floorDiv rounds towards minus infinity, so that splits of times before the epoch add up
// as well.
func floorDiv(a, k int64) int64 {
	q := a / k
	if a%k < 0 {
		q--
	}
	return q
}
