package table

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"contend/report/document"
	"contend/report/text"
)

// barWidth is the length of the longest bar where the width of the terminal is unknown.
const barWidth = 50

// eighths are the parts of a block, so that a short bar is not lost.
var eighths = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// Bars draws the distribution of waits as a bar chart, for all waits and for each row. It is for
// terminals: nothing reads it back.
func Bars(w io.Writer, d *document.Hist, o Options) error {
	out := bufio.NewWriter(w)
	all := d.Total
	all.Keys = []string{"[all]"}
	charts := append([]document.HistRow{all}, d.Rows...)
	if len(d.Rows) == 1 && d.Omitted() == 0 {
		charts = d.Rows
	}
	for i := range charts {
		r := &charts[i]
		for _, k := range kindsOf(d) {
			if l := k.of(r); l != nil {
				histogram(out, strings.Join(r.Keys, ", "), k.chart, l, o)
			}
		}
	}
	for _, n := range histNotes(d) {
		fmt.Fprintf(out, "%s\n\n", o.wrap(n, ""))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return report{tail: histCoverage(d)}.write(w, o)
}

// histogram draws one distribution.
func histogram(out io.Writer, name, kind string, l *document.Lengths, o Options) {
	fmt.Fprintln(out, o.wrap(fmt.Sprintf("%s: %s %s", name, text.Number(l.Count), kind), ""))
	const labels = 42 // the columns beside a bar
	wide := barWidth
	if o.Width > 0 {
		wide = max(o.Width-labels, 10)
	}
	bars, most := l.Bars(), int64(1)
	for _, b := range bars {
		most = max(most, b.Count)
	}
	for i, b := range bars {
		if empty(bars, i-1) && empty(bars, i) && empty(bars, i+1) {
			if !empty(bars, i-2) {
				fmt.Fprintln(out, "      ...")
			}
			continue
		}
		fill := bar(b.Count, most, wide)
		pad := strings.Repeat(" ", wide-utf8.RuneCountInString(fill))
		fmt.Fprintf(
			out,
			"  %7s - %-7s %s%s %11s %6.2f %%\n",
			text.Duration(b.From),
			text.Duration(b.To),
			fill,
			pad,
			text.Number(b.Count),
			100*float64(b.Count)/float64(l.Count),
		)
	}
	fmt.Fprintln(out)
}

// empty reports whether band i exists and is empty. Only the first and the last band of an empty run
// are drawn.
func empty(bands []document.Band, i int) bool {
	return i >= 0 && i < len(bands) && bands[i].Count == 0
}

// bar draws n out of most as blocks, with a width of wide for most. A value above 0 is visible.
func bar(n, most int64, wide int) string {
	if n == 0 {
		return ""
	}
	parts := max(int(float64(n)/float64(most)*float64(wide*8)), 1)
	return strings.Repeat("█", parts/8) + eighths[parts%8]
}
