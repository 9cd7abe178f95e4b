// Package plot draws documents as SVG, alone or in an HTML page that needs neither
// network nor script: lengths of waits as percentile curves, and pressure as a timeline.
// It computes no statistics. gonum/plot would draw the curves but not the timeline, needs
// the same code for both axes, cuts off labels and legend at the edge, and brings eight
// modules and their fonts.
//
//	timeline.go pressure over time, a band for each lock
//	plot.go     percentile curves, and percentiles of one interval after the other
package plot

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
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

// The picture's size and margins, in pixels.
const (
	width, height            = 960, 520
	left, right, top, bottom = 90, 40, 50, 60
	plotWidth, plotHeight    = width - left - right, height - top - bottom
	legendSpacing            = 20
	lineWidth                = 2
)

// maxCurves is how many curves a picture holds: more cannot be distinguished.
const maxCurves = 8

// colors distinguish curves, for people who do not see all colours as well.
var colors = [maxCurves]string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999"}

// picture is what the templates draw.
type picture struct {
	Title         string
	Width, Height int
	Height0       int // of the plot without the legend
	Left, Right   int
	Top, Bottom   int
	XTicks        []mark
	YTicks        []mark
	Across        string // what the axis across shows
	Curves        []curve
	Notes         []string
	Rows          []named
}

// mark is a labelled place on an axis.
type mark struct {
	At, Text string
}

// curve is one line of the picture with its place in the legend.
type curve struct {
	Name, Color, Dash, Points string
	Path                      string // instead of points, for a curve of several pieces
	Width                     int    // of the line, in pixels
	LegendY, TextY            int
}

// named is a distribution with the name it has in the legend, and in the page's table.
type named struct {
	Name, dash string
	lengths    *document.Lengths
}

// Cells are the numbers of the page's table: how many waits there are, and their percentiles.
func (n named) Cells() []string {
	cells := []string{strconv.FormatInt(n.lengths.Count, 10)}
	for _, p := range text.Percentiles {
		cells = append(cells, text.Duration(p.Of(n.lengths)))
	}
	return cells
}

// SVG writes the picture: the length of waits over the percentile, both on
// logarithmic scales, a curve for each of the first rows; or, where rows are intervals,
// percentiles over time.
func SVG(w io.Writer, d *document.Hist) error {
	return pages.ExecuteTemplate(w, "plot.svg.tmpl", draw(d))
}

// HTML writes a page with the picture and the numbers behind it.
func HTML(w io.Writer, d *document.Hist) error {
	return pages.ExecuteTemplate(w, "plot.html.tmpl", draw(d))
}

// newPicture returns a picture with room for so many curves in its legend.
func newPicture(title string, curves int) *picture {
	return &picture{Title: title, Width: width, Height0: height, Left: left, Right: width - right, Top: top, Bottom: height - bottom, Height: height + legendSpacing*curves}
}

func draw(d *document.Hist) *picture {
	if len(d.Rows) > 0 && d.Rows[0].EndNs != 0 {
		return overTime(d)
	}
	list := curvesOf(d)
	p := newPicture("Lengths of waits by "+strings.Join(d.By, ", "), len(list))
	p.Rows, p.Across = list, "waits no longer than this"
	x, y := axes(list)
	p.XTicks, p.YTicks = x.marks, y.marks
	for i, c := range list {
		p.Curves = append(p.Curves, curve{c.Name, colors[i], c.dash, points(c.lengths, x, y), "", lineWidth, height + i*legendSpacing, height + i*legendSpacing + 5})
	}
	if len(list) == 0 {
		p.Notes = append(p.Notes, "no waits")
	}
	if n := len(d.Rows) + d.Omitted; n > 1 && n > shownRows(list) {
		p.Notes = append(p.Notes, fmt.Sprintf("%d rows, the first of them drawn", n))
	}
	return p
}

