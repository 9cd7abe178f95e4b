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
	hops    *hopStore
	routes  routes
	split   split
}

// shares follows the pointers from a blocked thread and splits the stretch
// [lo, hi) over every path. They are those of all waiters of its lock if common
// is true; else a path returns to the lock, by way of one of them, whose own
// path is shorter. The result is valid until the next call.
func (g *graph) shares(t format.ThreadID, lo, hi int64) (shares []Share, common bool) {
	lock := g.blocked[t].lock
	if r := g.route(lock); r.single {
		g.split.shares = append(g.split.shares[:0], Share{Ns: hi - lo, Direct: r.direct, Root: r.root, Hops: r.hops, Last: r.last, Path: r.path})
		return g.split.shares, true
	}
	shares = g.push(t, lo, hi)
	return shares, !g.split.back
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
