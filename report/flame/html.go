package flame

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"contend/analysis"
	"contend/report/stacks"
)

//go:embed assets/page.html
var pageText string

//go:embed assets/page.js
var script string

//go:embed assets/d3.min.js
var d3 string

//go:embed assets/d3-flamegraph.umd.min.js
var graph string

var page = template.Must(template.New("page").Parse(pageText))

// narrow is the share of the whole below which frames are drawn as one: no
// screen shows them apart, and a page with all of them would not move.
const narrow = 1.0 / 20000

// datum is a node as the page's script reads it.
type datum struct {
	Name     string   `json:"name"`
	Value    int64    `json:"value"`
	Wall     int64    `json:"wall"`
	Base     int64    `json:"base,omitempty"`
	Role     string   `json:"role,omitempty"`
	Sure     float64  `json:"sure"`
	Known    string   `json:"known,omitempty"`
	Children []*datum `json:"children,omitempty"`
}

// HTML writes one page that needs nothing else. base, if not nil, is what to
// compare with.
func HTML(w io.Writer, b, base *stacks.Builder, title, summary string) error {
	root := build(b)
	if base != nil {
		root.compare(build(base))
	}
	hidden := 0
	doc := struct {
		Diff bool   `json:"diff"`
		Tree *datum `json:"tree"`
	}{base != nil, root.datum(int64(float64(max(root.ns, root.base))*narrow), &hidden)}
	text, err := json.Marshal(doc) // escapes what would end the script element
	if err != nil {
		return err
	}
	note := "Widths are waiting thread-time; the frames of one call chain are stacked, its innermost on top."
	if hidden > 0 {
		note += fmt.Sprintf(" %d frames narrower than %.3f %% are drawn as one.", hidden, 100*narrow)
	}
	return page.Execute(w, map[string]any{"Title": title, "Summary": summary, "Diff": base != nil, "Note": note,
		"Data": template.JS(text), "D3": template.JS(d3), "Graph": template.JS(graph), "Script": template.JS(script)})
}

func (n *node) datum(least int64, hidden *int) *datum {
	d := &datum{Name: n.name, Value: n.ns, Wall: n.wallNs, Base: n.base, Sure: n.sure(), Known: n.provenance()}
	if n.name != "all" {
		d.Role = stacks.Roles[n.role]
	}
	rest := &datum{Sure: 1}
	count := 0
	for _, c := range n.children {
		if max(c.ns, c.base) >= least {
			d.Children = append(d.Children, c.datum(least, hidden))
			continue
		}
		count++
		rest.Value += c.ns
		rest.Base += c.base
	}
	if count > 0 && rest.Value > 0 {
		*hidden += count
		rest.Name, rest.Role = fmt.Sprintf("(%d narrow frames)", count), d.Role
		d.Children = append(d.Children, rest)
	}
	return d
}

// provenance says how the owners of a node's waiting are known.
func (n *node) provenance() string {
	var parts []string
	for p, ns := range n.known {
		if ns > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", analysis.Provenance(p), 100*float64(ns)/float64(n.ns)))
		}
	}
	return strings.Join(parts, ", ")
}
