package blame

import (
	"cmp"
	"slices"
)

// components numbers the strongly connected components that hold a cycle, by waiting, and marks the
// closed ones. It ignores edges without time, and edges to pseudo nodes: a wait for a free lock or
// for an unknown owner does not open a component.
//
// R. Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on
// Computing 1 (1972). A goroutine's stack grows with the longest chain.
func (g *Graph) components() {
	t := tarjan{out: g.successors(), low: make([]int, len(g.Nodes)), done: make([]bool, len(g.Nodes))}
	for v := range g.Nodes {
		if t.low[v] == 0 {
			t.visit(v)
		}
	}
	var cyclic [][]int
	for _, c := range t.found {
		if len(c) > 1 || slices.Contains(t.out[c[0]], c[0]) {
			cyclic = append(cyclic, c)
		}
	}
	slices.SortStableFunc(cyclic, func(a, b []int) int { return cmp.Compare(slices.Min(a), slices.Min(b)) })
	for i, c := range cyclic {
		for _, v := range c {
			g.Nodes[v].Component = i + 1
		}
	}
	for _, c := range cyclic {
		closed := g.OtherNs == 0 &&
			!slices.ContainsFunc(c, func(v int) bool { return g.leaves(t.out[v], g.Nodes[v].Component) })
		for _, v := range c {
			g.Nodes[v].Closed = closed
		}
	}
}

// leaves reports whether one of the nodes is outside of a component.
func (g *Graph) leaves(to []int, component int) bool {
	return slices.ContainsFunc(to, func(v int) bool { return g.Nodes[v].Component != component })
}

// successors lists, for each node, the real owners it waited for.
func (g *Graph) successors() [][]int {
	out := make([][]int, len(g.Nodes))
	for _, e := range g.Edges {
		if e.Sum.ThreadNs > 0 && !g.Nodes[e.To].Pseudo {
			out[e.From] = append(out[e.From], e.To)
		}
	}
	return out
}

// tarjan is the state of the search.
type tarjan struct {
	out   [][]int
	low   []int // by visited node: the least number it reaches; numbers are in order of visit, from 1
	done  []bool
	open  []int // visited, not yet in a component
	count int
	found [][]int
}

// visit finds every component that can be reached from a node.
func (t *tarjan) visit(v int) {
	t.count++
	number, at := t.count, len(t.open)
	t.low[v], t.open = number, append(t.open, v)
	for _, w := range t.out[v] {
		if t.low[w] == 0 {
			t.visit(w)
		}
		if !t.done[w] {
			t.low[v] = min(t.low[v], t.low[w])
		}
	}
	if t.low[v] < number {
		return
	}
	component := slices.Clone(t.open[at:])
	t.open = t.open[:at]
	for _, w := range component {
		t.done[w] = true
	}
	t.found = append(t.found, component)
}
