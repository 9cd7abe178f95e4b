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

// CSP writes pressure per interval and lock, then the phases of high
// pressure; Options.Top limits the locks of an interval and the phases.
func CSP(w io.Writer, d *document.CSP, o Options) error {
	if o.Chart {
		return drawChart(w, d, o)
	}
	grids := []*Grid{intervalGrid(d, o.Top)}
	if o.Style != CSV && !measureOf(d.Coverage).Counts() {
		grids = append(grids, phaseGrid(slices.Collect(d.EachPhase(o.Top)), d.StartNs, measureOf(d.Coverage)))
	}
	if len(d.Metrics) > 0 {
		grids = append(grids, metricGrid(d.Metrics, measureOf(d.Coverage)))
	}
	if o.Style == CSV && len(d.Metrics) > 0 {
		grids = grids[1:]
	}
	return report{grids: grids, tail: coverageLines(d.Coverage)}.write(w, o)
}

func intervalGrid(d *document.CSP, top int) *Grid {
	m := measureOf(d.Coverage)
	g := &Grid{Title: fmt.Sprintf("critical section pressure per %s: time spent acquiring the lock / running time of all %ss", text.Duration(d.IntervalNs), m.Thread),
		Head: []string{"FROM", "TO", "RUNNING", m.Head, "CSP", "LOCK"}, Left: left(6, 5)}
	g.Made = func(yield func([]Cell) bool) {
		for iv := range d.Each() {
			for _, row := range intervalRows(&iv, m, d.Sampled, d.StartNs, top) {
				if !yield(row) {
					return
				}
			}
		}
	}
	if d.Sampled {
		g.Notes = append(g.Notes, "± is a 95 % interval, from a bootstrap over blocks of each interval's samples; ? are too few to tell")
	}
	if m.Counts() {
		g.Notes = append(g.Notes, fmt.Sprintf("total: %s, of %s running or blocked", m.Text(d.Total.WaitNs), text.Number(d.Total.RunningNs)))
	} else {
		g.Notes = append(g.Notes, fmt.Sprintf("total: %s of waiting in %s of running time%s", text.Duration(d.Total.WaitNs), ranAs(d.Total.RunningNs, d.Coverage.Running), wholePressure(d)))
	}
	return g
}

// wholePressure is the pressure of all locks, with its range where that is wide.
func wholePressure(d *document.CSP) string {
	if d.Total.RunningNs <= 0 {
		return ""
	}
	out := ": " + Share(d.Total.WaitNs, d.Total.RunningNs).Text
	if p := d.Coverage.Pressure; p != nil {
		out += fmt.Sprintf(", between %s and %s", Percent(p.Low).Text, Percent(p.High).Text)
	}
	return out
}

// intervalRows are a row for each lock, and one for those behind the limit.
func intervalRows(iv *document.Interval, m measure, sampled bool, start int64, top int) (rows [][]Cell) {
	locks, rest := iv.Locks, int64(0)
	if top > 0 && len(locks) > top {
		for _, l := range locks[top:] {
			rest += l.WaitNs
		}
		locks = locks[:top]
	}
	from, to, ran := offset(iv.StartNs-start), offset(iv.EndNs-start), m.cell(iv.RunningNs)
	if len(locks) == 0 {
		rows = append(rows, []Cell{from, to, ran, m.cell(0), Percent(0), none})
	}
	for _, l := range locks {
		rows = append(rows, []Cell{from, to, ran, m.cell(l.WaitNs), pressureCell(sampled, l.CSP, l.PlusMinus), m.lock(l.Lock)})
	}
	if rest > 0 {
		rows = append(rows, []Cell{from, to, ran, m.cell(rest), Percent(float64(rest) / float64(max(iv.RunningNs, 1))),
			{fmt.Sprintf("(%d more)", len(iv.Locks)-len(locks)), "(more)"}})
	}
	return rows
}

// pressureCell writes a pressure, with its interval when it is an estimate.
func pressureCell(estimate bool, v float64, half *float64) Cell {
	if !estimate {
		return Percent(v)
	}
	return plusMinus(v, half)
}

// offset is a time counted from the start of the trace.
func offset(ns int64) Cell {
	return Cell{text.Seconds(ns), fmt.Sprint(ns)}
}

