package blame

import (
	"cmp"
	"slices"
)

// components numbers the strongly connected components that hold a cycle,
// larger waiting first, and marks the closed ones among them. Edges of no time
// do not count, and neither do edges to pseudo nodes: time spent on a free lock
// or on nobody known is no way out.
//
// R. Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on
// Computing 1 (1972); the recursion is kept on a slice, as a chain of threads
// may be longer than a stack is deep.
func (g *Graph) components() {
	t := tarjan{out: g.successors(), index: make([]int, len(g.Nodes)), low: make([]int, len(g.Nodes)), done: make([]bool, len(g.Nodes))}
	for v := range g.Nodes {
		if t.index[v] == 0 {
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
		closed := g.OtherNs == 0 && !slices.ContainsFunc(c, func(v int) bool { return g.leaves(t.out[v], g.Nodes[v].Component) })
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
		if e.ThreadNs > 0 && !g.Nodes[e.To].Pseudo {
			out[e.From] = append(out[e.From], e.To)
		}
	}
	return out
}

// tarjan is the state of the search.
type tarjan struct {
	out        [][]int
	index, low []int // number of each visited node in order of visit, from 1; least number it reaches
	done       []bool
	open       []int // visited, not yet in a component
	count      int
	found      [][]int
}

// step is a node on the way from the start, with its next successor to try.
type step struct{ node, next int }

func (t *tarjan) enter(v int) step {
	t.count++
	t.index[v], t.low[v] = t.count, t.count
	t.open = append(t.open, v)
	return step{node: v}
}

// visit finds every component that can be reached from a node.
func (t *tarjan) visit(start int) {
	way := []step{t.enter(start)}
	for len(way) > 0 {
		s := &way[len(way)-1]
		if s.next < len(t.out[s.node]) {
			w := t.out[s.node][s.next]
			s.next++
			switch {
			case t.index[w] == 0:
				way = append(way, t.enter(w))
			case !t.done[w]:
				t.low[s.node] = min(t.low[s.node], t.index[w])
			}
			continue
		}
		v := s.node
		way = way[:len(way)-1]
		if len(way) > 0 {
			up := way[len(way)-1].node
			t.low[up] = min(t.low[up], t.low[v])
		}
		if t.low[v] == t.index[v] {
			t.close(v)
		}
	}
}

// close cuts off the component whose first visited node is v.
func (t *tarjan) close(v int) {
	at := len(t.open) - 1
	for t.open[at] != v {
		at--
	}
	c := slices.Clone(t.open[at:])
	t.open = t.open[:at]
	for _, w := range c {
		t.done[w] = true
	}
	t.found = append(t.found, c)
}
