package cmd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contend/analysis"
	"contend/blame"
	"contend/csp"
	"contend/golden"
	"contend/report/document"
	"contend/report/table"
)

// run runs a command and returns what it answers.
func run(t *testing.T, args ...string) string {
	t.Helper()
	var out, msg bytes.Buffer
	if code := Main(args, nil, &out, &msg); code != exitOK {
		t.Fatalf("contend %v: exit %d: %s", args, code, msg.String())
	}
	return out.String()
}

func unmarshal(t *testing.T, text string, doc any) {
	t.Helper()
	golden.OK(t, json.Unmarshal([]byte(text), doc))
}

// exactly writes the exact trace of a scenario.
func exactly(t *testing.T, scenario string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), scenario)
	run(t, "simulate", "--scenario", scenario, "--exact", "--duration", "1s", "-o", path)
	return path
}

// graphs are the ways to draw one.
var graphs = []graphOptions{
	{by: nodes("thread")}, {by: nodes("group"), root: true}, {by: nodes("method")}, {by: nodes("method"), root: true},
	{
		by:        nodes("operation"),
		operation: expression{written: written{text: anyMethod}, re: regexp.MustCompile(anyMethod)},
	}, {by: nodes("site")},
}

const anyMethod = `(\w+)\.\w+$`

func nodes(by string) choice {
	return choice{written: written{text: by}, words: blame.Nodes[:], at: slices.Index(blame.Nodes[:], by)}
}

// graphsSum: the edges hold all waiting, also where some are left out, and so do matrices.
func graphsSum(t *testing.T, i int) law {
	l := law{name: "Graphs"}
	for _, o := range graphs {
		options := golden.Must(o.network())(t)
		l.wants = append(l.wants, blame.NewGraph(options))
	}
	l.holds = func(t *testing.T, p *shared) {
		for j, o := range graphs {
			g := l.wants[j].(blame.GraphBuilder).Graph()
			doc := func(top int) *document.Graph { return document.NewGraph(g, o.by.String(), p.coverage(), top) }
			how := []string{
				"graph",
				"--by",
				o.by.String(),
				"--operation",
				o.operation.text,
				fmt.Sprint("--root=", o.root),
			}
			switch (i + j) % 3 { // each graph as each of them, over the files
			case 0:
				all := new(document.Graph)
				unmarshal(t, p.says(t, doc(0), how...), all)
				checkGraph(t, how, all, p.want.Total)
			case 1:
				top := doc(2)
				checkGraph(t, how, top, p.want.Total)
				golden.AtMost(t, len(top.Edges), 2, how, "edges of 2")
			case 2:
				checkMatrix(
					t,
					how,
					inForm(t, graphOutputs, "csv", doc(0), table.Options{Matrix: true, Top: 3}),
					p.want.Total.WaitNs,
				)
			}
		}
	}
	return l
}

// sumsIn finds the exact times in a drawing, and what it leaves out.
var sumsIn = map[string]*regexp.Regexp{
	"dot":     regexp.MustCompile(`(?:thread_ns|left_out_ns)=(\d+)`),
	"mermaid": regexp.MustCompile(`(?m)^  %% (?:left out: )?(\d+)(?: ns)?$`),
	"svg":     regexp.MustCompile(`data-(?:wait|left-out)-ns="(\d+)"`),
	"html":    regexp.MustCompile(`(?:data-(?:wait|left-out)-ns="|"ns":)(\d+)`),
}

// sumDrawn adds up the times in a drawing.
func sumDrawn(t *testing.T, format, text string) (sum int64) {
	t.Helper()
	for _, m := range sumsIn[format].FindAllStringSubmatch(text, -1) {
		sum += golden.Must(strconv.ParseInt(m[1], 10, 64))(t)
	}
	return sum
}

// drawings are pictures that hold the waiting to the nanosecond.
var drawings = []struct {
	command, form string
	top           int
	root          bool
}{
	{"graph", "dot", 0, false}, {"graph", "dot", 3, false}, {"graph", "mermaid", 5, true}, {"graph", "html", 10, false},
	{"csp", "svg", 3, false}, {"csp", "html", 0, false}, {"csp", "svg", defaultTop, true},
}

