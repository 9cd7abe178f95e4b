package graph

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"

	"gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"
)

// hostile are names that act where they are not escaped.
var hostile = []string{
	`<script>alert(1)</script>`, `"]; } digraph x { a -> b [label="`, `\`, `\N\G\l`, "a\nb\r\nc\td",
	"\x1b[2J\x00\x07", "\u202eevil\u2066",
	"&quot;&#34;&lt;", "`**bold**` _x_ ~~y~~", "#quot;#35;", "end", "subgraph", "%%{init: {}}%%", "--> n1", `|"x"|`,
	"]]></title></svg>", "<!--", "\xff\xfe",
	strings.Repeat(
		"very.long.",
		500,
	) + "name", "", "click n1 call alert()", "{{.Title}}", "$(x)", "';DROP TABLE", "日本語 é 👍🏽",
}

// sample is a graph whose every name is hostile: each node waited for the
// next, and the first one for itself.
func sample() *document.Graph {
	g := &document.Graph{By: "method", Metric: "direct", Omitted: document.Omitted{Edges: 3, Nodes: 1, ThreadNs: 5e6}}
	for i, name := range hostile {
		g.Nodes = append(
			g.Nodes,
			document.Node{
				ID:        i + 1,
				Name:      name,
				WaitedNs:  1e6,
				CausedNs:  2e6,
				Pseudo:    i%5 == 4,
				Component: i % 3,
				Closed:    i%3 == 2,
			},
		)
		g.Edges = append(g.Edges, document.Edge{
			From:  i + 1,
			To:    (i+1)%len(hostile) + 1,
			Sum:   document.Sum{ThreadNs: 1e6, WallNs: 1e6, Waits: 2},
			Locks: []document.EdgeLock{{Class: name, ThreadNs: 6e5}, {Class: "x" + name, ThreadNs: 4e5}},
		})
	}
	g.Edges = append(g.Edges, document.Edge{From: 1, To: 1, Sum: document.Sum{ThreadNs: 1}})
	return g
}

func draw(t *testing.T, how func(io.Writer, *document.Graph) error, g *document.Graph) string {
	t.Helper()
	var b strings.Builder
	golden.OK(t, how(&b, g))
	text := b.String()
	if i := strings.Index(text, "<script>"); i >= 0 { // of a page, libraries follow
		text = text[:i]
	}
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' || r == '\u202e' || r == '\u2066' || r == 0x7f {
			t.Errorf("%U got through", r)
		}
	}
	return b.String()
}

func TestDOTParses(t *testing.T) {
	g := sample()
	text := draw(t, DOT, g)
	file, err := dot.ParseString(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(file.Graphs) != 1 || !file.Graphs[0].Directed {
		t.Fatalf("%d graphs", len(file.Graphs))
	}
	nodes, edges := 0, 0
	for _, s := range file.Graphs[0].Stmts {
		switch s.(type) {
		case *ast.NodeStmt:
			nodes++
		case *ast.EdgeStmt:
			edges++
		}
	}
	golden.Equal(t, nodes, len(g.Nodes))
	golden.Equal(t, edges, len(g.Edges))
	graphviz(t, text)
}

// graphviz draws the sample, where there is one.
func graphviz(t *testing.T, text string) {
	t.Helper()
	if _, err := exec.LookPath("dot"); err != nil {
		t.Log("dot is not installed: it does not draw the graph as well")
		return
	}
	c := exec.Command("dot", "-Tplain")
	c.Stdin = strings.NewReader(text)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	golden.Equal(t, strings.Count(string(out), "\nnode "), len(hostile))
}

// mermaidLines is every line a flowchart of ours may hold. Labels are words,
// plain signs and numbers of characters: nothing Mermaid reads as syntax, HTML
// or markdown.
var mermaidLines = []*regexp.Regexp{
	regexp.MustCompile(`^flowchart LR$`),
	regexp.MustCompile(`^  %% [a-z][^{}]*$`),
	regexp.MustCompile(`^  n\d+\["` + mermaidLabel + `"\]$`),
	regexp.MustCompile(`^  n\d+ -->\|"` + mermaidLabel + `"\| n\d+$`),
	regexp.MustCompile(`^  %% \d+ ns$`),
	regexp.MustCompile(`^  style n\d+ [a-z0-9#:,\- ]+$`),
	regexp.MustCompile(`^  linkStyle \d+ stroke-width:\d+\.\d\dpx$`),
}

const mermaidLabel = `(?:[\p{L}\p{Nd} .,:$%]|#\d+;|<br/>)*`

func TestMermaidHoldsItsGrammar(t *testing.T) {
	g := sample()
	count := make([]int, len(mermaidLines))
lines:
	for l := range strings.SplitSeq(strings.TrimSuffix(draw(t, Mermaid, g), "\n"), "\n") {
		for i, re := range mermaidLines {
			if re.MatchString(l) {
				count[i]++
				continue lines
			}
		}
		t.Errorf("no line of a flowchart: %q", l)
	}
	if count[0] != 1 || count[2] != len(g.Nodes) || count[3] != len(g.Edges) || count[4] != len(g.Edges) ||
		count[6] != len(g.Edges) {
		t.Errorf("%d", count)
	}
}

// The page holds every name as text, in data that no name ends.
func TestThePageHoldsNamesAsText(t *testing.T) {
	g := sample()
	page := draw(t, HTML, g)
	golden.Equal(t, strings.Count(page, "<script"), 1+len(scripts), "scripts")
	_, rest, _ := strings.Cut(page, `id="data">`)
	text, _, _ := strings.Cut(rest, "</script>")
	var p picture
	if err := json.Unmarshal([]byte(text), &p); err != nil || len(p.Nodes) != len(g.Nodes) ||
		len(p.Edges) != len(g.Edges) {
		t.Fatalf("%v: %d nodes and %d edges", err, len(p.Nodes), len(p.Edges))
	}
	if p.Nodes[0].Name != hostile[0] || p.Nodes[4].Style != "pseudo" || p.Nodes[2].Style != "closed" ||
		p.Edges[0].Ns != 1e6 ||
		p.Edges[0].From != 1 ||
		p.Edges[0].To != 2 {
		t.Errorf("%+v", p)
	}
	golden.Holds(t, page, "left out: 3 edges with 5.00 ms and 1 node (")
}

func TestAnEmptyGraphIsDrawn(t *testing.T) {
	g := &document.Graph{By: "thread", Metric: "root"}
	for _, how := range []func(io.Writer, *document.Graph) error{DOT, Mermaid, HTML} {
		golden.Holds(t, draw(t, how, g), "by thread (root blame)")
	}
}

func TestTooManyEdgesAreNoPicture(t *testing.T) {
	if err := HTML(io.Discard, &document.Graph{Edges: make([]document.Edge, maxEdges+1)}); !errors.Is(err, ErrTooMany) {
		t.Errorf("%v", err)
	}
}
