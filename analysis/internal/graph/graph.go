// Package graph is the wait-for graph at one instant.
//
//	paths.go    splitting an interval over every path through the graph
//	graph.go    threads blocked on locks, and the locks' owners
//	deadlock.go numbering the cycles, those too that only thread dumps show
package graph

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/format"
)

// Blocked is the lock a thread waits for; Lock is NoObject if it does not wait.
type Blocked struct {
	Lock  format.ObjectID
	Stack format.StackID
}

// Graph is the wait-for graph at one instant: each blocked thread points to a lock, each
// lock to its owners.
type Graph struct {
	Blocked []Blocked          // by thread
	Owners  [][]analysis.Owner // by lock; readers in order of thread
	Gap     []analysis.Owner   // by lock: the pseudo owner while it is unowned
	Cycles  *Cycles
	Hops    *HopStore
	paths   paths
}

func (g *Graph) holders(l format.ObjectID) []analysis.Owner {
	if int(l) < len(g.Owners) {
		return g.Owners[l]
	}
	return nil
}

func (g *Graph) unowned(l format.ObjectID) analysis.Owner {
	if int(l) < len(g.Gap) {
		return g.Gap[l]
	}
	return analysis.Owner{Kind: analysis.OwnerUnknown, Prov: analysis.Unknown}
}

func (g *Graph) blockedOn(o analysis.Owner) Blocked {
	if o.Kind != analysis.OwnerThread || int(o.Thread) >= len(g.Blocked) {
		return Blocked{}
	}
	return g.Blocked[o.Thread]
}

// AddOwner adds an owner. Readers stay in order of thread, so that splits do not depend on the
// order in which they acquired the lock.
func (g *Graph) AddOwner(l format.ObjectID, h analysis.Owner) {
	if len(g.Owners[l]) == 0 { // the common case
		g.Owners[l] = append(g.Owners[l], h)
		return
	}
	g.Owners[l] = slices.Insert(g.Owners[l], g.firstOf(l, h.Thread), h)
}

// Disown removes one owner equal to h. A lock may have thousands of owners.
func (g *Graph) Disown(l format.ObjectID, h analysis.Owner) {
	list := g.Owners[l]
	if len(list) == 1 && list[0] == h { // the common case
		g.Owners[l] = list[:0]
		return
	}
	for i := g.firstOf(l, h.Thread); i < len(list) && list[i].Thread == h.Thread; i++ {
		if list[i] == h {
			g.Owners[l] = slices.Delete(list, i, i+1)
			return
		}
	}
}

// firstOf returns the place of a thread's first ownership of a lock.
func (g *Graph) firstOf(l format.ObjectID, t format.ThreadID) int {
	list := g.Owners[l]
	at, _ := slices.BinarySearchFunc(
		list,
		t,
		func(a analysis.Owner, t format.ThreadID) int { return cmp.Compare(a.Thread, t) },
	)
	return at
}

// paths is the scratch memory of Shares.
type paths struct {
	shares  []analysis.Share
	path    []analysis.Hop // from the waiter to the lock reached
	place   []uint32       // by thread: its place on the path, from 1
	returns bool           // a path led back to its first lock
}

// HopStore holds the hops of the current batch's paths, each once.
type HopStore struct{ List []analysis.Hop }

func (h *HopStore) Keep(hop analysis.Hop) *analysis.Hop {
	h.List = append(h.List, hop)
	return &h.List[len(h.List)-1]
}
