package analysis

import (
	"cmp"
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

	now     int64
	far     []farLock // by lock; nil as long as no path is long
	circles map[format.ObjectID]circle
}

// route is where waiting for a lock leads as long as each lock on the way has
// one owner: it is the same for all waiters. Routes are found from their ends
// and remembered, so that a chain of a thousand waits costs a thousand steps
// and not, for each of its waits, as many as lie before it.
type route struct {
	round  uint32
	single bool // else readers share a lock on the way, or the lock is on a circle
	circle bool
	hops   int
	last   format.ObjectID
	direct Owner
	root   Owner
	path   *Hop

	told    int   // hops in path, which may be cut where there are more than MaxPath
	changed int64 // of a route that is: when it changed last behind these; NoTime for never
}

// share returns the share of who waits for the first lock, but for its length.
func (r *route) share() Share {
	return Share{Direct: r.direct, Root: r.root, Hops: r.hops, Last: r.last, Path: r.path}
}

// routes are the routes that have been found since the graph changed last.
type routes struct {
	round  uint32
	number uint32 // of the hop store when the round began
	byLock []route
	way    []format.ObjectID // scratch
	steps  int64             // taken in all, for tests
}

// split is the scratch of graph.push.
type split struct {
	shares []Share
	path   []Hop
	place  []uint32 // by thread: its place on the path, counting from 1
	back   bool     // some path returned to the lock it began with
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
	if len(g.owners[l]) == 0 { // as with most locks
		g.owners[l] = append(g.owners[l], h)
		return
	}
	g.owners[l] = slices.Insert(g.owners[l], g.firstOf(l, h.Thread), h)
}

// disown removes one owner equal to h. A lock may have thousands.
func (g *graph) disown(l format.ObjectID, h owners.Holder) {
	list := g.owners[l]
	if len(list) == 1 && list[0] == h { // as with most locks
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

// farLock is what is known of the path from a lock as long as some paths are long.
type farLock struct {
	changed int64           // when a pointer on the first MaxPath locks changed last
	found   int64           // when ahead was
	ahead   format.ObjectID // the lock MaxPath further; good if it was found after the last change

	flushed int64 // when its waiters' slices ended last, and how many locks before the
	level   int32 // change that was
}

// circle is one in the graph that has more than MaxPath locks.
type circle struct {
	owner Owner
	locks int
	found int64
}
