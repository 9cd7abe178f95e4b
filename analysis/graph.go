package analysis

import (
	"slices"

	"contend/analysis/owners"
	"contend/format"
)

// blocked is what a thread waits for; lock is NoObject when it waits for none.
type blocked struct {
	lock  format.ObjectID
	stack format.StackID
}

// graph is the wait-for graph at one instant: each blocked thread points to a
// lock, each lock to its owners.
type graph struct {
	blocked []blocked         // by thread
	owners  [][]owners.Holder // by lock, readers in order of thread
	gap     []Owner           // by lock: whom an unowned lock is charged to
	cycles  *cycles
	shares  []Share // scratch of push
	path    []Hop
	hops    []Hop // arena of the shares' paths
}

// maxShares bounds the paths one slice is split into. Only nested reader
// locks branch; past the bound a branch ends at the owner reached.
const maxShares = 4096

// push follows the pointers from a blocked thread and splits the stretch
// [lo, hi) over every path:
//
//  1. an exclusive lock passes all of it to its owner;
//  2. of k readers, reader j gets floor((x+j)/k) taken between lo and hi.
//     Summed over j that is hi-lo exactly (Hermite's identity), no two
//     readers differ by more than a nanosecond, and cutting the stretch
//     anywhere changes no sum;
//  3. an owner that is blocked itself passes its part on; the part ends at an
//     owner that is not, at a lock nobody holds, or where the path repeats.
//
// The result is valid until the next push.
func (g *graph) push(t format.ThreadID, lo, hi int64) []Share {
	g.shares, g.path, g.hops = g.shares[:0], g.path[:0], g.hops[:0]
	g.path = append(g.path, Hop{Thread: t, Stack: g.blocked[t].stack, Lock: g.blocked[t].lock})
	g.follow(Owner{}, lo, hi)
	return g.shares
}

// follow passes [lo, hi) on from the last hop of the path.
func (g *graph) follow(direct Owner, lo, hi int64) {
	lock := g.path[len(g.path)-1].Lock
	owners := g.holders(lock)
	if len(owners) == 0 {
		g.leaf(direct, g.unowned(lock), hi-lo)
		return
	}
	k := int64(len(owners))
	for j := range owners {
		a, b := lo, hi
		if k > 1 { // a division costs more than the rest
			if a, b = floorDiv(lo+int64(j), k), floorDiv(hi+int64(j), k); a == b {
				continue
			}
		}
		h := &owners[j]
		o := Owner{Kind: h.Kind, Prov: h.Prov, Thread: h.Thread, Stack: h.Stack}
		first := direct
		if len(g.path) == 1 {
			first = o
		}
		g.step(first, o, a, b)
	}
}

// step charges owner o, or passes on when o is itself blocked.
func (g *graph) step(direct, o Owner, lo, hi int64) {
	next := g.blockedOn(o)
	if next.lock == format.NoObject || len(g.shares) >= maxShares {
		g.leaf(direct, o, hi-lo)
		return
	}
	for i, hop := range g.path {
		if hop.Thread == o.Thread {
			g.leaf(direct, g.cycles.owner(g.path[i:], o.Prov), hi-lo)
			return
		}
	}
	g.path = append(g.path, Hop{Thread: o.Thread, Stack: next.stack, Lock: next.lock})
	g.follow(direct, lo, hi)
	g.path = g.path[:len(g.path)-1]
}

// leaf books one path. The first hop's owner is the direct one; when the path
// ends there, direct and root are the same.
func (g *graph) leaf(direct, root Owner, ns int64) {
	if len(g.path) == 1 && root.Kind != OwnerDeadlock {
		direct = root
	}
	s := Share{Ns: ns, Direct: direct, Root: root, Hops: len(g.path)}
	if len(g.path) > 1 {
		from := len(g.hops)
		g.hops = append(g.hops, g.path[1:]...)
		s.Path = g.hops[from:len(g.hops):len(g.hops)]
	}
	g.shares = append(g.shares, s)
}

func (g *graph) holders(l format.ObjectID) []owners.Holder {
	if int(l) < len(g.owners) {
		return g.owners[l]
	}
	return nil
}

func (g *graph) unowned(l format.ObjectID) Owner {
	if int(l) < len(g.gap) {
		return g.gap[l]
	}
	return Owner{Kind: OwnerUnknown, Prov: Unknown}
}

func (g *graph) blockedOn(o Owner) blocked {
	if o.Kind != OwnerThread || int(o.Thread) >= len(g.blocked) {
		return blocked{}
	}
	return g.blocked[o.Thread]
}

// own adds an owner, keeping readers in order of thread so that renumbering
// nothing else changes no split.
func (g *graph) own(l format.ObjectID, h owners.Holder) {
	at, _ := slices.BinarySearchFunc(g.owners[l], h.Thread, func(a owners.Holder, t format.ThreadID) int { return int(a.Thread) - int(t) })
	g.owners[l] = slices.Insert(g.owners[l], at, h)
}

// disown removes one owner equal to h.
func (g *graph) disown(l format.ObjectID, h owners.Holder) {
	if i := slices.Index(g.owners[l], h); i >= 0 {
		g.owners[l] = slices.Delete(g.owners[l], i, i+1)
	}
}

// floorDiv rounds towards minus infinity, so that splits of times before the
// epoch add up too.
func floorDiv(a, k int64) int64 {
	q := a / k
	if a%k < 0 {
		q--
	}
	return q
}