func phaseGrid(phases []document.Phase, start int64, m measure) *Grid {
	g := &Grid{Title: "phases of high pressure, with what caused most of the waiting in each",
		Head: []string{"FROM", "TO", "WAIT", "CSP", "LOCK", "CAUSE"}, Left: left(6, 4, 5), Under: []string{"LOCK", "CAUSE"}, Drop: []string{"WAIT"}}
	for _, p := range phases {
		cause := none
		if len(p.Causes) > 0 {
			c := p.Causes[0]
			cause = Cell{fmt.Sprintf("%.0f %% %s", 100*float64(c.WaitNs)/float64(p.WaitNs), text.Cause(&c)), c.Owner}
		}
		g.Below = append(g.Below, turnsText(p.Segments, start))
		g.Rows = append(g.Rows, []Cell{offset(p.StartNs - start), offset(p.EndNs - start), Time(p.WaitNs), pressureCell(p.PlusMinus != nil, p.CSP, p.PlusMinus), m.lock(p.Lock), cause})
	}
	if len(phases) == 0 {
		g.Notes = append(g.Notes, "none")
	}
	return g
}

// turnsText lists the main causes of a phase, one after the other, where the cause changed.
func turnsText(turns []document.Segment, start int64) string {
	var parts []string
	for _, t := range turns {
		parts = append(parts, fmt.Sprintf("from %s: %.0f %% %s", text.Seconds(t.StartNs-start), 100*float64(t.Cause.WaitNs)/float64(max(t.WaitNs, 1)), text.Cause(&t.Cause)))
	}
	return strings.Join(parts, "; ")
}

func metricGrid(list []document.Metric, by measure) *Grid {
	g := &Grid{Title: "critical section pressure beside the older metrics, over the whole recording",
		Head: []string{"CSP", "FAILED/S", "FAILED/ACQUIRED", "INSIDE/ELAPSED", "INSIDE/ALL", "WAIT/ELAPSED", "LOCK"}, Left: left(7, 6), Drop: []string{"WAIT/ELAPSED", "INSIDE/ALL", "INSIDE/ELAPSED", "FAILED/ACQUIRED"}}
	for _, m := range list {
		g.Rows = append(g.Rows, []Cell{Percent(m.CSP), {fmt.Sprintf("%.1f", m.FailedPerSecond), fmt.Sprintf("%.6f", m.FailedPerSecond)},
			optional(m.FailedPerAcquired), optional(m.InsidePerElapsed), optional(m.InsidePerAll), Percent(m.WaitPerElapsed), by.lock(m.Lock)})
	}
	if len(list) > 0 && list[0].FailedPerAcquired == nil {
		g.Notes = append(g.Notes, "n/a: the trace does not record how often and how long locks were held")
	}
	return g
}

func optional(v *float64) Cell {
	if v == nil {
		return Cell{"n/a", ""}
	}
	return Percent(*v)
}

// The sizes of a chart, in columns.
const (
	chartWidth = 80 // where the width of the terminal is unknown
	chartMin   = 48 // narrower ones are written as if they were that wide
	chartLabel = 26 // of a narrow chart; a wide one has more room for the names of locks
	chartWide  = 34
	chartRatio = 8  // " 12.3 %"
	chartCell  = 10 // the widest one interval is drawn
)

// levels are the heights of a cell: nothing, then an eighth of the peak each.
var levels = [...]rune{' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}

// heat is the colour of each level, of the 256 a terminal has: from grey over
// yellow to red.
var heat = [...]int{0, 245, 250, 229, 222, 215, 208, 202, 196}

// drawChart writes a line per lock whose height and colour show its pressure over
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
	c := chart{measure: measureOf(d.Coverage), label: label, peak: document.Peak(lines), start: d.StartNs, edges: edges, color: o.Color}
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
	fmt.Fprintln(&b, o.wrap(fmt.Sprintf("total: %s of waiting in %s of running time", text.Duration(d.Total.WaitNs), text.Duration(d.Total.RunningNs)), "  ")+"\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	phases := phaseGrid(slices.Collect(d.EachPhase(o.Top)), d.StartNs, measureOf(d.Coverage))
	return report{grids: []*Grid{phases}, tail: coverageLines(d.Coverage)}.write(w, o)
}

// chart is what all lines share.
type chart struct {
	measure
	peak  float64
	start int64 // of the trace
	edges []int64
	wide  int // columns of a cell
	label int // and of the name of a lock
	color bool
}

// title says what is drawn; threads may be goroutines.
func (c *chart) title(thread string) string {
	title := "critical section pressure over time: time spent acquiring the lock / running time of all " + thread + "s"
	if c.peak > 0 {
		title += fmt.Sprintf("; %c is %s", levels[len(levels)-1], Percent(c.peak).Text)
	}
	return title
}

// level is how high a cell is drawn: any pressure at all shows.
func (c *chart) level(p float64) int {
	if p <= 0 || c.peak <= 0 {
		return 0
	}
	n := len(levels) - 1
	return min(max(int(math.Ceil(p/c.peak*float64(n))), 1), n)
}

func (c *chart) line(b *strings.Builder, l *document.Line) {
	label := text.Fold(text.Sanitize(c.lock(l.Lock).Text), c.label-2)
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
