package graph

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"contend/report/document"
	"contend/report/graph/layout"
	"contend/report/look"
	"contend/report/text"
)

//go:embed graph.svg.tmpl graph.html.tmpl
var files embed.FS

//go:embed graph.js
var script string

// panZoom lets a reader move and enlarge the picture in a page.
var panZoom = look.Library("svg-pan-zoom.min.js")

// style is what the page has besides the look of all pages.
const style = `.tools { margin-bottom: 8px; } .graphbox { border: 1px solid var(--rule); border-radius: 6px; overflow: hidden; } .graphbox svg { width: 100%; height: 100%; cursor: grab; }
.scale { display: inline-block; width: 120px; height: 10px; border-radius: 2px; background: linear-gradient(to right, color-mix(in oklab, var(--heat) 8%, var(--back)), var(--heat)); }`

// html/template escapes labels for the place they stand in; control
// characters are gone before.
var pages = template.Must(template.New("").Funcs(look.Page{Style: style, Scripts: []string{panZoom, script}}.Funcs()).Funcs(template.FuncMap{
	"panzoom": func() template.JS { return template.JS(panZoom) }, "script": func() template.JS { return template.JS(script) },
}).ParseFS(files, "*.tmpl"))

// The measures of text, in pixels. A picture that may be shown anywhere cannot
// measure its font: wide is what a letter takes in most.
const (
	letterWide = 7.2
	letterHigh = 15
	padding    = 8
	headLine   = 18
)

// picture is all the template shows.
type picture struct {
	W, H  string
	Title []line
	Boxes []box
	Edges []arrow

	LeftOutNs int64
}

// line is one line of a label, at its place.
type line struct {
	X, Y, Text string
}

type box struct {
	X, Y, W, H     string
	Lines          []line
	Fill           string
	Dashed, Closed bool
	Cycle          bool
	Heat           int    // how much waiting it caused, see heat
	Hot            bool   // so much that its text is light
	Name           string // in full
}

type arrow struct {
	Path, Width  string
	X, Y, W, H   string // behind the label
	Lines        []line
	Locks, Names string
	Ns           int64 // thread-time, exactly
}

// SVG draws the graph. It refuses one that is too large to read with
// layout.ErrTooMany.
func SVG(w io.Writer, g *document.Graph) error {
	p, err := pictureOf(g)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"); err != nil {
		return err
	}
	return pages.ExecuteTemplate(w, "graph.svg.tmpl", p)
}

// HTML writes a page with the same picture, to move and to enlarge.
func HTML(w io.Writer, g *document.Graph) error {
	p, err := pictureOf(g)
	if err != nil {
		return err
	}
	return pages.ExecuteTemplate(w, "graph.html.tmpl", p)
}

func pictureOf(g *document.Graph) (*picture, error) {
	boxes := make([]layout.Size, len(g.Nodes))
	at := make(map[int]int, len(g.Nodes))
	for i := range g.Nodes {
		at[g.Nodes[i].ID] = i
		boxes[i] = sizeOf(nodeLabel(g, &g.Nodes[i], plain(g)), 2*padding)
	}
	arrows := make([]layout.Arrow, len(g.Edges))
	for i := range g.Edges {
		e := &g.Edges[i]
		arrows[i] = layout.Arrow{From: at[e.From], To: at[e.To], Label: sizeOf(edgeLabel(g, e, plain(g)), 4)}
	}
	placed, err := layout.Place(boxes, arrows)
	if err != nil {
		return nil, err
	}
	return newPicture(g, placed, boxes, arrows), nil
}

// sizeOf is what a label takes, with some space around it.
func sizeOf(label string, around float64) layout.Size {
	lines := strings.Split(label, "\n")
	wide := 0
	for _, l := range lines {
		wide = max(wide, utf8.RuneCountInString(l))
	}
	return layout.Size{W: float64(wide)*letterWide + around, H: float64(len(lines))*letterHigh + around}
}

