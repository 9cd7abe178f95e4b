// Package graph draws graphs from waiters to owners: for Graphviz, for Mermaid, and as a
// page. It sums nothing, and no name from a trace can end the string it stands in.
package graph

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"contend/report/document"
	"contend/report/text"
)

// DOT writes the graph in the language of Graphviz. Nodes of a cycle are filled, and framed
// twice if no edge leaves the cycle; pseudo owners are dashed. Edges carry their exact sums
// as attributes of our own, which Graphviz ignores, and the graph what was left out.
func DOT(out io.Writer, g *document.Graph) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(
		w,
		"digraph contend {\n\tgraph [rankdir=LR, labelloc=t, label=%s, left_out_ns=%d];\n",
		dotQuote(title(g)),
		g.Omitted.ThreadNs,
	)
	fmt.Fprintf(
		w,
		"\tnode [shape=box, style=rounded, fontname=\"sans-serif\"];\n\tedge [fontname=\"sans-serif\", fontsize=10];\n",
	)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		fmt.Fprintf(w, "\tn%d [label=%s%s];\n", n.ID, dotQuote(nodeLabel(g, n, whole)), shapeOf(n).dot)
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		fmt.Fprintf(
			w,
			"\tn%d -> n%d [label=%s, penwidth=%s, tooltip=%s, thread_ns=%d, wall_ns=%d, waits=%d];\n",
			e.From,
			e.To,
			dotQuote(edgeLabel(g, e, whole)),
			pen(e, g),
			dotQuote(locks(g, e)),
			e.ThreadNs,
			e.WallNs,
			e.Waits,
		)
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

// Mermaid writes the graph as a Mermaid flowchart, which many wikis and code
// hosts draw. Comments say what was left out, and below each edge its exact
// thread-time.
func Mermaid(out io.Writer, g *document.Graph) error {
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, "flowchart LR")
	for _, l := range strings.Split(title(g), "\n") {
		fmt.Fprintf(w, "  %%%% %s\n", l)
	}
	unit := " ns"
	if text.MeasureOf(g.Coverage).Counts() {
		unit = ""
	}
	fmt.Fprintf(w, "  %%%% left out: %d%s\n", g.Omitted.ThreadNs, unit)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		fmt.Fprintf(w, "  n%d[\"%s\"]\n", n.ID, mermaidText(nodeLabel(g, n, whole)))
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		fmt.Fprintf(
			w,
			"  n%d -->|\"%s\"| n%d\n  %%%% %d%s\n",
			e.From,
			mermaidText(edgeLabel(g, e, whole)),
			e.To,
			e.ThreadNs,
			unit,
		)
	}
	for i := range g.Nodes {
		if s := shapeOf(&g.Nodes[i]).mermaid; s != "" {
			fmt.Fprintf(w, "  style n%d %s\n", g.Nodes[i].ID, s)
		}
	}
	for i := range g.Edges {
		fmt.Fprintf(w, "  linkStyle %d stroke-width:%spx\n", i, pen(&g.Edges[i], g))
	}
	return w.Flush()
}

// mermaidText makes a text safe inside the quotes of a label. Mermaid draws
// labels as HTML and reads markdown and #n; entities in them: so everything
// that is no letter, digit or plain sign is written as its number.
func mermaidText(s string) string {
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteString("<br/>")
		}
		for _, r := range text.Sanitize(line) {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,:$%", r) {
				b.WriteRune(r)
				continue
			}
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
