package plot

import (
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

// timelines escape what the trace gave for the place it stands in, in SVG as in HTML;
// control characters are gone before.
var timelines = template.Must(
	template.New("").Funcs(look.Page{Style: timelineStyle}.Funcs()).ParseFS(files, "timeline.*.tmpl"),
)

// timelineStyle is what the page has besides the look of all pages.
const timelineStyle = `.single h2, .single h3, .single p { margin-top: .8rem; }
.phase rect:hover { fill: #ffc680; }
summary { cursor: pointer; }
table { border-collapse: collapse; margin: .5rem 0 1rem 1rem; }
td { padding: .1rem .75rem .1rem 0; vertical-align: top; overflow-wrap: anywhere; }
td.n { text-align: right; white-space: nowrap; }
code { font-size: 12px; unicode-bidi: isolate; }`

// TimelineSVG draws pressure over time as a picture: a band for the locks of a class at a site, phases shaded,
// with what caused them; top limits the locks, 0 means all.
func TimelineSVG(w io.Writer, d *document.CSP, top int) error {
	if _, err := io.WriteString(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"); err != nil {
		return err
	}
	p := newTimeline(d, top)
	p.Alone = true
	return timelines.ExecuteTemplate(w, "timeline.svg.tmpl", p)
}

// TimelineHTML writes a page with the picture and, for each phase, all its causes.
func TimelineHTML(w io.Writer, d *document.CSP, top int) error {
	return timelines.ExecuteTemplate(w, "timeline.html.tmpl", newTimeline(d, top))
}

// The measures of the picture, in pixels.
const (
	margin    = 20
	plotLeft  = margin + 44 // beside the numbers of the axis
	bandWidth = 916
	plotTop   = 28 // of a band: its name stands above the plot
	plotHigh  = 60
	lineHigh  = 15 // of a line of text
	bandGap   = 16
	headHigh  = 62
	maxCells  = bandWidth // more intervals than pixels are merged
	maxText   = 150       // characters on a line of the picture
)

// timeline is what the templates show.
type timeline struct {
	Width, Height int
	Alone         bool // its title is not written elsewhere
	Margin        int
	Left, Right   int // where the plots begin and end
	Plot          int // their width
	Title, Note   string
	Total         string
	XTicks        []mark // of time
	Bands         []band
	Warnings      []string
	Known         string
	LeftOutNs     int64
}

// band is one lock, or those of a class at a site.
type band struct {
	Y, Base       int // top of the plot, and its foot
	High          int
	Lock, Class   string
	site          string // in its name
	Short         string
	WaitNs        int64
	Sum           string
	Path          string  // the outline of the pressure
	Phases        []phase // all that are shaded
	Written       []phase // those with a line of text in the picture
	More          string  // what is not written
	MoreY         int
	YTicks        []mark // of pressure
	CausesY, Axis int    // lines of text
}

// phase is a shaded interval of a band.
type phase struct {
	X, W         string
	Top, High    int
	Y            int // of its line of text
	Number       int
	From, To     string
	Wait, CSP    string
	Line, Detail string
	Causes       []cause
}

// cause is an owner's call chain in a phase.
type cause struct {
	Share, Wait, Owner string
}

func newTimeline(d *document.CSP, top int) *timeline {
	lines, edges := d.Lines(maxCells)
	threads := text.MeasureOf(d.Coverage).Thread + "s"
	p := &timeline{
		Width:  plotLeft + bandWidth + margin,
		Margin: margin,
		Left:   plotLeft,
		Right:  plotLeft + bandWidth,
		Plot:   bandWidth,
		Title:  "critical section pressure over time: time spent acquiring the lock / running time of all " + threads,
		Total: fmt.Sprintf(
			"%s of waiting in %s of running time, intervals of %s",
			text.Duration(d.Total.WaitNs),
			text.Duration(d.Total.RunningNs),
			text.Duration(d.IntervalNs),
		),
		Known: text.Known(d.Coverage.Provenance),
	}
	if r := d.Coverage.Pressure; r != nil {
		p.Total += fmt.Sprintf(", a pressure between %s and %s", text.Percent(r.Low), text.Percent(r.High))
	}
	for _, w := range d.Coverage.Warnings {
		p.Warnings = append(p.Warnings, text.Sanitize(w.String()))
	}
	shown := lines
	if top > 0 && top < len(lines) {
		shown = lines[:top]
		p.Note, p.LeftOutNs = text.LocksLeftOut(lines[top:])
	}
	peak, y := roundUp(document.Peak(shown)), headHigh
	for i := range shown {
		b := newBand(&shown[i], d.Coverage.Places(), edges, peak, y)
		b.addPhases(d, edges)
		p.Bands = append(p.Bands, b)
		y = b.foot()
	}
	if len(edges) > 0 {
		p.XTicks = timeTicks(edges, d.OriginNs())
	}
	p.Height = y + margin
	return p
}

func newBand(l *document.Line, places document.Places, edges []int64, peak float64, y int) band {
	b := band{
		Y:      y + plotTop,
		High:   plotHigh,
		Lock:   text.Sanitize(l.Lock),
		Class:  text.Sanitize(l.Class),
		site:   l.Site,
		Short:  text.Shorten(text.Sanitize(text.Locks(l.Lock, l.Locks, places)), maxText/2, text.Start),
		WaitNs: l.WaitNs,
		Sum:    fmt.Sprintf("%s waited, %s of all running time", text.Duration(l.WaitNs), text.Percent(l.CSP)),
	}
	b.Base = b.Y + plotHigh
	for _, part := range []float64{0, 0.5, 1} {
		b.YTicks = append(
			b.YTicks,
			mark{pixels(float64(b.Base) - plotHigh*part), strconv.FormatFloat(100*part*peak, 'g', 3, 64) + " %"},
		)
	}
	b.Axis = b.Base + lineHigh
	b.CausesY = b.Axis + lineHigh
	b.Path = outline(l, edges, peak, b.Base)
	return b
}

// roundUp returns the next round pressure, which an axis ends at.
func roundUp(pressure float64) float64 {
	if pressure <= 0 {
		return 1
	}
	decade := math.Pow(10, math.Floor(math.Log10(pressure)))
	for _, factor := range []float64{1, 2, 3, 4, 5, 6, 8} {
		if pressure <= factor*decade*(1+1e-9) {
			return factor * decade
		}
	}
	return 10 * decade
}

// timeTicks are round instants since the start of the trace.
func timeTicks(edges []int64, start int64) (list []mark) {
	from, to := float64(edges[0]-start)/1e9, float64(edges[len(edges)-1]-start)/1e9
	step := roundStep(to - from)
	for n := math.Ceil(max(0, from/step-1e-9)); n*step <= to*(1+1e-9); n++ {
		at := xOf(start+int64(math.Round(n*step*1e9)), edges)
		list = append(list, mark{at, strconv.FormatFloat(n*step, 'g', 6, 64) + " s"})
	}
	return list
}

// outline is the path of a step function: up at the beginning of each cell,
// down to the foot at the end.
func outline(l *document.Line, edges []int64, peak float64, base int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "M%d,%d", plotLeft, base)
	for i, c := range l.Cells {
		height := 0.0
		if peak > 0 {
			height = plotHigh * c.CSP / peak
		}
		fmt.Fprintf(&b, "V%.1fH%s", float64(base)-height, xOf(edges[i+1], edges))
	}
	fmt.Fprintf(&b, "V%dZ", base)
	return b.String()
}

