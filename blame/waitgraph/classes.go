package waitgraph

import (
	"cmp"
	"slices"

	"contend/blame"
)

// ends are the ids of a waiter and an owner.
type ends [2]uint32

// addLocks gives each edge its classes; the edges are told by their ends.
func (g *Graph) addLocks(p *blame.Pivot, edges map[ends]int32) {
	first, n := make([]int, len(g.Edges)+1), 0
	p.EachClass(func(ids []uint32, _ string, _ int64) {
		first[edges[ends(ids)]+1]++
		n++
	})
	for e := range g.Edges {
		first[e+1] += first[e]
	}
	all := make([]Lock, n)
	for e := range g.Edges {
		g.Edges[e].Locks = all[first[e]:first[e]:first[e+1]]
	}
	p.EachClass(func(ids []uint32, class string, ns int64) {
		e := &g.Edges[edges[ends(ids)]]
		e.Locks = append(e.Locks, Lock{class, ns})
	})
	for e := range g.Edges {
		slices.SortStableFunc(g.Edges[e].Locks, func(a, b Lock) int {
			return cmp.Or(cmp.Compare(b.ThreadNs, a.ThreadNs), cmp.Compare(a.Class, b.Class))
		})
	}
}