// curvesOf returns the curves of the first rows that fit: exact waits as a
// line, corrected ones and lower bounds dashed.
func curvesOf(d *document.Hist) (list []named) {
	for i := range d.Rows {
		r := &d.Rows[i]
		var curves []named
		for _, k := range []named{{"", "", r.Exact}, {" (corrected)", "6 4", r.Corrected}, {" (at least)", "2 3", r.AtLeast}, {" (at most)", "", r.AtMost}} {
			if k.lengths != nil {
				curves = append(curves, named{text.Sanitize(strings.Join(r.Keys, ", ")) + k.Name, k.dash, k.lengths})
			}
		}
		if len(list)+len(curves) > maxCurves {
			break
		}
		list = append(list, curves...)
	}
	return list
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

// scale maps a logarithm to pixels.
type scale struct {
	from, to   float64 // logarithms at the ends of the axis
	start, len float64 // pixels; len is negative on an axis that grows upwards
	marks      []mark
}

func (s scale) at(log float64) float64 {
	return s.start + s.len*(math.Min(math.Max(log, s.from), s.to)-s.from)/(s.to-s.from)
}

func pixels(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// axes returns the scales that hold all curves. Across, equal steps are equal
// factors of 1/(1-percentile); upwards, of the length.
func axes(list []named) (x, y scale) {
	count, least, most := int64(1), int64(math.MaxInt64), int64(1)
	for _, c := range list {
		count = max(count, c.lengths.Count)
		least, most = min(least, max(c.lengths.MinNs, 1)), max(most, c.lengths.MaxNs)
	}
	nines := math.Max(math.Ceil(math.Log10(float64(count))), 1)
	low, high := math.Floor(math.Log10(float64(min(least, most)))), math.Ceil(math.Log10(float64(most)))
	x = scale{from: 0, to: nines, start: left, len: plotWidth}
	y = scale{from: low, to: math.Max(high, low+1), start: height - bottom, len: -plotHeight}
	for n := 0; n <= int(x.to); n++ {
		x.marks = append(x.marks, mark{pixels(x.at(float64(n))), percentile(n)})
	}
	for e := int(y.from); e <= int(y.to); e++ {
		y.marks = append(y.marks, mark{pixels(y.at(float64(e))), power(e)})
	}
	return x, y
}

// percentile names the place before which all but one in 10^n waits lie.
func percentile(n int) string {
	switch n {
	case 0:
		return "0 %"
	case 1, 2:
		return strings.Repeat("9", n) + strings.Repeat("0", 2-n) + " %"
	}
	return "99." + strings.Repeat("9", n-2) + " %"
}

// power names 10^e nanoseconds.
func power(e int) string {
	units := []string{"ns", "µs", "ms", "s"}
	i := min(e/3, len(units)-1)
	return fmt.Sprintf("%d %s", int64(math.Pow10(e-3*i)), units[i])
}

// points writes a curve as SVG takes it. It ends with the longest wait, where
// one in all waits is left.
func points(l *document.Lengths, x, y scale) string {
	var b strings.Builder
	last := math.Log10(float64(l.Count))
	for _, p := range l.Curve {
		at := math.Min(-math.Log10(1-p.Below), last) // of the last point infinite
		fmt.Fprintf(&b, "%.1f,%.1f ", x.at(at), y.at(math.Log10(float64(max(p.Ns, 1)))))
	}
	return strings.TrimSuffix(b.String(), " ")
}

// timed are the curves of lengths over time, the longest waits first.
var timed = [...]struct {
	name string
	ns   func(*document.Lengths) int64
}{
	{"longest", func(l *document.Lengths) int64 { return l.MaxNs }},
	{"99.9 %", func(l *document.Lengths) int64 { return l.P999Ns }},
	{"99 %", func(l *document.Lengths) int64 { return l.P99Ns }},
	{"90 %", func(l *document.Lengths) int64 { return l.P90Ns }},
	{"50 %", func(l *document.Lengths) int64 { return l.P50Ns }},
}

// overTime draws percentiles of the intervals of a document: each is a step as long as its
// interval, and an interval without waits is a gap. For sampled waits the upper bound is
// drawn. Curves that coincide are drawn in turn, so that each is seen.
func overTime(d *document.Hist) *picture {
	p := newPicture("Lengths of waits over time", len(timed))
	p.Across = "seconds"
	first, last := d.Rows[0].StartNs, d.Rows[len(d.Rows)-1].EndNs
	var all []named
	for i := range d.Rows {
		if l := drawn(&d.Rows[i]); l != nil {
			all = append(all, named{d.Rows[i].Keys[0], "", l})
		}
	}
	_, y := axes(all)
	x := scale{from: 0, to: float64(last-first) / 1e9, start: left, len: plotWidth}
	step := roundStep(x.to)
	for at := 0.0; at <= x.to*(1+1e-9); at += step {
		x.marks = append(x.marks, mark{pixels(x.at(at)), strconv.FormatFloat(at, 'g', 6, 64)})
	}
	p.XTicks, p.YTicks, p.Rows = x.marks, y.marks, all
	for i, t := range timed {
		c := curve{Name: t.name, Color: colors[i], Width: lineWidth, LegendY: height + i*legendSpacing, TextY: height + i*legendSpacing + 5}
		var b strings.Builder
		last := 0.0 // height of the step before; 0 for none
		for j := range d.Rows {
			r := &d.Rows[j]
			l := drawn(r)
			if l == nil || j > 0 && d.Rows[j-1].EndNs != r.StartNs {
				last = 0
			}
			if l != nil {
				from, to := x.at(float64(r.StartNs-first)/1e9), x.at(float64(r.EndNs-first)/1e9)
				last = drawStep(&b, from, to, last, i, func(curve int) float64 { return y.at(math.Log10(float64(max(timed[curve].ns(l), 1)))) })
			}
		}
		c.Path = strings.TrimSuffix(b.String(), " ")
		p.Curves = append(p.Curves, c)
	}
	return p
}

// dashLength is how far one of several curves that coincide goes before the next follows, pixels.
const dashLength = 8

// drawStep draws the step of a curve from one place to another, and the line to it from the
// step before. Curves less than a pixel apart are drawn in turn.
func drawStep(b *strings.Builder, from, to, last float64, number int, height func(curve int) float64) float64 {
	at := height(number)
	low, high := number, number+1
	for low > 0 && at-height(low-1) < 1 {
		low--
	}
	for high < len(timed) && height(high)-at < 1 {
		high++
	}
	line := func(x1, y1, x2, y2 float64) { fmt.Fprintf(b, "M%.1f,%.1f L%.1f,%.1f ", x1, y1, x2, y2) }
	if last != 0 {
		line(from, last, from, at)
	}
	if high-low == 1 {
		line(from, at, to, at)
		return at
	}
	for n := int(from / dashLength); float64(n*dashLength) < to; n++ {
		if n%(high-low) == number-low {
			line(max(from, float64(n*dashLength)), at, min(to, float64((n+1)*dashLength)), at)
		}
	}
	return at
}

// drawn are the lengths of an interval that are drawn.
func drawn(r *document.HistRow) *document.Lengths {
	switch {
	case r.Corrected != nil:
		return r.Corrected
	case r.Exact != nil:
		return r.Exact
	}
	return r.AtMost
}

// roundStep returns a round number of seconds; some ten of them make a length.
func roundStep(length float64) float64 {
	if length <= 0 {
		return 1
	}
	decade := math.Pow(10, math.Floor(math.Log10(length/10)))
	for _, factor := range []float64{1, 2, 5} {
		if length <= 10*factor*decade {
			return factor * decade
		}
	}
	return 10 * decade
}
