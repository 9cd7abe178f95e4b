package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

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
	Alone         bool // its title is not written elsewhere
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

// newPicture returns a picture with room for so many curves in its legend.
func newPicture(title string, curves int) *picture {
	return &picture{
		Title:   title,
		Width:   width,
		Height0: height,
		Left:    left,
		Right:   width - right,
		Top:     top,
		Bottom:  height - bottom,
		Height:  height + legendSpacing*curves,
	}
}

// scale maps a logarithm to pixels.
type scale struct {
	from, to   float64 // logarithms at the ends of the axis
	start, len float64 // pixels; len is negative on an axis that grows upwards
	marks      []mark
}

func (s scale) position(log float64) float64 {
	return s.start + s.len*(math.Min(math.Max(log, s.from), s.to)-s.from)/(s.to-s.from)
}

func pixels(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// axes returns the scales that hold all curves, upwards from the shortest length that is
// drawn of each. Across, equal steps are equal factors of 1/(1-percentile); upwards, of the length.
func axes(list []named, shortest func(*document.Lengths) int64) (x, y scale) {
	count := int64(1)
	least := int64(math.MaxInt64)
	most := int64(1)
	for _, c := range list {
		count = max(count, c.lengths.Count)
		least, most = min(least, max(shortest(c.lengths), 1)), max(most, c.lengths.MaxNs)
	}
	nines := math.Max(math.Ceil(math.Log10(float64(count))), 1)
	low, high := math.Floor(math.Log10(float64(min(least, most)))), math.Ceil(math.Log10(float64(most)))
	x = scale{from: 0, to: nines, start: left, len: plotWidth}
	y = scale{from: low, to: math.Max(high, low+1), start: height - bottom, len: -plotHeight}
	for n := 0; n <= int(x.to); n++ {
		x.marks = append(x.marks, mark{pixels(x.position(float64(n))), percentile(n)})
	}
	for e := int(y.from); e <= int(y.to); e++ {
		y.marks = append(y.marks, mark{pixels(y.position(float64(e))), power(e)})
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
