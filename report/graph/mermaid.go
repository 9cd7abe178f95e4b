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
		fmt.Fprintf(w, "  n%d -->|\"%s\"| n%d\n  %%%% %d%s\n", e.From, mermaidText(edgeLabel(g, e, whole)), e.To, e.ThreadNs, unit)
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
