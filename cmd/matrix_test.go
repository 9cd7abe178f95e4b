package cmd

import (
	"testing"

	"contend/golden"
	"contend/report/document"
)

// TestMatrixEqualsTheProgramsOwnLog holds who waited for whom, by operation,
// to what the traced program logged of itself: its matrix says waiter<-owner.
func TestMatrixEqualsTheProgramsOwnLog(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	for _, c := range []struct {
		name, class string
		distance    float64
	}{
		{"truth-8threads-dumps50ms", "Truth$InventoryLock", 0.08},
		{"truth-8threads-dumps50ms", "Truth$LedgerLock", 0.01},
		{"truth-8threads-dumps50ms", "java.util.concurrent.locks.ReentrantLock$NonfairSync", 0.20},
		{"truth-8threads", "Truth$InventoryLock", 0.20},
	} {
		var logged struct {
			Locks []struct {
				Class  string
				Matrix map[string]float64
			}
		}
		readTruth(t, "../testdata/"+c.name+".truth.json", &logged)
		g := ask[document.Graph](t, "graph", "--operation", `^Truth\.(checkout|refund|exportReport|login|nestedTransfer|audit\w+)$`, "../testdata/"+c.name+".jfr")
		found := false
		for _, l := range logged.Locks {
			if l.Class != c.class {
				continue
			}
			found = true
			d := pairDistance(matrixOf(g, c.class), l.Matrix)
			t.Logf("%s %s: distance %.3f", c.name, c.class, d)
			if d > c.distance {
				t.Errorf("%s %s: distance %.3f from the truth, want at most %.2f", c.name, c.class, d, c.distance)
			}
		}
		if !found {
			t.Errorf("the log of %s knows no %s", c.name, c.class)
		}
	}
}

// matrixOf returns the edges a class of locks has between real nodes.
func matrixOf(g *document.Graph, class string) map[string]float64 {
	names, pseudo := g.Names(), map[int]bool{}
	for _, n := range g.Nodes {
		pseudo[n.ID] = n.Pseudo
	}
	m := map[string]float64{}
	for _, e := range g.Edges {
		for _, l := range e.Locks {
			if l.Class == class && !pseudo[e.To] {
				m[names[e.From]+"<-"+names[e.To]] += float64(l.ThreadNs)
			}
		}
	}
	return m
}
