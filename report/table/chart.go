package table

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// The sizes of a chart, in columns.
const (
	chartWidth = 80 // if the width of the terminal is unknown
	chartMin   = 48 // the least width
	chartLabel = 26 // the names of locks in a narrow chart
	chartWide  = 34
	chartRatio = 8  // " 12.3 %"
	chartCell  = 10 // the widest one interval is drawn
)

// levels are the heights of a cell: nothing, then an eighth of the peak each.
var levels = [...]rune{' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}

// heat is the colour of each level in the 256 colours of a terminal, from grey over yellow to red.
var heat = [...]int{0, 245, 250, 229, 222, 215, 208, 202, 196}

// drawChart writes a line for the locks of a class at a site, whose height and colour show its pressure over
// time, then the phases of high pressure.
func drawChart(w io.Writer, d *document.CSP, o Options) error {
	width := chartWidth
	if o.Width > 0 {
		width = max(o.Width, chartMin)
	}
	o.Width = width
	label := min(max(chartLabel, width-chartWidth+chartWide), chartWide) // all of it from chartWidth on
	lines, edges := d.Lines(width - label - chartRatio)
	shown := lines
	if o.Top > 0 {
		shown = lines[:min(o.Top, len(lines))]
	}
	c := chart{
		measure: measureOf(d.Coverage),
		label:   label,
		peak:    document.Peak(lines),
		start:   d.OriginNs(),
		edges:   edges,
		color:   o.Color,
	}
	if len(edges) > 1 {
		c.wide = min((width-label-chartRatio)/(len(edges)-1), chartCell)
	}
	var b strings.Builder
	fmt.Fprintln(&b, o.wrap(c.title(text.MeasureOf(d.Coverage).Thread), ""))
	for i := range shown {
		c.line(&b, &shown[i])
	}
	if len(shown) > 0 {
		c.axis(&b)
	}
	if rest := lines[len(shown):]; len(rest) > 0 {
		note, _ := text.LocksLeftOut(rest)
		fmt.Fprintln(&b, o.wrap(note, "  "))
	}
	fmt.Fprintln(&b, o.wrap(totalPressure(d), "  ")+"\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	phases := phaseGrid(slices.Collect(d.EachPhase(o.Top)), d.OriginNs(), measureOf(d.Coverage))
	return report{grids: []*Grid{phases}, tail: coverageLines(d.Coverage)}.write(w, o)
}

// chart holds the sizes that all lines share.
type chart struct {
	measure measure
	peak    float64
	start   int64 // of the trace
	edges   []int64
	wide    int // columns of a cell
	label   int // and of the name of a lock
	color   bool
}

// title returns the title of the chart; threads may be goroutines.
func (c *chart) title(thread string) string {
	title := "critical section pressure over time: time spent acquiring the lock / running time of all " + thread + "s"
	if c.peak > 0 {
		title += fmt.Sprintf("; %c is %s", levels[len(levels)-1], Percent(c.peak).Text)
	}
	return title
}

// level returns the height of a cell. A pressure above 0 is visible.
func (c *chart) level(p float64) int {
	if p <= 0 || c.peak <= 0 {
		return 0
	}
	n := len(levels) - 1
	return min(max(int(math.Ceil(p/c.peak*float64(n))), 1), n)
}

func (c *chart) line(b *strings.Builder, l *document.Line) {
	label := text.Fold(text.Sanitize(text.Locks(l.Lock, l.Locks, c.measure.places)), c.label-2)
	b.WriteString(" " + label[0] + strings.Repeat(" ", c.label-1-text.Columns(label[0])))
	painted := 0
	for _, cell := range l.Cells {
		n := c.level(cell.CSP)
		if c.color && n != painted {
			fmt.Fprintf(b, "\x1b[38;5;%dm", heat[n])
			painted = n
		}
		b.WriteString(strings.Repeat(string(levels[n]), c.wide))
	}
	if c.color {
		b.WriteString("\x1b[0m")
	}
	fmt.Fprintf(b, "%*s\n", chartRatio, Percent(l.CSP).Text)
	for _, more := range label[1:] {
		b.WriteString(" " + more + "\n")
	}
}

// axis writes the first and last instant below the cells.
func (c *chart) axis(b *strings.Builder) {
	first, end := offset(c.edges[0]-c.start).Text, offset(c.edges[len(c.edges)-1]-c.start).Text
	if c.edges[0] == c.start {
		first = "0 s"
	}
	room := c.wide*(len(c.edges)-1) - len(first)
	fmt.Fprintf(b, "%s%s%*s%*s\n", strings.Repeat(" ", c.label), first, max(room, len(end)+1), end, chartRatio, "all")
}
