package plot

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"contend/report/document"
	"contend/report/look"
	"contend/report/text"
)

//go:embed *.tmpl
var files embed.FS

// pages escape every name for the place where it stands: html/template knows
// attributes, text and the elements of SVG apart.
var pages = template.Must(template.New("").Funcs(look.Page{Style: style}.Funcs()).ParseFS(files, "plot.*.tmpl"))

// style is what the page has besides the look of all pages.
const style = `th, td { text-align: right; white-space: nowrap; } th:last-child, td:last-child { text-align: left; }`

// SVG writes the picture: the length of waits over the percentile, both on
// logarithmic scales, a curve for each of the first rows; or, where rows are intervals,
// percentiles over time.
func SVG(w io.Writer, d *document.Hist) error {
	p := draw(d)
	p.Alone = true
	return pages.ExecuteTemplate(w, "plot.svg.tmpl", p)
}

// HTML writes a page with the picture and the numbers behind it.
func HTML(w io.Writer, d *document.Hist) error {
	return pages.ExecuteTemplate(w, "plot.html.tmpl", draw(d))
}

func draw(d *document.Hist) *picture {
	if len(d.Rows) > 0 && d.Rows[0].EndNs != 0 {
		return overTime(d)
	}
	list := curvesOf(d)
	p := newPicture("Durations of waits by "+strings.Join(d.By, ", "), len(list))
	p.Rows, p.Across = list, "waits no longer than this"
	x, y := axes(list, firstDrawn)
	p.XTicks, p.YTicks = x.marks, y.marks
	for i, c := range list {
		p.Curves = append(
			p.Curves,
			curve{
				c.Name,
				colors[i],
				c.dash,
				points(c.lengths, x, y),
				"",
				lineWidth,
				height + i*legendSpacing,
				height + i*legendSpacing + 5,
			},
		)
	}
	if len(list) == 0 {
		p.Notes = append(p.Notes, "no waits")
	}
	if n := len(d.Rows) + d.Omitted(); n > 1 && n > shownRows(list) {
		p.Notes = append(p.Notes, fmt.Sprintf("the first %d of %d rows", shownRows(list), n))
	}
	return p
}

// curvesOf returns the curves of the first rows that fit: exact waits as a
// line, corrected ones and lower bounds dashed.
func curvesOf(d *document.Hist) (list []named) {
	for i := range d.Rows {
		r := &d.Rows[i]
		var curves []named
		for _, k := range []named{
			{"", "", r.Exact},
			{" (corrected)", "6 4", r.Corrected},
			{" (at least)", "2 3", r.AtLeast},
			{" (at most)", "", r.AtMost},
		} {
			if k.lengths != nil {
				curves = append(curves, named{rowName(d, r) + k.Name, k.dash, k.lengths})
			}
		}
		if len(list)+len(curves) > maxCurves {
			break
		}
		list = append(list, curves...)
	}
	return list
}

// rowName is what the legend calls a row: locks are without package and address.
func rowName(d *document.Hist, r *document.HistRow) string {
	var places document.Places
	if d.Coverage != nil {
		places = d.Coverage.Places()
	}
	names := slices.Clone(r.Keys)
	for i := range min(len(names), len(d.By)) {
		if d.By[i] == "lock" {
			names[i] = text.Lock(names[i], places)
		}
	}
	return text.Sanitize(strings.Join(names, ", "))
}

// hiddenPart of the waits, the shortest, may be below a picture that is made for the long ones.
const hiddenPart = 0.05

// firstDrawn is the length at which a curve begins.
func firstDrawn(l *document.Lengths) int64 {
	for _, p := range l.Curve() {
		if p.Below >= hiddenPart {
			return p.Ns
		}
	}
	return l.MinNs
}

// shownRows counts the rows the curves belong to: their plain or upper ones.
func shownRows(list []named) (n int) {
	for _, c := range list {
		if c.dash == "" {
			n++
		}
	}
	return n
}

// points writes a curve as SVG takes it. It ends with the longest wait, where
// one in all waits is left.
func points(l *document.Lengths, x, y scale) string {
	var b strings.Builder
	last := math.Log10(float64(l.Count))
	for _, p := range l.Curve() {
		if math.Log10(float64(max(p.Ns, 1))) < y.from {
			continue // below the picture
		}
		at := math.Min(-math.Log10(1-p.Below), last) // of the last point infinite
		fmt.Fprintf(&b, "%.1f,%.1f ", x.position(at), y.position(math.Log10(float64(max(p.Ns, 1)))))
	}
	return strings.TrimSuffix(b.String(), " ")
}
