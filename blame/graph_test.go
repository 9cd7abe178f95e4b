package blame

import (
	"fmt"
	"regexp"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"

	"pgregory.net/rapid"
)

// aRing: threads a and b share a name; each of them and c waits for the
// next in a ring, and d waits for a without being waited for.
const (
	a, b, c, d         = format.ThreadID(1), format.ThreadID(2), format.ThreadID(3), format.ThreadID(4)
	ringCache, ringLog = format.ObjectID(1), format.ObjectID(2)
	ringPut, ringSave  = format.StackID(1), format.StackID(2)
)

func ringSymbols() *analysis.Symbols {
	return analysis.NewSymbols(
		&format.Event{Kind: format.KindThread, Thread: a, Name: "worker"},
		&format.Event{Kind: format.KindThread, Thread: b, Name: "worker"},
		&format.Event{Kind: format.KindThread, Thread: c, Name: "c"},
		&format.Event{Kind: format.KindThread, Thread: d, Name: "d"},
		&format.Event{Kind: format.KindObject, Object: ringCache, Class: "Cache"},
		&format.Event{Kind: format.KindObject, Object: ringLog, Class: "Log"},
		&format.Event{
			Kind:  format.KindStack,
			Stack: ringPut,
			Frames: []format.Frame{
				{Class: "Cache", Method: "put"},
				{Class: "Shop", Method: "checkout"},
				{Class: "Shop", Method: "lambda$run$0"},
			},
		},
		&format.Event{Kind: format.KindStack, Stack: ringSave, Frames: []format.Frame{{Class: "Log", Method: "save"}}},
	)
}

// wait is a whole wait of a thread for a lock that one owner held.
func ringWait(t format.ThreadID, l format.ObjectID, from, to int64, o analysis.Owner) *analysis.Slice {
	return &analysis.Slice{
		Start:   from,
		End:     to,
		Lock:    l,
		Waiters: []analysis.Waiter{{Thread: t, Stack: ringPut, First: true}},
		Shares:  []analysis.Share{{Ns: to - from, Direct: o, Root: o, Hops: 1}},
	}
}

func ringHeld(t format.ThreadID) analysis.Owner { return analysis.Owner{Thread: t, Stack: ringSave} }

func buildGraph(o GraphOptions, list ...*analysis.Slice) *Graph {
	n := NewGraph(o)
	n.Begin(ringSymbols(), 0)
	for _, s := range list {
		n.Slice(s)
	}
	return n.Graph()
}

func ring() []*analysis.Slice {
	return []*analysis.Slice{
		ringWait(
			a,
			ringCache,
			0,
			10,
			ringHeld(b),
		), ringWait(a, ringLog, 10, 15, ringHeld(b)), ringWait(b, ringCache, 10, 30, ringHeld(c)),
		ringWait(
			c,
			ringCache,
			30,
			60,
			ringHeld(a),
		), ringWait(d, ringLog, 60, 100, ringHeld(a)), ringWait(c, ringLog, 100, 101,
			analysis.Owner{Kind: analysis.OwnerHandoff}),
	}
}

func TestThreadsOfOneNameAreTwoNodes(t *testing.T) {
	g := buildGraph(GraphOptions{Nodes: NodeThreads}, ring()...)
	want := []Vertex{
		{Name: "worker", WaitedNs: 15, CausedNs: 70, Component: 1, Closed: true},
		{Name: "c", WaitedNs: 31, CausedNs: 20, Component: 1, Closed: true},
		{Name: "d", WaitedNs: 40},
		{Name: "worker", WaitedNs: 20, CausedNs: 15, Component: 1, Closed: true},
		{Name: "[handoff]", Pseudo: true, CausedNs: 1},
	}
	golden.Same(t, g.Nodes, want)
	e := g.Edges[3]
	if e.From != 0 || e.To != 3 || e.Sum.ThreadNs != 15 || e.Sum.WallNs != 15 || e.Sum.Waits != 2 {
		t.Errorf("%+v", e)
	}
	golden.Same(t, e.Locks, []EdgeLock{{"Cache", 10}, {"Log", 5}})
	golden.Equal(t, g.Total.ThreadNs, 106)
	golden.Equal(t, g.Total.Waits, 6)
}

func TestAnEdgeOutOfACycleUnmakesTheKnot(t *testing.T) {
	g := buildGraph(GraphOptions{Nodes: NodeThreads}, append(ring(), ringWait(b, ringLog, 200, 201, ringHeld(d)))...)
	for _, v := range g.Nodes {
		if in := v.Name != "[handoff]"; (v.Component == 1) != in || v.Closed != in {
			t.Errorf("all four wait for each other now: %+v", v)
		}
	}
	g = buildGraph(
		GraphOptions{Nodes: NodeGroups},
		ringWait(a, ringLog, 0, 5, ringHeld(b)),
		ringWait(a, ringLog, 5, 9, ringHeld(c)),
	)
	if v := g.Nodes[0]; v.Component != 1 || v.Closed {
		t.Errorf("the workers wait for each other, and for c: %+v", v)
	}
	if v := g.Nodes[1]; v.Name != "c" || v.Component != 0 || v.Closed {
		t.Errorf("c waits for nobody: %+v", v)
	}
}

