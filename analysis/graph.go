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
	paths   paths
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

// paths is the scratch memory of graph.shares.
type paths struct {
	shares  []Share
	path    []Hop    // from the waiter to the lock reached
	place   []uint32 // by thread: its place on the path, from 1
	returns bool     // a path led back to its first lock
}

// hopStore holds the hops of the current batch's paths, each once.
type hopStore struct{ list []Hop }

func (h *hopStore) add(hop Hop) *Hop {
	h.list = append(h.list, hop)
	return &h.list[len(h.list)-1]
}
