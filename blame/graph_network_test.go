package blame

import (
	"regexp"
	"testing"

	"contend/analysis"
	"contend/format"

	"github.com/google/go-cmp/cmp"
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
		&format.Event{Kind: format.KindStack, Stack: ringPut, Frames: []format.Frame{{Class: "Cache", Method: "put"}, {Class: "Shop", Method: "checkout"}, {Class: "Shop", Method: "lambda$run$0"}}},
		&format.Event{Kind: format.KindStack, Stack: ringSave, Frames: []format.Frame{{Class: "Log", Method: "save"}}},
	)
}

// wait is a whole wait of a thread for a lock that one owner held.
func ringWait(t format.ThreadID, l format.ObjectID, from, to int64, o analysis.Owner) *analysis.Slice {
	return &analysis.Slice{Start: from, End: to, Lock: l, Waiters: []analysis.Waiter{{Thread: t, Stack: ringPut, First: true}},
		Shares: []analysis.Share{{Ns: to - from, Direct: o, Root: o, Hops: 1}}}
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
		ringWait(a, ringCache, 0, 10, ringHeld(b)), ringWait(a, ringLog, 10, 15, ringHeld(b)), ringWait(b, ringCache, 10, 30, ringHeld(c)),
		ringWait(c, ringCache, 30, 60, ringHeld(a)), ringWait(d, ringLog, 60, 100, ringHeld(a)), ringWait(c, ringLog, 100, 101, analysis.Owner{Kind: analysis.OwnerHandoff}),
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
	if diff := cmp.Diff(want, g.Nodes); diff != "" {
		t.Error(diff)
	}
	e := g.Edges[3]
	if e.From != 0 || e.To != 3 || e.ThreadNs != 15 || e.WallNs != 15 || e.Waits != 2 {
		t.Errorf("%+v", e)
	}
	if diff := cmp.Diff([]EdgeLock{{"Cache", 10}, {"Log", 5}}, e.Locks); diff != "" {
		t.Error(diff)
	}
	if g.Total.ThreadNs != 106 || g.Total.Waits != 6 {
		t.Errorf("%+v", g.Total)
	}
}

func TestAnEdgeOutOfACycleUnmakesTheKnot(t *testing.T) {
	g := buildGraph(GraphOptions{Nodes: NodeThreads}, append(ring(), ringWait(b, ringLog, 200, 201, ringHeld(d)))...)
	for _, v := range g.Nodes {
		if in := v.Name != "[handoff]"; (v.Component == 1) != in || v.Closed != in {
			t.Errorf("all four wait for each other now: %+v", v)
		}
	}
	g = buildGraph(GraphOptions{Nodes: NodeGroups}, ringWait(a, ringLog, 0, 5, ringHeld(b)), ringWait(a, ringLog, 5, 9, ringHeld(c)))
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
		g := buildGraph(GraphOptions{Nodes: NodeOperations, Frames: regexp.MustCompile(expr)}, ringWait(a, ringCache, 0, 10, ringHeld(b)))
		e := g.Edges[0]
		if got := [2]string{g.Nodes[e.From].Name, g.Nodes[e.To].Name}; got != want {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
	o := analysis.Owner{Thread: b}
	if g := buildGraph(GraphOptions{Nodes: NodeMethods}, ringWait(a, ringCache, 0, 10, o)); !g.Nodes[g.Edges[0].To].Pseudo {
		t.Error("an unknown stack is nobody in particular")
	}
}