func TestOperationsAreTheOutermostMatch(t *testing.T) {
	for expr, want := range map[string][2]string{
		`^(\w+)\.`:    {"Shop", "Log"},
		`\.(put|sav)`: {"put", "sav"},
		`Shop\..*`:    {"Shop.checkout", "[other operation]"},
	} {
		g := buildGraph(
			GraphOptions{Nodes: NodeOperations, Frames: regexp.MustCompile(expr)},
			ringWait(a, ringCache, 0, 10, ringHeld(b)),
		)
		e := g.Edges[0]
		golden.Equal(t, [2]string{g.Nodes[e.From].Name, g.Nodes[e.To].Name}, want, expr)
	}
	o := analysis.Owner{Thread: b}
	if g := buildGraph(GraphOptions{Nodes: NodeMethods},
		ringWait(a, ringCache, 0, 10, o)); !g.Nodes[g.Edges[0].To].Pseudo {
		t.Error("an unknown stack is nobody in particular")
	}
}

// Of 600 threads that wait for each other, all the time and in two crowds, there are more
// edges than are reported. Nodes still have all they caused, edges are made of their
// classes and sum to all, and no node is said to wait for the members of a knot only.
func TestMoreEdgesThanAreTold(t *testing.T) {
	const threads, ns = 600, 7
	events := []*format.Event{
		{Kind: format.KindObject, Object: ringCache, Class: "Cache"},
		{Kind: format.KindObject, Object: ringLog, Class: "Log"},
	}
	for i := range threads {
		events = append(
			events,
			&format.Event{Kind: format.KindThread, Thread: format.ThreadID(i + 1), Name: fmt.Sprint("t", i+1)},
		)
	}
	b := NewGraph(GraphOptions{Nodes: NodeThreads})
	b.Begin(analysis.NewSymbols(events...), 0)
	for i := range threads {
		b.QueueChanged(
			&analysis.QueueChange{
				Waiter: analysis.Waiter{Thread: format.ThreadID(i + 1)},
				Lock:   ringCache + format.ObjectID(i%2),
				Number: uint32(i + 1),
			},
		)
	}
	for i := range 2 * threads {
		by, at := ringHeld(format.ThreadID(1+i/2)), int64(10*i)
		b.QueueSlice(&analysis.Slice{
			Start:   at,
			End:     at + ns,
			Lock:    ringCache + format.ObjectID(i%2),
			Waiters: []analysis.Waiter{{Thread: 1}},
			Shares:  []analysis.Share{{Ns: ns, Direct: by, Root: by, Hops: 1}},
		}, threads/2)
	}
	b.Slice(ringWait(a, ringCache, 20*threads, 20*threads+5, ringHeld(threads)))
	g := b.Graph()
	var sum, others int64
	for _, e := range g.Edges {
		sum += e.Sum.ThreadNs
		if g.Nodes[e.From].Name == OtherText {
			others += e.Sum.ThreadNs
		}
		locks := int64(0)
		for _, l := range e.Locks {
			locks += l.ThreadNs
		}
		if locks != e.Sum.ThreadNs {
			t.Fatalf("%s for %s: %d ns, of %v", g.Nodes[e.From].Name, g.Nodes[e.To].Name, e.Sum.ThreadNs, e.Locks)
		}
	}
	if want := int64(threads*threads*ns + 5); g.Total.ThreadNs != want || sum != want || others != g.OtherNs ||
		others == 0 ||
		others > want/2 {
		t.Errorf(
			"%d ns on edges, %d of them of %s, which are %d of %d",
			sum,
			others,
			OtherText,
			g.OtherNs,
			g.Total.ThreadNs,
		)
	}
	var waited int64
	for _, v := range g.Nodes {
		waited += v.WaitedNs
		caused := int64(threads * ns)
		switch v.Name {
		case OtherText:
			if !v.Pseudo || v.WaitedNs != others {
				t.Errorf("%+v", v)
			}
			continue
		case fmt.Sprint("t", threads):
			caused += 5
		}
		if v.CausedNs != caused || v.Closed {
			t.Fatalf("%+v, want %d", v, caused)
		}
	}
	golden.Equal(t, waited, g.Total.ThreadNs, "nodes waited")
}

// random draws a graph of few nodes and any edges between them.
func random(t *rapid.T) *Graph {
	n := rapid.IntRange(1, 8).Draw(t, "nodes")
	g := &Graph{Nodes: make([]Vertex, n)}
	for range rapid.IntRange(0, 16).Draw(t, "edges") {
		node := rapid.IntRange(0, n-1)
		g.Edges = append(
			g.Edges,
			Edge{
				From: node.Draw(t, "from"),
				To:   node.Draw(t, "to"),
				Sum:  Sum{ThreadNs: rapid.Int64Range(0, 3).Draw(t, "ns")},
			},
		)
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
		if e.Sum.ThreadNs > 0 {
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
			golden.Equal(t, v.Component > 0, r[i][i], "node", i, "component", v.Component, "on a cycle")
			closed := r[i][i]
			for j, u := range g.Nodes {
				golden.Equal(
					t,
					v.Component > 0 && v.Component == u.Component,
					r[i][j] && r[j][i],
					"nodes",
					i,
					"and",
					j,
					"components",
					v.Component,
					"and",
					u.Component,
				)
				closed = closed && (!r[i][j] || r[j][i])
			}
			golden.Equal(t, v.Closed, closed, "node", i, "closed")
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
