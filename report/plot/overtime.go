package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"contend/report/document"
)

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
	p := newPicture("Durations of waits over time", len(timed))
	p.Across = "seconds"
	first, last := d.Rows[0].StartNs, d.Rows[len(d.Rows)-1].EndNs
	if d.LastNs() > first { // the last interval may go on behind the recording
		last = min(last, d.LastNs())
	}
	var all []named
	for i := range d.Rows {
		if l := drawn(&d.Rows[i]); l != nil {
			all = append(all, named{d.Rows[i].Keys[0], "", l})
		}
	}
	_, y := axes(all, timed[len(timed)-1].ns)
	x := scale{from: 0, to: float64(last-first) / 1e9, start: left, len: plotWidth}
	step := roundStep(x.to)
	for at := 0.0; at <= x.to*(1+1e-9); at += step {
		x.marks = append(x.marks, mark{pixels(x.position(at)), strconv.FormatFloat(at, 'g', 6, 64)})
	}
	p.XTicks = x.marks
	p.YTicks = y.marks
	p.Rows = all
	for i, t := range timed {
		c := curve{
			Name:    t.name,
			Color:   colors[i],
			Width:   lineWidth,
			LegendY: height + i*legendSpacing,
			TextY:   height + i*legendSpacing + 5,
		}
		var b strings.Builder
		last := 0.0 // height of the step before; 0 for none
		for j := range d.Rows {
			r := &d.Rows[j]
			l := drawn(r)
			if l == nil || j > 0 && d.Rows[j-1].EndNs != r.StartNs {
				last = 0
			}
			if l != nil {
				from, to := x.position(float64(r.StartNs-first)/1e9), x.position(float64(r.EndNs-first)/1e9)
				last = drawStep(
					&b,
					from,
					to,
					last,
					i,
					func(curve int) float64 { return y.position(math.Log10(float64(max(timed[curve].ns(l), 1)))) },
				)
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
