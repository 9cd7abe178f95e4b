package blame

import (
	"runtime"
	"testing"

	"contend/analysis"
	"contend/format"
)

// BenchmarkSlices feeds a graph whose nodes and edges exist already.
func BenchmarkSlices(b *testing.B) {
	n := NewGraph(GraphOptions{Nodes: NodeMethods})
	n.Begin(ringSymbols(), 0)
	list := ring()
	b.ReportAllocs()
	count := 0
	for b.Loop() {
		for _, s := range list {
			n.Slice(s)
		}
		count += len(list)
	}
	b.ReportMetric(float64(count)/b.Elapsed().Seconds(), "slices/s")
}

func TestKnownEdgesCostNoAllocation(t *testing.T) {
	for kind := range Nodes {
		if Node(kind) == NodeOperations {
			continue
		}
		n := NewGraph(GraphOptions{Nodes: Node(kind)})
		var v analysis.Visitor = n
		v.Begin(ringSymbols(), 0)
		list := ring()
		feed := func() {
			for _, s := range list {
				v.Slice(s)
			}
		}
		feed()
		if got := testing.AllocsPerRun(100, feed); got > 0 {
			t.Errorf("%s: %v allocations", Nodes[kind], got)
		}
	}
}

// Where all stacks differ there are as many edges as waits. Each takes what it sums, and
// not once more for its classes of locks.
func TestWhatAnEdgeTakes(t *testing.T) {
	const threads, most = 300, 1800
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := NewGraph(GraphOptions{Nodes: NodeThreads})
	n.Begin(ringSymbols(), 0)
	for from := range threads {
		for to := range threads {
			n.Slice(ringWait(format.ThreadID(from+1), ringLog, int64(to), int64(to+1), ringHeld(format.ThreadID(to+1))))
		}
	}
	g := n.Graph()
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) / threads / threads; took > most || len(g.Edges) != threads*threads {
		t.Errorf("each of %d edges took %d bytes, at most %d are needed", len(g.Edges), took, most)
	}
}
