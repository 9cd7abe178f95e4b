// Package graph draws graphs from waiters to owners: for Graphviz, for Mermaid, and as a
// page. It sums nothing, and no name from a trace can end the string it stands in.
package graph

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// DOT writes the graph in the language of Graphviz. Nodes of a cycle are
// filled, those of a cycle that no edge leaves are framed twice as well; pseudo owners are dashed. Edges
// carry their exact sums as attributes of our own, which Graphviz ignores, and
// the graph what was left out.
func DOT(out io.Writer, g *document.Graph) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "digraph contend {\n\tgraph [rankdir=LR, labelloc=t, label=%s, left_out_ns=%d];\n", dotQuote(title(g)), g.Omitted.ThreadNs)
	fmt.Fprintf(w, "\tnode [shape=box, style=rounded, fontname=\"sans-serif\"];\n\tedge [fontname=\"sans-serif\", fontsize=10];\n")
	for i := range g.Nodes {
		n := &g.Nodes[i]
		fmt.Fprintf(w, "\tn%d [label=%s%s];\n", n.ID, dotQuote(nodeLabel(g, n, whole)), shapeOf(n).dot)
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		fmt.Fprintf(w, "\tn%d -> n%d [label=%s, penwidth=%s, tooltip=%s, thread_ns=%d, wall_ns=%d, waits=%d];\n",
			e.From, e.To, dotQuote(edgeLabel(g, e, whole)), pen(e, g), dotQuote(locks(g, e)), e.ThreadNs, e.WallNs, e.Waits)
	}
	fmt.Fprintln(w, "}")
	return w.Flush()
}

// dotQuote writes a text as a quoted string of DOT. Inside one only a quote
// ends it; a backslash would begin an escape (\N is the node's name), so it is
// doubled.
func dotQuote(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = dotEscaper.Replace(text.Sanitize(l))
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}

// dotEscaper also writes & as an entity, as Graphviz reads entities in labels,
// and bytes that are no text as a plain sign, which every reader of DOT takes.
var dotEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`, "\uFFFD", "?")