// drawingsSum: what a picture leaves out it says.
func drawingsSum(i int) law {
	l := law{name: "Drawings"}
	for _, d := range drawings {
		if d.command == "graph" {
			l.wants = append(l.wants, blame.NewGraph(blame.GraphOptions{Nodes: blame.NodeSites, Root: d.root}))
		} else {
			l.wants = append(l.wants, csp.New(csp.Options{IntervalNs: chartInterval.Nanoseconds(),
				Threshold: csp.DefaultThreshold, Root: d.root}))
		}
	}
	l.holds = func(t *testing.T, p *shared) {
		for j, d := range drawings {
			if (i+j)%3 != 0 {
				continue // another file's turn
			}
			text := ""
			switch v := l.wants[j].(type) {
			case blame.GraphBuilder:
				text = inForm(t, graphOutputs, d.form, document.NewGraph(v.Graph(), "site", p.coverage(), d.top),
					table.Options{})
			case *csp.Meter:
				if p.want.Coverage.Unit != "ns" {
					continue // has no time to draw
				}
				series := golden.Must(v.Series())(t)
				text = inForm(t, cspOutputs, d.form,
					document.NewCSP(series, p.want.Trace.StartNs, nil, document.NewTotal(p.sums),
						p.coverage()), table.Options{Top: d.top})
			}
			golden.Equal(t, sumDrawn(t, d.form, text), p.want.Total.WaitNs, d)
		}
	}
	return l
}

func checkGraph(t *testing.T, how []string, g *document.Graph, want document.Total) {
	t.Helper()
	sum := g.Omitted.ThreadNs
	waited, caused := map[int]int64{}, map[int]int64{}
	for _, e := range g.Edges {
		sum += e.ThreadNs
		waited[e.From] += e.ThreadNs
		caused[e.To] += e.ThreadNs
		locks := int64(0)
		for _, l := range e.Locks {
			locks += l.ThreadNs
		}
		if e.WallNs > e.ThreadNs || locks != e.ThreadNs || sumProvenance(e.Provenance) != e.ThreadNs {
			t.Errorf("%v: %+v", how, e)
		}
	}
	if sum != want.WaitNs || g.Total.WaitNs != want.WaitNs || g.Total.WallNs != want.WallNs ||
		g.Total.Waits != want.Waits {
		t.Errorf("%v: the edges sum to %d, the total is %+v, analyze has %+v", how, sum, g.Total, want)
	}
	for _, n := range g.Nodes {
		if cut := g.Omitted.Edges > 0; n.WaitedNs < waited[n.ID] || n.CausedNs < caused[n.ID] ||
			!cut && (n.WaitedNs != waited[n.ID] || n.CausedNs != caused[n.ID]) {
			t.Errorf("%v: %+v, its edges sum to %d and %d", how, n, waited[n.ID], caused[n.ID])
		}
		if n.Pseudo && n.Closed || n.Closed && n.Component == 0 {
			t.Errorf("%v: %+v", how, n)
		}
	}
}

// checkMatrix adds up every row and column of a matrix.
func checkMatrix(t *testing.T, how []string, text string, want int64) {
	t.Helper()
	rows := golden.Must(csv.NewReader(strings.NewReader(text)).ReadAll())(t)
	number := func(s string) int64 {
		return golden.Must(strconv.ParseInt(s, 10, 64))(t)
	}
	last := rows[len(rows)-1]
	columns := make([]int64, len(last))
	for _, row := range rows[1 : len(rows)-1] {
		sum := int64(0)
		for j := 1; j < len(row); j++ {
			columns[j] += number(row[j])
			if j < len(row)-1 {
				sum += number(row[j])
			}
		}
		golden.Equal(t, sum, number(row[len(row)-1]), how, "row", row, "sums to")
	}
	for j := 1; j < len(last); j++ {
		golden.Equal(t, columns[j], number(last[j]), how, "column", rows[0][j], "sums to", last[j])
	}
	golden.Equal(t, columns[len(last)-1], want, how, "the matrix sums to")
}

// chainsSum: the chains hold all waiting, also where some are left out, and none comes twice.
func chainsSum() law {
	collector := blame.NewChains()
	return law{"Chains", []analysis.Visitor{collector}, func(t *testing.T, p *shared) {
		found, all := collector.Table(), new(document.Chains)
		unmarshal(t, p.says(t, document.NewChains(found, p.coverage(), 0), "chains"), all)
		for _, c := range []*document.Chains{all, document.NewChains(found, p.coverage(), 2)} {
			sum := c.Omitted.ThreadNs
			for _, r := range c.Chains {
				sum += r.ThreadNs
				if r.WallNs > r.ThreadNs || sumProvenance(r.Provenance) != r.ThreadNs || len(r.Steps) != 2*r.Hops+1 {
					t.Errorf("%+v", r)
				}
			}
			if want := p.want.Total; sum != want.WaitNs || c.Total.WaitNs != want.WaitNs ||
				c.Total.WallNs != want.WallNs ||
				c.Total.Waits != want.Waits {
				t.Errorf("the chains sum to %d, the total is %+v, analyze has %+v", sum, c.Total, want)
			}
		}
		signatures := map[string]bool{}
		for _, r := range all.Chains {
			if signatures[r.Signature] {
				t.Errorf("%s comes twice", r.Signature)
			}
			signatures[r.Signature] = true
		}
	}}
}
