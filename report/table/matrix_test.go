package table

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// A matrix takes the square of its nodes: of thousands it shows the first, and
// sums the others, whether or not there is a terminal that it must fit.
func TestAMatrixOfManyNodesIsBounded(t *testing.T) {
	d := &document.Graph{}
	for i := range 5000 {
		d.Nodes = append(d.Nodes, document.Node{ID: i, Name: fmt.Sprintf("A.m%d", i)})
		d.Edges = append(d.Edges, document.Edge{From: i, To: (i + 1) % 5000, ThreadNs: 1})
	}
	if n := shownNodes(len(d.Nodes), 0, Options{Style: CSV}); n > mostMatrix {
		t.Errorf("%d rows", n)
	}
	for most, o := range map[int]Options{130: {Style: Text, Width: 120}} {
		var b bytes.Buffer
		golden.OK(t, Matrix(&b, d, 0, o))
		if n := strings.Count(b.String(), "\n"); n > most {
			t.Errorf("%d lines, at most %d wanted", n, most)
		}
	}
}