// xOf is where an instant lies in the picture.
func xOf(at int64, edges []int64) string {
	first, last := edges[0], edges[len(edges)-1]
	if last <= first {
		return fmt.Sprint(plotLeft)
	}
	return fmt.Sprintf("%.1f", plotLeft+bandWidth*fraction(at, first, last))
}

func fraction(at, first, last int64) float64 {
	return float64(min(max(at, first), last)-first) / float64(last-first)
}

// A lock may have many phases. The largest are written in the picture, more are shaded and
// have a tooltip, and the rest is counted.
const (
	maxWritten = 8
	maxShaded  = 300
)

// addPhases shades the phases of the band's locks. They
// come largest first.
func (b *band) addPhases(d *document.CSP, edges []int64) {
	more, moreNs := 0, int64(0)
	for p := range d.EachPhase(0) {
		alike := document.Placed(b.site) && p.Site == b.site
		if text.Sanitize(p.Class) != b.Class || text.Sanitize(p.Lock) != b.Lock && !alike {
			continue
		}
		if len(b.Phases) < maxShaded {
			b.Phases = append(b.Phases, b.newPhase(&p, d.OriginNs(), edges))
		}
		if len(b.Phases) > maxWritten {
			more++
			moreNs += p.WaitNs
		}
	}
	b.Written = b.Phases[:min(len(b.Phases), maxWritten)]
	b.MoreY = b.CausesY + lineHigh*len(b.Written)
	if more > 0 {
		b.More = fmt.Sprintf("and %d more phases with %s", more, text.Duration(moreNs))
	}
}

// foot is where the next band may begin.
func (b *band) foot() int {
	if b.More != "" {
		return b.MoreY + lineHigh + bandGap
	}
	return b.MoreY + bandGap
}

func (b *band) newPhase(p *document.Phase, start int64, edges []int64) phase {
	first, last := edges[0], edges[len(edges)-1]
	width := 0.0
	if last > first {
		width = bandWidth * (fraction(p.EndNs, first, last) - fraction(p.StartNs, first, last))
	}
	out := phase{
		X:      xOf(p.StartNs, edges),
		Top:    b.Y,
		High:   b.High,
		W:      fmt.Sprintf("%.1f", max(width, 1)),
		Number: len(b.Phases) + 1,
		From:   text.Seconds(p.StartNs - start),
		To:     text.Seconds(p.EndNs - start),
		Wait:   text.Duration(p.WaitNs),
		CSP:    text.Percent(p.CSP),
	}
	for _, c := range p.Causes {
		share := text.Percent(float64(c.WaitNs) / float64(max(p.WaitNs, 1)))
		out.Causes = append(out.Causes, cause{share, text.Duration(c.WaitNs), text.Sanitize(c.Owner)})
	}
	out.Y = b.CausesY + lineHigh*len(b.Phases)
	out.Line = fmt.Sprintf("%d: %s to %s, %s waited, pressure %s", out.Number, out.From, out.To, out.Wait, out.CSP)
	lines := []string{out.Line}
	for i, c := range out.Causes {
		lines = append(lines, c.Share+" "+text.Shorten(text.Sanitize(text.Cause(&p.Causes[i])), maxText, text.Start))
	}
	if len(out.Causes) > 0 {
		out.Line = text.Shorten(out.Line+"; "+lines[1], maxText, text.Start)
	}
	out.Detail = strings.Join(lines, "\n")
	return out
}
