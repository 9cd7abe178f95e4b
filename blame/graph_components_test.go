package blame

import (
	"testing"

	"pgregory.net/rapid"
)

// random draws a graph of few nodes and any edges between them.
func random(t *rapid.T) *Graph {
	n := rapid.IntRange(1, 8).Draw(t, "nodes")
	g := &Graph{Nodes: make([]Vertex, n)}
	for range rapid.IntRange(0, 16).Draw(t, "edges") {
		node := rapid.IntRange(0, n-1)
		g.Edges = append(g.Edges, Edge{From: node.Draw(t, "from"), To: node.Draw(t, "to"), Sum: Sum{ThreadNs: rapid.Int64Range(0, 3).Draw(t, "ns")}})
	}
	return g
}

// reach tells by brute force (Warshall) which nodes lead to which by at least
// one edge of some time.
func reach(g *Graph) [][]bool {
	r := make([][]bool, len(g.Nodes))
	for i := range r {
		r[i] = make([]bool, len(g.Nodes))
	}
	for _, e := range g.Edges {
		if e.ThreadNs > 0 {
			r[e.From][e.To] = true
		}
	}
	for k := range r {
		for i := range r {
			for j := range r {
				r[i][j] = r[i][j] || r[i][k] && r[k][j]
			}
		}
	}
	return r
}

func TestComponentsAreWhatReachesEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := random(t)
		g.components()
		r := reach(g)
		for i, v := range g.Nodes {
			if (v.Component > 0) != r[i][i] {
				t.Fatalf("node %d: component %d, on a cycle %v", i, v.Component, r[i][i])
			}
			closed := r[i][i]
			for j, u := range g.Nodes {
				if same := v.Component > 0 && v.Component == u.Component; same != (r[i][j] && r[j][i]) {
					t.Fatalf("nodes %d and %d: components %d and %d", i, j, v.Component, u.Component)
				}
				closed = closed && (!r[i][j] || r[j][i])
			}
			if v.Closed != closed {
				t.Fatalf("node %d: closed %v, want %v", i, v.Closed, closed)
			}
		}
	})
}

func TestALongChainDoesNotExhaustTheStack(t *testing.T) {
	const n = 1 << 18
	g := &Graph{Nodes: make([]Vertex, n)}
	for i := range n {
		g.Edges = append(g.Edges, Edge{From: i, To: (i + 1) % n, Sum: Sum{ThreadNs: 1}})
	}
	g.components()
	for i, v := range g.Nodes {
		if v.Component != 1 || !v.Closed {
			t.Fatalf("node %d of the ring: %+v", i, v)
		}
	}
}
