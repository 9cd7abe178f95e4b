package blame

import (
	"cmp"
	"regexp"
	"slices"

	"contend/analysis"
)

// Node is the kind of the nodes of a graph.
type Node uint8

// The kinds of nodes.
const (
	NodeThreads    Node = iota
	NodeGroups          // thread names with their numbers removed
	NodeMethods         // innermost frames that are not the lock or the runtime itself
	NodeOperations      // outermost frames that match an expression
	NodeSites           // lines of the program's own code that wait for locks and take them
)

// Nodes are the names of the kinds.
var Nodes = [...]string{
	NodeThreads:    "thread",
	NodeGroups:     "group",
	NodeMethods:    "method",
	NodeOperations: "operation",
	NodeSites:      "site",
}

// nodeKeys are the pivot keys of a kind: waiter and owner.
var nodeKeys = [...][2]Key{
	NodeThreads:    {ByWaiterThread, ByOwnerThread},
	NodeGroups:     {ByWaiterGroup, ByOwnerGroup},
	NodeMethods:    {ByWaiterMethod, ByOwnerMethod},
	NodeOperations: {ByWaiterOperation, ByOwnerOperation},
	NodeSites:      {ByWaiterSite, ByOwnerSite},
}

// GraphOptions are the options of a graph.
type GraphOptions struct {
	Nodes  Node
	Frames *regexp.Regexp // names Operations, see Resolver.Operations
	App    *regexp.Regexp // the program's own code, which has the Sites, see Resolver.App
	Root   bool           // edges lead to the end of each chain of waits instead of the direct owner
}

// GraphBuilder is a pivot by waiter and owner, drawn as a graph: nodes wait and own, edges
// lead from the waiter to the owner with the waiting between them.
type GraphBuilder struct {
	*Pivot
	classes map[ofClass]int64 // thread-time
}

// ofClass is the part of a row that one class of locks has.
type ofClass struct {
	row   int
	class uint32
}

// NewGraph returns an empty builder.
func NewGraph(o GraphOptions) GraphBuilder {
	k := nodeKeys[o.Nodes]
	p := New(k[:], o.Root).Operations(o.Frames).App(o.App).Plain()
	b := GraphBuilder{p, map[ofClass]int64{}}
	p.also = func(row int, c Charge) { b.classes[ofClass{row, p.keys.sym.Class(c.Slice.Lock)}] += c.ThreadNs() }
	return b
}

// Graph is a finished graph. The edges sum to the total.
type Graph struct {
	Root  bool
	Nodes []Vertex // descending by time waited and caused, ties by name
	Edges []Edge   // descending by thread-time, ties by name
	Total Sum
	// OtherNs is the thread-time on edges of OtherText, for the edges beyond the bound of rows.
	OtherNs int64
}

// Vertex is a node. Times are thread-time in nanoseconds.
type Vertex struct {
	Name     string
	Pseudo   bool // a pseudo owner, such as [handoff]
	WaitedNs int64
	CausedNs int64
	// number of the strongly connected component, from 1; 0 for a node on no cycle
	Component int
	Closed    bool // no edge leaves the component: its threads wait for its members only
}

// Edge is the waiting of one node for another, or for itself.
type Edge struct {
	From, To int // indexes of Graph.Nodes
	Sum      Sum
	Locks    []EdgeLock // descending by thread-time: they sum to the edge
}

// EdgeLock is the part of an edge for one class of locks.
type EdgeLock struct {
	Class    string
	ThreadNs int64
}

// Graph returns the finished graph.
func (b GraphBuilder) Graph() *Graph {
	t := b.Table()
	g := &Graph{Root: t.Root, Total: t.Total, OtherNs: t.OtherNs, Edges: make([]Edge, len(t.Rows))}
	at, edges := map[uint32]int{}, make(map[ends]int32, len(t.Rows))
	for i := range t.Rows {
		r := &t.Rows[i]
		e := Edge{From: g.node(at, r, 0), To: g.node(at, r, 1), Sum: r.Sum}
		g.Nodes[e.From].WaitedNs += r.Sum.ThreadNs
		g.Nodes[e.To].CausedNs += r.Sum.ThreadNs
		g.Edges[i], edges[ends(r.IDs)] = e, int32(i)
	}
	g.addLocks(b, edges)
	g.rank()
	g.components()
	return g
}

// node returns the index of the waiter (0) or owner (1) of a row.
func (g *Graph) node(at map[uint32]int, r *Row, side int) int {
	id := r.IDs[side]
	i, ok := at[id]
	if !ok {
		i = len(g.Nodes)
		at[id] = i
		g.Nodes = append(
			g.Nodes,
			Vertex{
				Name:   r.Keys[side],
				Pseudo: side == 1 && Pseudo(id) || id == Other || r.Keys[side] == analysis.UnknownStack,
			},
		)
	}
	return i
}

// rank orders the nodes and points the edges at their new places.
func (g *Graph) rank() {
	order := make([]int, len(g.Nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &g.Nodes[i], &g.Nodes[j]
		return cmp.Or(cmp.Compare(b.WaitedNs+b.CausedNs, a.WaitedNs+a.CausedNs), cmp.Compare(a.Name, b.Name))
	})
	nodes, place := make([]Vertex, len(order)), make([]int, len(order))
	for at, i := range order {
		nodes[at], place[i] = g.Nodes[i], at
	}
	g.Nodes = nodes
	for i := range g.Edges {
		g.Edges[i].From, g.Edges[i].To = place[g.Edges[i].From], place[g.Edges[i].To]
	}
}

// ends are the ids of a waiter and an owner.
type ends [2]uint32

// addLocks gives each edge its classes. An edge is identified by its ends.
func (g *Graph) addLocks(b GraphBuilder, edges map[ends]int32) {
	for of, ns := range b.classes {
		e := &g.Edges[edges[ends(b.index.IDs(of.row))]]
		e.Locks = append(e.Locks, EdgeLock{b.keys.sym.Classes().Value(of.class), ns})
	}
	for e := range g.Edges {
		ByWaiting(g.Edges[e].Locks, func(l EdgeLock) (int64, string) { return l.ThreadNs, l.Class })
	}
}
