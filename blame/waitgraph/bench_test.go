package waitgraph

import (
	"testing"

	"contend/analysis"
)

// BenchmarkSlices feeds a graph whose nodes and edges exist already.
func BenchmarkSlices(b *testing.B) {
	n := New(Options{Nodes: Methods})
	n.Begin(symbols(), 0)
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
		if Node(kind) == Operations {
			continue
		}
		n := New(Options{Nodes: Node(kind)})
		var v analysis.Visitor = n
		v.Begin(symbols(), 0)
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