func newPicture(g *document.Graph, placed *layout.Placed, boxes []layout.Size, arrows []layout.Arrow) *picture {
	heading := strings.Split(title(g), "\n")
	head := float64(headLine*len(heading) + padding)
	p := &picture{W: px(max(placed.Size.W, sizeOf(title(g), 2*padding).W)), H: px(placed.Size.H + head), LeftOutNs: g.Omitted.ThreadNs}
	for i, l := range heading {
		p.Title = append(p.Title, line{px(padding), px(float64(headLine * (i + 1))), l})
	}
	most := int64(1)
	for i := range g.Nodes {
		most = max(most, g.Nodes[i].CausedNs)
	}
	for i := range g.Nodes {
		n, c, s := &g.Nodes[i], placed.Boxes[i], boxes[i]
		c.Y += head
		b := box{X: px(c.X - s.W/2), Y: px(c.Y - s.H/2), W: px(s.W), H: px(s.H), Lines: centred(nodeLabel(g, n, plain(g)), c),
			Dashed: n.Pseudo, Closed: n.Closed, Cycle: n.Component > 0 && !n.Closed, Name: text.Sanitize(n.Name)}
		b.Heat, b.Fill = heat(n.CausedNs, most)
		b.Hot = b.Heat > 5
		p.Boxes = append(p.Boxes, b)
	}
	names := g.Names()
	for i := range g.Edges {
		e, r, s := &g.Edges[i], placed.Routes[i], arrows[i].Label
		for j := range r.Bends {
			r.Bends[j].Y += head
		}
		r.Label.Y += head
		p.Edges = append(p.Edges, arrow{Path: curve(r.Bends), Width: pen(e, g), Lines: centred(edgeLabel(g, e, plain(g)), r.Label),
			X: px(r.Label.X - s.W/2), Y: px(r.Label.Y - s.H/2), W: px(s.W), H: px(s.H),
			Names: text.Sanitize(names[e.From] + " waited for " + names[e.To]), Locks: locks(g, e), Ns: e.ThreadNs})
	}
	return p
}

// heat is how much waiting a node caused, as the root of its part of the most in
// tenths, and the colour that says so: the page's, from pale to dark. Who caused
// any has one.
func heat(caused, most int64) (tenths int, colour string) {
	if caused == 0 {
		return 0, "#ffffff"
	}
	tenths = max(1, int(math.Round(10*math.Sqrt(float64(caused)/float64(most)))))
	dark := 0.08 + 0.092*float64(tenths)
	mix := func(from, to float64) int { return int(math.Round(from + (to-from)*dark)) }
	return tenths, fmt.Sprintf("#%02x%02x%02x", mix(255, 0xa3), mix(255, 0x3c), mix(255, 0))
}

func px(v float64) string { return fmt.Sprintf("%.1f", v) }

// centred places the lines of a label around a point.
func centred(label string, at layout.Point) (out []line) {
	lines := strings.Split(label, "\n")
	top := at.Y - letterHigh*float64(len(lines))/2
	for i, l := range lines {
		out = append(out, line{px(at.X), px(top + letterHigh*float64(i) + 11), l})
	}
	return out
}

// curve is a smooth path through the bends of a route: a quadratic curve from
// the middle of each leg to the middle of the next one.
func curve(p []layout.Point) string {
	if len(p) < 2 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "M%.1f,%.1f", p[0].X, p[0].Y)
	for i := 1; i < len(p)-1; i++ {
		fmt.Fprintf(&b, "Q%.1f,%.1f %.1f,%.1f", p[i].X, p[i].Y, (p[i].X+p[i+1].X)/2, (p[i].Y+p[i+1].Y)/2)
	}
	fmt.Fprintf(&b, "L%.1f,%.1f", p[len(p)-1].X, p[len(p)-1].Y)
	return b.String()
}
