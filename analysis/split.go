package analysis

import "contend/format"

// maxShares bounds the number of paths that a slice is split into. Only nested readers
// branch. Beyond the bound a branch ends at the owner it has reached.
const maxShares = 4096

// shares follows the pointers from a blocked thread and splits [lo, hi) over every path. If
// common, all waiters of its lock have these shares; otherwise a path leads back to the
// lock through one of them, whose own path is shorter. The result is valid until the next
// call.
func (g *graph) shares(t format.ThreadID, lo, hi int64) (shares []Share, common bool) {
	lock := g.blocked[t].lock
	if r := g.route(lock); r.single {
		g.split.shares = g.split.shares[:0]
		if r.unsure(lo) {
			before := r.share()
			before.Ns, before.Root = min(r.changed, hi)-lo, unknownRoot
			g.split.shares = append(g.split.shares, before)
			lo += before.Ns
		}
		if last := r.share(); lo < hi || len(g.split.shares) == 0 {
			last.Ns = hi - lo
			g.split.shares = append(g.split.shares, last)
		}
		return g.split.shares, true
	}
	shares = g.push(t, lo, hi)
	return shares, !g.split.returns
}

// push splits the interval [lo, hi) of a blocked thread over every path:
//
//  1. an exclusive lock passes all of it to its owner;
//  2. of k readers, reader j gets floor((x+j)/k) taken between lo and hi. Summed over j that
//     is exactly hi-lo (Hermite's identity), no two readers differ by more than a
//     nanosecond, and cutting the interval anywhere changes no sum;
//  3. an owner that is blocked itself passes its part on. The part ends at an owner that is
//     not blocked, at a lock without an owner, or where the path repeats.
func (g *graph) push(t format.ThreadID, lo, hi int64) []Share {
	s := &g.split
	s.shares, s.path, s.returns = s.shares[:0], s.path[:0], false
	for len(s.place) < len(g.blocked) {
		s.place = append(s.place, 0)
	}
	g.enter(Hop{Thread: t, Stack: g.blocked[t].stack, Lock: g.blocked[t].lock})
	g.follow(Owner{}, lo, hi)
	g.leave()
	return s.shares
}

func (g *graph) enter(h Hop) {
	g.split.path = append(g.split.path, h)
	g.split.place[h.Thread] = uint32(len(g.split.path))
}

func (g *graph) leave() {
	n := len(g.split.path) - 1
	g.split.place[g.split.path[n].Thread] = 0
	g.split.path = g.split.path[:n]
}

// follow passes [lo, hi) on from the last hop of the path.
func (g *graph) follow(direct Owner, lo, hi int64) {
	path := g.split.path
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
		o := holders[j].Owner()
		first := direct
		if len(path) == 1 {
			first = o
		}
		g.pass(first, o, a, b)
	}
}

// pass charges owner o, or passes on if o is blocked itself. After MaxPath locks the end is
// unknown.
func (g *graph) pass(direct, o Owner, lo, hi int64) {
	next := g.blockedOn(o)
	if next.lock == format.NoObject || len(g.split.shares) >= maxShares {
		g.leaf(direct, o, hi-lo)
		return
	}
	g.split.returns = g.split.returns || next.lock == g.split.path[0].Lock
	if at := g.split.place[o.Thread]; at > 0 {
		g.leaf(direct, g.cycles.owner(g.split.path[at-1:], o.Prov), hi-lo)
		return
	}
	if len(g.split.path) > MaxPath {
		g.leaf(direct, unknownRoot, hi-lo)
		return
	}
	g.enter(Hop{Thread: o.Thread, Stack: next.stack, Lock: next.lock})
	g.follow(direct, lo, hi)
	g.leave()
}

// leaf adds the share of one path. If the path ends at its first owner, the direct owner
// and the root are the same.
func (g *graph) leaf(direct, root Owner, ns int64) {
	path := g.split.path
	if len(path) == 1 && root.Kind != OwnerDeadlock {
		direct = root
	}
	s := Share{Ns: ns, Direct: direct, Root: root, Hops: len(path), Last: path[len(path)-1].Lock}
	for i := len(path) - 1; i > 0; i-- {
		h := path[i]
		h.Next = s.Path
		s.Path = g.hops.add(h)
	}
	g.split.shares = append(g.split.shares, s)
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
