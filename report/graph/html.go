package graph

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"contend/report/document"
	"contend/report/look"
	"contend/report/text"
)

//go:embed graph.html.tmpl
var files embed.FS

//go:embed graph.js
var script string

// scripts lay the graph out, let a reader move and enlarge it, and draw it.
var scripts = []string{
	look.Library("dagre.min.js"),
	look.Library("svg-pan-zoom.min.js"),
	look.Library("arrows.js"),
	script,
}

// style is what the page has besides the look of all pages.
const style = `.tools { margin-bottom: 8px; } .graphbox { border: 1px solid var(--rule); border-radius: 6px; overflow: hidden; } .graphbox svg { width: 100%; height: 100%; cursor: grab; }
.edge path { stroke: var(--dim); } .arrowhead path { fill: var(--dim); }
.scale { display: inline-block; width: 120px; height: 10px; border-radius: 2px; background: linear-gradient(to right, color-mix(in oklab, var(--heat) 8%, var(--back)), var(--heat)); }`

var pages = template.Must(
	template.New("").Funcs(look.Page{Style: style, Scripts: scripts}.Funcs()).Funcs(template.FuncMap{
		"scripts": func() (all []template.JS) {
			for _, s := range scripts {
				all = append(all, template.JS(s))
			}
			return all
		},
	}).ParseFS(files, "*.tmpl"),
)

// page is the page with a picture.
type page struct {
	Title     []string
	LeftOutNs int64
	Picture   *picture
}

// picture is what the page draws: html/template writes it as JSON.
type picture struct {
	Nodes []box   `json:"nodes"`
	Edges []arrow `json:"edges"`
}

type box struct {
	ID    int      `json:"id"`
	Lines []string `json:"lines"`
	Name  string   `json:"name"`  // in full
	Heat  int      `json:"heat"`  // how much waiting it caused, in tenths
	Style string   `json:"style"` // "pseudo", "closed" or "cycle"
}

type arrow struct {
	From  int      `json:"from"`
	To    int      `json:"to"`
	Lines []string `json:"lines"`
	Tip   string   `json:"tip"`
	Width string   `json:"width"`
	Ns    int64    `json:"ns"` // thread-time, exactly
}

// maxEdges bounds a picture: more edges are unreadable.
const maxEdges = 150

// ErrTooMany says that a graph has more than maxEdges edges.
var ErrTooMany = errors.New("too many edges for a picture")

// HTML writes a page that lays the graph out and draws it, to move and to enlarge. The
// error of a graph that is too large to read is ErrTooMany.
func HTML(w io.Writer, g *document.Graph) error {
	if len(g.Edges) > maxEdges {
		return fmt.Errorf("%w: %d, at most %d", ErrTooMany, len(g.Edges), maxEdges)
	}
	return pages.ExecuteTemplate(w, "graph.html.tmpl", page{
		Title:     strings.Split(title(g), "\n"),
		LeftOutNs: g.Omitted.ThreadNs,
		Picture:   pictureOf(g),
	})
}

func pictureOf(g *document.Graph) *picture {
	p := &picture{Nodes: []box{}, Edges: []arrow{}}
	most := int64(1)
	labels := plain(g)
	names := g.Names()
	for i := range g.Nodes {
		most = max(most, g.Nodes[i].CausedNs)
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		p.Nodes = append(
			p.Nodes,
			box{
				n.ID,
				strings.Split(nodeLabel(g, n, labels), "\n"),
				text.Sanitize(n.Name),
				heat(n.CausedNs, most),
				shapeOf(n).name,
			},
		)
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		tip := text.Sanitize(names[e.From]+" waited for "+names[e.To]) + "\n" + locks(g, e)
		p.Edges = append(
			p.Edges,
			arrow{e.From, e.To, strings.Split(edgeLabel(g, e, labels), "\n"), tip, pen(e, g), e.ThreadNs},
		)
	}
	return p
}

// heat is how much waiting a node caused, as the root of its part of the most in
// tenths; at least one if it caused any.
func heat(caused, most int64) int {
	if caused == 0 {
		return 0
	}
	return max(1, int(math.Round(10*math.Sqrt(float64(caused)/float64(most)))))
}
