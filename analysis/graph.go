package analysis

import (
	"cmp"
	"slices"

	"contend/analysis/owners"
	"contend/format"
)

// blocked is what a thread waits for; lock is NoObject if it waits for none.
type blocked struct {
	lock  format.ObjectID
	stack format.StackID
}

// graph is the wait-for graph at one instant: each blocked thread points to a lock, each
// lock to its owners.
type graph struct {
	blocked []blocked         // by thread
	owners  [][]owners.Holder // by lock; readers in order of thread
	gap     []Owner           // by lock: the pseudo owner while it is unowned
	cycles  *cycles
	hops    *hopStore
	routes  routes
	split   split

	now        int64
	far        []farLock                     // by lock; nil until some path is long
	longCycles map[format.ObjectID]longCycle // by lock
}

// route is the path from a lock while each lock on it has one owner: all waiters share it.
// Routes are found from their ends and cached, so a chain of a thousand waits costs a
// thousand steps in all, not as many for each wait as precede it.
type route struct {
	round   uint32
	single  bool // false if readers share a lock on the path, or the lock is on a cycle
	onCycle bool
	hops    int
	last    format.ObjectID
	direct  Owner
	root    Owner
	path    *Hop

	pathHops int   // hops in path, which may be cut after MaxPath
	changed  int64 // of a cut route: when its rest last changed; NoTime for never
}

// share returns the share of a waiter of the first lock, except for its duration.
func (r *route) share() Share {
	return Share{Direct: r.direct, Root: r.root, Hops: r.hops, Last: r.last, Path: r.path}
}

// routes are the routes found since the graph last changed.
type routes struct {
	round  uint32
	number uint32 // of the hop store at the start of the round
	byLock []route
	way    []format.ObjectID // scratch
	steps  int64             // taken in all, for tests
}

// split is the scratch memory of graph.push.
type split struct {
	shares  []Share
	path    []Hop
	place   []uint32 // by thread: its place on the path, from 1
	returns bool     // a path led back to its first lock
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

// own adds an owner. Readers stay in order of thread, so that splits do not depend on the
// order in which they acquired the lock.
func (g *graph) own(l format.ObjectID, h owners.Holder) {
	if len(g.owners[l]) == 0 { // the common case
		g.owners[l] = append(g.owners[l], h)
		return
	}
	g.owners[l] = slices.Insert(g.owners[l], g.firstOf(l, h.Thread), h)
}

// disown removes one owner equal to h. A lock may have thousands of owners.
func (g *graph) disown(l format.ObjectID, h owners.Holder) {
	list := g.owners[l]
	if len(list) == 1 && list[0] == h { // the common case
		g.owners[l] = list[:0]
		return
	}
	for i := g.firstOf(l, h.Thread); i < len(list) && list[i].Thread == h.Thread; i++ {
		if list[i] == h {
			g.owners[l] = slices.Delete(list, i, i+1)
			return
		}
	}
}

// firstOf returns the place of a thread's first ownership of a lock.
func (g *graph) firstOf(l format.ObjectID, t format.ThreadID) int {
	list := g.owners[l]
	at, _ := slices.BinarySearchFunc(list, t, func(a owners.Holder, t format.ThreadID) int { return cmp.Compare(a.Thread, t) })
	return at
}

// farLock is the state of the path from a lock, kept once some path is long.
type farLock struct {
	changed int64           // when a pointer within the first MaxPath locks last changed
	found   int64           // when ahead was found
	ahead   format.ObjectID // the lock MaxPath further; valid if found after the last change

	flushed int64 // when its waiters' slices last ended, and
	level   int32 // how many locks before the change
}

// longCycle is a cycle of more than MaxPath locks.
type longCycle struct {
	owner Owner
	locks int
	found int64
}
