package graph

import (
	"encoding/xml"
	"errors"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"contend/report/document"

	"gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"
)

// hostile are names that act where they are not escaped.
var hostile = []string{
	`<script>alert(1)</script>`, `"]; } digraph x { a -> b [label="`, `\`, `\N\G\l`, "a\nb\r\nc\td", "\x1b[2J\x00\x07", "\u202eevil\u2066",
	"&quot;&#34;&lt;", "`**bold**` _x_ ~~y~~", "#quot;#35;", "end", "subgraph", "%%{init: {}}%%", "--> n1", `|"x"|`, "]]></title></svg>", "<!--", "\xff\xfe",
	strings.Repeat("very.long.", 500) + "name", "", "click n1 call alert()", "{{.Title}}", "$(x)", "';DROP TABLE", "日本語 é 👍🏽",
}

// sample is a graph whose every name is hostile: each node waited for the
// next, and the first one for itself.
func sample() *document.Graph {
	g := &document.Graph{By: "method", Metric: "direct", Omitted: document.Omitted{Edges: 3, Nodes: 1, ThreadNs: 5e6}}
	for i, name := range hostile {
		g.Nodes = append(g.Nodes, document.Node{ID: i + 1, Name: name, WaitedNs: 1e6, CausedNs: 2e6, Pseudo: i%5 == 4, Component: i % 3, Closed: i%3 == 2})
		g.Edges = append(g.Edges, document.Edge{From: i + 1, To: (i+1)%len(hostile) + 1, ThreadNs: 1e6, WallNs: 1e6, Waits: 2,
			Locks: []document.EdgeLock{{Class: name, ThreadNs: 6e5}, {Class: "x" + name, ThreadNs: 4e5}}})
	}
	g.Edges = append(g.Edges, document.Edge{From: 1, To: 1, ThreadNs: 1})
	return g
}

func draw(t *testing.T, how func(io.Writer, *document.Graph) error, g *document.Graph) string {
	t.Helper()
	var b strings.Builder
	if err := how(&b, g); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.String() {
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
	if nodes != len(g.Nodes) || edges != len(g.Edges) {
		t.Errorf("%d nodes and %d edges, want %d and %d", nodes, edges, len(g.Nodes), len(g.Edges))
	}
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
	if got := strings.Count(string(out), "\nnode "); got != len(hostile) {
		t.Errorf("%d nodes, want %d", got, len(hostile))
	}
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
	if count[0] != 1 || count[2] != len(g.Nodes) || count[3] != len(g.Edges) || count[4] != len(g.Edges) || count[6] != len(g.Edges) {
		t.Errorf("%d", count)
	}
}

func TestSVGIsXMLAndHoldsNamesAsText(t *testing.T) {
	text := draw(t, SVG, sample())
	dec := xml.NewDecoder(strings.NewReader(text))
	elements := map[string]int{}
	var said strings.Builder
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			elements[tok.Name.Local]++
			for _, a := range tok.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Name.Local, "href") {
					t.Errorf("attribute %s", a.Name.Local)
				}
			}
		case xml.CharData:
			said.Write(tok)
		}
	}
	want := map[string]bool{"svg": true, "title": true, "defs": true, "marker": true, "path": true, "rect": true, "text": true, "g": true}
	for name := range elements {
		if !want[name] {
			t.Errorf("element %s", name)
		}
	}
	if elements["svg"] != 1 || !strings.Contains(said.String(), `<script>alert(1)</script>`) || !strings.Contains(said.String(), "left out: 3 edges with 5.00 ms and 1 node (") {
		t.Errorf("%v", elements)
	}
}

func TestAnEmptyGraphIsDrawn(t *testing.T) {
	g := &document.Graph{By: "thread", Metric: "root"}
	for _, how := range []func(io.Writer, *document.Graph) error{DOT, Mermaid, SVG} {
		if out := draw(t, how, g); !strings.Contains(out, "by thread (root blame)") {
			t.Errorf("%s", out)
		}
	}
}

// A filter may leave nothing: a height of minus infinity is no picture.
func TestAPictureOfNothingHasASize(t *testing.T) {
	text := draw(t, SVG, &document.Graph{By: "method", Metric: "direct"})
	m := regexp.MustCompile(`<svg [^>]*width="([0-9.]+)" height="([0-9.]+)" viewBox="[0-9. -]+"`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal(text)
	}
	if high, _ := strconv.ParseFloat(m[2], 64); high < 2*headLine || high > 200 {
		t.Errorf("%s high", m[2])
	}
}

// A loop's label may be wider than its node: it is in the picture all the same.
func TestEveryLabelIsInThePicture(t *testing.T) {
	long := strings.Repeat("pkg.", 12) + "Lock"
	g := &document.Graph{By: "method", Metric: "direct", Nodes: []document.Node{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}}, Edges: []document.Edge{
		{From: 1, To: 1, ThreadNs: 1, Locks: []document.EdgeLock{{Class: long, ThreadNs: 1}}}, {From: 1, To: 2, ThreadNs: 1},
		{From: 2, To: 2, ThreadNs: 1, Locks: []document.EdgeLock{{Class: long, ThreadNs: 1}}}}}
	text := draw(t, SVG, g)
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	box := regexp.MustCompile(`viewBox="(\S+) 0 (\S+) `).FindStringSubmatch(text)
	labels := regexp.MustCompile(`<rect x="([-0-9.]+)" y="[-0-9.]+" width="([0-9.]+)"`).FindAllStringSubmatch(text, -1)
	if box == nil || len(labels) < 5 {
		t.Fatalf("%s", text)
	}
	left := number(box[1])
	right := left + number(box[2])
	for _, l := range labels {
		if x := number(l[1]); x < left-0.1 || x+number(l[2]) > right+0.1 {
			t.Errorf("%s lies outside of %.1f to %.1f", l[0], left, right)
		}
	}
}
