package flame

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"slices"

	"contend/report/document"
	"contend/report/text"
)

// The measures of the picture, in pixels.
const (
	svgWidth  = 1200
	svgRow    = 17
	svgTop    = 44
	svgNarrow = 0.8 // frames narrower than this are left out of the picture
	svgLetter = 6.6 // width of a letter at font size 11
)

// colours of the roles: red, green, blue.
var colours = map[string][3]int{
	"":       {210, 210, 210},
	"waiter": {66, 133, 244},
	"lock":   {120, 120, 120},
	"owner":  {234, 124, 36},
	nobody:   {150, 110, 180},
}

// SVG writes a picture that stands by itself, the outermost frames at the
// bottom.
func SVG(w io.Writer, of *document.Profile, c Caption) error {
	root := build(of)
	scale := svgWidth / float64(max(root.ns, 1))
	height := svgTop + svgRow*(root.depth(svgNarrow/scale)+1)
	out := bufio.NewWriter(w)
	fmt.Fprintf(
		out,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" `+
			`font-family="monospace" font-size="11">`+"\n",
		svgWidth,
		height,
		svgWidth,
		height,
	)
	fmt.Fprintf(
		out,
		`<rect width="100%%" height="100%%" fill="#fff"/>`+
			`<text x="8" y="18" font-size="15" font-family="sans-serif">%s</text>`+
			`<text x="8" y="34" font-family="sans-serif" fill="#555">%s</text>`+"\n",
		html.EscapeString(c.Title),
		html.EscapeString(c.Summary),
	)
	x := svgWidth
	for _, r := range slices.Backward(root.legend()) {
		x -= int(svgLetter*float64(len(r.Means))) + 22
		c := colours[r.Name]
		fmt.Fprintf(
			out,
			`<rect x="%d" y="24" width="11" height="11" fill="rgb(%d,%d,%d)"/>`+
				`<text x="%d" y="34" font-family="sans-serif">%s</text>`+"\n",
			x,
			c[0],
			c[1],
			c[2],
			x+14,
			r.Means,
		)
	}
	p := picture{
		out:     out,
		bottom:  height - svgRow,
		scale:   scale,
		total:   root.ns,
		caption: c,
	}
	p.draw(root, 0, 0)
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

type picture struct {
	out    *bufio.Writer
	bottom int
	scale  float64
	total  int64

	caption Caption
}

func (p *picture) draw(n *node, at int64, level int) {
	x, wide := float64(at)*p.scale, float64(n.ns)*p.scale
	if wide < svgNarrow {
		return
	}
	y := p.bottom - level*svgRow
	c := colours[n.shownRole()]
	fmt.Fprintf(
		p.out,
		`<g><title>%s: %s, %.1f %%; %s</title>`+
			`<rect x="%.1f" y="%d" width="%.1f" height="%d" `+
			`fill="rgb(%d,%d,%d)" fill-opacity="%.2f" stroke="#fff" stroke-width="0.5"/>`,
		html.EscapeString(n.name),
		p.caption.amount(n.ns),
		100*float64(n.ns)/float64(max(p.total, 1)),
		html.EscapeString(n.provenance()),
		x,
		y,
		wide,
		svgRow-1,
		c[0],
		c[1],
		c[2],
		0.3+0.6*n.sure(),
	)
	if letters := int((wide - 6) / svgLetter); letters >= 3 {
		fmt.Fprintf(
			p.out,
			`<text x="%.1f" y="%d">%s</text>`,
			x+3,
			y+12,
			html.EscapeString(text.Shorten(n.label(), letters, text.End)),
		)
	}
	fmt.Fprintln(p.out, "</g>")
	for _, c := range n.children {
		p.draw(c, at, level+1)
		at += c.ns
	}
}

// depth is how many frames stand on a node that are at least so wide.
func (n *node) depth(least float64) (deepest int) {
	for _, c := range n.children {
		if float64(c.ns) >= least {
			deepest = max(deepest, 1+c.depth(least))
		}
	}
	return deepest
}
