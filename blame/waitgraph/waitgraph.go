// Package waitgraph draws who blocked whom as a graph: nodes that wait and own,
// edges from the waiter to the owner with the waiting between them. It sums
// through blame's pivots, so edges add up like the rows of a table; it lays
// out and prints nothing.
package waitgraph

import (
	"cmp"
	"regexp"
	"slices"

	"contend/analysis"
	"contend/blame"
)

// Node says what the nodes of a graph are.
type Node uint8

// The kinds of nodes.
const (
	Threads    Node = iota
	Groups          // thread names with their numbers removed
	Methods         // innermost frames that are not the lock or the runtime itself
	Operations      // outermost frames that match an expression
	Sites           // lines of the program's own code that wait for locks and take them
)

// Nodes are the names of the kinds.
var Nodes = [...]string{Threads: "thread", Groups: "group", Methods: "method", Operations: "operation", Sites: "site"}

// keys are the pivot keys of a kind: waiter and owner.
var keys = [...][2]blame.Key{
	Threads:    {blame.ByWaiterThread, blame.ByOwnerThread},
	Groups:     {blame.ByWaiterGroup, blame.ByOwnerGroup},
	Methods:    {blame.ByWaiterMethod, blame.ByOwnerMethod},
	Operations: {blame.ByWaiterOperation, blame.ByOwnerOperation},
	Sites:      {blame.ByWaiterSite, blame.ByOwnerSite},
}

// Options of a Builder.
type Options struct {
	Nodes  Node
	Frames *regexp.Regexp // names Operations, see blame.Resolver.Operations
	App    *regexp.Regexp // the program's own code, which has the Sites, see blame.Resolver.App
	Root   bool           // edges lead to the end of each chain of waits instead of the direct owner
}

// Builder is a visitor that sums slices into a graph.
type Builder struct {
	root  bool
	edges *blame.Pivot // by waiter and owner
}

// New returns an empty builder.
func New(o Options) *Builder {
	k := keys[o.Nodes]
	return &Builder{root: o.Root, edges: blame.New(k[:], o.Root).Operations(o.Frames).App(o.App).ByClasses()}
}

// Begin implements analysis.Visitor.
func (b *Builder) Begin(sym *analysis.Symbols, start int64) {
	b.edges.Begin(sym, start)
}

// Slice implements analysis.Visitor.
func (b *Builder) Slice(s *analysis.Slice) {
	b.edges.Slice(s)
}

// Moved implements analysis.CrowdVisitor.
func (b *Builder) Moved(m *analysis.Move) { b.edges.Moved(m) }

// Crowd implements analysis.CrowdVisitor.
func (b *Builder) Crowd(s *analysis.Slice, n int) {
	b.edges.Crowd(s, n)
}

// Graph is a finished graph. The edges sum to the total.
type Graph struct {
	Root  bool
	Nodes []Vertex // descending by time waited and caused, ties by name
	Edges []Edge   // descending by thread-time, ties by name
	Total blame.Sum
	// OtherNs is the thread-time on edges of blame.OtherText: there are too many to tell all
	// apart.
	OtherNs int64
}

// Vertex is a node. Times are thread-time in nanoseconds.
type Vertex struct {
	Name      string
	Pseudo    bool // a place where blame ends without a thread: [handoff] and its like
	WaitedNs  int64
	CausedNs  int64
	Component int  // number of the strongly connected component, from 1; 0 for a node on no cycle
	Closed    bool // the component is left by no edge: who gets in waits for its members only
}

// Edge is the waiting of one node for another, or for itself.
type Edge struct {
	From, To int // indexes of Graph.Nodes
	blame.Sum
	Locks []Lock // descending by thread-time: they sum to the edge
}

// Lock is a class of locks an edge is made of.
type Lock struct {
	Class    string
	ThreadNs int64
}

// Graph returns the finished graph.
func (b *Builder) Graph() *Graph {
	t := b.edges.Table()
	g := &Graph{Root: b.root, Total: t.Total, OtherNs: t.OtherNs, Edges: make([]Edge, len(t.Rows))}
	at, edges := map[uint32]int{}, make(map[ends]int32, len(t.Rows))
	for i := range t.Rows {
		r := &t.Rows[i]
		e := Edge{From: g.node(at, r, 0), To: g.node(at, r, 1), Sum: r.Sum}
		g.Nodes[e.From].WaitedNs += r.ThreadNs
		g.Nodes[e.To].CausedNs += r.ThreadNs
		g.Edges[i], edges[ends(r.IDs)] = e, int32(i)
	}
	g.addLocks(b.edges, edges)
	g.rank()
	g.components()
	return g
}

// node returns the index of the waiter (0) or owner (1) of a row.
func (g *Graph) node(at map[uint32]int, r *blame.Row, side int) int {
	id := r.IDs[side]
	i, ok := at[id]
	if !ok {
		i = len(g.Nodes)
		at[id] = i
		g.Nodes = append(g.Nodes, Vertex{Name: r.Keys[side], Pseudo: side == 1 && blame.Pseudo(id) || id == blame.Other || r.Keys[side] == analysis.UnknownStack})
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
