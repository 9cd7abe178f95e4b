package waitgraph

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/format/simulate"

	"github.com/google/go-cmp/cmp"
)

// handmade: threads a and b share a name; each of them and c waits for the
// next in a ring, and d waits for a without being waited for.
const (
	a, b, c, d = format.ThreadID(1), format.ThreadID(2), format.ThreadID(3), format.ThreadID(4)
	cache, log = format.ObjectID(1), format.ObjectID(2)
	put, save  = format.StackID(1), format.StackID(2)
)

func symbols() *analysis.Symbols {
	return analysis.NewSymbols(
		&format.Event{Kind: format.KindThread, Thread: a, Name: "worker"},
		&format.Event{Kind: format.KindThread, Thread: b, Name: "worker"},
		&format.Event{Kind: format.KindThread, Thread: c, Name: "c"},
		&format.Event{Kind: format.KindThread, Thread: d, Name: "d"},
		&format.Event{Kind: format.KindObject, Object: cache, Class: "Cache"},
		&format.Event{Kind: format.KindObject, Object: log, Class: "Log"},
		&format.Event{Kind: format.KindStack, Stack: put, Frames: []format.Frame{{Class: "Cache", Method: "put"}, {Class: "Shop", Method: "checkout"}, {Class: "Shop", Method: "lambda$run$0"}}},
		&format.Event{Kind: format.KindStack, Stack: save, Frames: []format.Frame{{Class: "Log", Method: "save"}}},
	)
}

// wait is a whole wait of a thread for a lock that one owner held.
func wait(t format.ThreadID, l format.ObjectID, from, to int64, o analysis.Owner) *analysis.Slice {
	return &analysis.Slice{Start: from, End: to, Lock: l, Waiters: []analysis.Waiter{{Thread: t, Stack: put, First: true}},
		Shares: []analysis.Share{{Ns: to - from, Direct: o, Root: o, Hops: 1}}}
}

func held(t format.ThreadID) analysis.Owner { return analysis.Owner{Thread: t, Stack: save} }

func build(o Options, list ...*analysis.Slice) *Graph {
	n := New(o)
	n.Begin(symbols(), 0)
	for _, s := range list {
		n.Slice(s)
	}
	return n.Graph()
}

func ring() []*analysis.Slice {
	return []*analysis.Slice{
		wait(a, cache, 0, 10, held(b)), wait(a, log, 10, 15, held(b)), wait(b, cache, 10, 30, held(c)),
		wait(c, cache, 30, 60, held(a)), wait(d, log, 60, 100, held(a)), wait(c, log, 100, 101, analysis.Owner{Kind: analysis.OwnerHandoff}),
	}
}

func TestThreadsOfOneNameAreTwoNodes(t *testing.T) {
	g := build(Options{Nodes: Threads}, ring()...)
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
	if diff := cmp.Diff([]Lock{{"Cache", 10}, {"Log", 5}}, e.Locks); diff != "" {
		t.Error(diff)
	}
	if g.Total.ThreadNs != 106 || g.Total.Waits != 6 {
		t.Errorf("%+v", g.Total)
	}
}

func TestAnEdgeOutOfACycleUnmakesTheKnot(t *testing.T) {
	g := build(Options{Nodes: Threads}, append(ring(), wait(b, log, 200, 201, held(d)))...)
	for _, v := range g.Nodes {
		if in := v.Name != "[handoff]"; (v.Component == 1) != in || v.Closed != in {
			t.Errorf("all four wait for each other now: %+v", v)
		}
	}
	g = build(Options{Nodes: Groups}, wait(a, log, 0, 5, held(b)), wait(a, log, 5, 9, held(c)))
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
		g := build(Options{Nodes: Operations, Frames: regexp.MustCompile(expr)}, wait(a, cache, 0, 10, held(b)))
		e := g.Edges[0]
		if got := [2]string{g.Nodes[e.From].Name, g.Nodes[e.To].Name}; got != want {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
	o := analysis.Owner{Thread: b}
	if g := build(Options{Nodes: Methods}, wait(a, cache, 0, 10, o)); !g.Nodes[g.Edges[0].To].Pseudo {
		t.Error("an unknown stack is nobody in particular")
	}
}

// oneByOne is a builder that hears of each who waits in a crowd, in each slice.
type oneByOne struct{ analysis.Visitor }

// Those who wait together are on the edges, and these of the locks, on which each is alone.
func TestACrowdHasTheEdgesOfEach(t *testing.T) {
	var list format.List
	if _, err := simulate.Run(simulate.Config{Scenario: "random", Threads: 70, Locks: 3, Duration: 4e6, Period: 1e7, Seed: 5}, &list, nil); err != nil {
		t.Fatal(err)
	}
	for kind := range Nodes {
		if Node(kind) == Operations {
			continue
		}
		together, apart := New(Options{Nodes: Node(kind)}), New(Options{Nodes: Node(kind)})
		list.Rewind()
		if _, err := analysis.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, together, oneByOne{apart}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(edgeTexts(apart.Graph()), edgeTexts(together.Graph())); diff != "" {
			t.Errorf("%s:\n%s", Nodes[kind], diff)
		}
	}
}

// edgeTexts are the edges of a graph.
func edgeTexts(g *Graph) (list []string) {
	for _, e := range g.Edges {
		list = append(list, fmt.Sprint(g.Nodes[e.From].Name, " for ", g.Nodes[e.To].Name, ": ", e.Sum, e.Locks))
	}
	slices.Sort(list)
	return append(list, fmt.Sprint(g.Total))
}
