package document

import "contend/blame"

// Graph is the document of `contend graph`: which threads blocked which.
type Graph struct {
	Schema  string  `json:"schema"`
	Nodes   []Node  `json:"nodes"`
	Edges   []Edge  `json:"edges"`
	By      string  `json:"by"`     // what a node is: thread, group, method, operation, site
	Metric  string  `json:"metric"` // "direct" or "root"
	Omitted Omitted `json:"omitted"`
	Other
	Total    Waiting  `json:"total"`
	Coverage Coverage `json:"coverage"`
}

// Node is a waiter or an owner. Components are those of the whole graph, not of its shown part.
type Node struct {
	ID       int    `json:"id"` // from 1
	Name     string `json:"name"`
	Pseudo   bool   `json:"pseudo,omitempty"` // a pseudo owner, such as [handoff]
	WaitedNs int64  `json:"waitedNs"`
	CausedNs int64  `json:"causedNs"`
	// number of the strongly connected component, from 1; 0 for a node on no cycle
	Component int  `json:"component,omitempty"`
	Closed    bool `json:"knot,omitempty"` // no edge leaves the component: its threads wait for its members only
}

// Edge is the waiting of node From for node To.
type Edge struct {
	From int `json:"from"`
	To   int `json:"to"`
	Sum
	Locks      []EdgeLock `json:"locks"`
	Provenance Provenance `json:"provenance"`
}

// EdgeLock is the part of an edge for one class of locks.
type EdgeLock struct {
	Class    string `json:"class"`
	ThreadNs int64  `json:"threadNs"`
}

// Omitted is the sum of the rows beyond the limit.
type Omitted struct {
	Nodes    int   `json:"nodes,omitempty"`
	Edges    int   `json:"edges,omitempty"`
	Chains   int   `json:"chains,omitempty"`
	ThreadNs int64 `json:"threadNs"`
}

// Waiting is the sum over all edges or chains. One wait may lie on several of
// them, so theirs do not sum to Waits.
type Waiting struct {
	Waits  int64 `json:"waits"`
	WaitNs int64 `json:"waitNs"` // thread-time
	WallNs int64 `json:"wallNs"` // wall-time
}

// NewGraph builds the document; top limits the edges, 0 means all. Nodes
// without a shown edge are left out.
func NewGraph(g *blame.Graph, by string, cov Coverage, top int) *Graph {
	d := &Graph{
		Schema:   "contend.graph/1",
		By:       by,
		Metric:   "direct",
		Nodes:    []Node{},
		Edges:    []Edge{},
		Other:    Other{g.OtherNs},
		Coverage: cov,
		Total:    Waiting{g.Total.Waits, g.Total.ThreadNs, g.Total.WallNs},
	}
	if g.Root {
		d.Metric = "root"
	}
	shown := limit(g.Edges, top)
	used := make([]bool, len(g.Nodes))
	for i := range shown {
		e := &shown[i]
		used[e.From], used[e.To] = true, true
		d.Edges = append(d.Edges, newEdge(e))
	}
	for i, v := range g.Nodes {
		if used[i] {
			d.Nodes = append(d.Nodes, newNode(i+1, &v))
		}
	}
	d.Omitted.Nodes = len(g.Nodes) - len(d.Nodes)
	for _, e := range g.Edges[len(shown):] {
		d.Omitted.Edges++
		d.Omitted.ThreadNs += e.Sum.ThreadNs
	}
	return d
}

func newEdge(e *blame.Edge) Edge {
	return Edge{
		From:       e.From + 1,
		To:         e.To + 1,
		Sum:        newSum(&e.Sum),
		Locks:      mapped(e.Locks, func(l *blame.EdgeLock) EdgeLock { return EdgeLock(*l) }),
		Provenance: NewProvenance(e.Sum.ByProvenance),
	}
}

func newNode(id int, v *blame.Vertex) Node {
	return Node{
		ID:        id,
		Name:      v.Name,
		Pseudo:    v.Pseudo,
		WaitedNs:  v.WaitedNs,
		CausedNs:  v.CausedNs,
		Component: v.Component,
		Closed:    v.Closed,
	}
}

// Names finds the names of nodes by their ids.
func (g *Graph) Names() map[int]string {
	names := make(map[int]string, len(g.Nodes))
	for _, n := range g.Nodes {
		names[n.ID] = n.Name
	}
	return names
}
