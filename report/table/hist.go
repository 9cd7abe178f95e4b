package table

import (
	"fmt"
	"io"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// lengthKind is a kind of durations of waits: measured, corrected, or bounded. Head follows the name
// of a percentile in the heading of its column, chart the number of waits over a bar chart.
type lengthKind struct {
	head, chart string
	words       string // for the title of a table
	of          func(*document.HistRow) *document.Lengths
}

// lengthKinds are all kinds, in the order of columns.
var lengthKinds = []lengthKind{
	{"", "waits", "", func(r *document.HistRow) *document.Lengths { return r.Exact }},
	{
		" CORR",
		"waits, corrected",
		"CORR is corrected for coordinated omission",
		func(r *document.HistRow) *document.Lengths { return r.Corrected },
	},
	{" LEAST", "sampled waits, at least", "", func(r *document.HistRow) *document.Lengths { return r.AtLeast }},
	{
		" MOST",
		"sampled waits, at most",
		"sampled waits lie between LEAST and MOST",
		func(r *document.HistRow) *document.Lengths { return r.AtMost },
	},
}

// kindsOf returns the kinds that occur in a document.
func kindsOf(d *document.Hist) (kinds []lengthKind) {
	for _, k := range lengthKinds {
		if k.of(&d.Total) != nil {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// Hist writes the percentiles of waits, a row for each combination of keys and, except in CSV, one
// for all.
func Hist(w io.Writer, d *document.Hist, o Options) error {
	kinds := kindsOf(d)
	g := &Grid{Title: histTitle(d, kinds), Head: []string{"WAITS"}}
	if d.Total.Corrected != nil {
		g.Head = append(g.Head, "WAITS CORR")
	}
	columns := histColumns(kinds)
	for _, c := range columns {
		g.Head = append(g.Head, c.head)
	}
	g.Left = make([]bool, len(g.Head), len(g.Head)+len(d.By))
	for _, k := range d.By {
		g.Head, g.Left = append(g.Head, strings.ToUpper(k)), append(g.Left, true)
	}
	digits := d.TagDigits()
	for i := range d.Rows {
		g.Rows = append(g.Rows, histRow(&d.Rows[i], d, columns, digits))
	}
	if o.Style != CSV && len(d.Rows) > 0 {
		all := d.Total
		all.Keys = append([]string{"[all]"}, make([]string, len(d.By)-1)...)
		g.Rows = append(g.Rows, histRow(&all, d, columns, digits))
	}
	g.Notes = histNotes(d)
	g.Under = g.Head[len(g.Head)-len(d.By):]
	g.Drop = dispensable(kinds)
	return report{grids: []*Grid{g}, tail: histCoverage(d)}.write(w, o)
}

// histCoverage returns the coverage of the trace; an interval log has none.
func histCoverage(d *document.Hist) []string {
	if d.Coverage == nil {
		return nil
	}
	return coverageLines(*d.Coverage)
}

func histTitle(d *document.Hist, kinds []lengthKind) string {
	title := "durations of whole waits, by " + strings.Join(d.By, ", ")
	for _, k := range kinds {
		if k.words != "" {
			title += "; " + k.words
		}
	}
	if d.ExpectedNs > 0 {
		title += fmt.Sprintf(" (one wait expected every %s)", text.Duration(d.ExpectedNs))
	}
	return title
}

// histColumn is one column of durations.
type histColumn struct {
	head string
	of   func(*document.HistRow) *document.Lengths
	ns   func(*document.Lengths) int64

	recorded bool // a percentile of the waits that were recorded
}

// histUnder reports whether short waits were not recorded.
func histUnder(d *document.Hist) bool { return d.Coverage != nil && underThreshold(*d.Coverage, "") }

// histColumns puts the kinds of each percentile side by side. The longest wait is the same
// after correction.
func histColumns(kinds []lengthKind) (columns []histColumn) {
	for _, p := range text.Percentiles {
		for _, k := range kinds {
			if p.Head != "MAX" || k.head != " CORR" {
				columns = append(columns, histColumn{p.Head + k.head, k.of, p.Of, p.Head != "MAX" && k.head == ""})
			}
		}
	}
	return columns
}

// dispensable lists the columns to omit on a narrow terminal, the rarest durations first. The rest
// show the middle and the end of the distribution.
func dispensable(kinds []lengthKind) (heads []string) {
	for _, p := range []string{"P99.99", "P99.9", "P90"} {
		for _, k := range kinds {
			heads = append(heads, p+k.head)
		}
	}
	return append(heads, "MAX LEAST", "P50 LEAST", "P99 LEAST", "WAITS CORR", "P50 CORR")
}

func histRow(r *document.HistRow, d *document.Hist, columns []histColumn, digits map[string]int) []Cell {
	row := []Cell{Count(r.Waits)}
	if r.Corrected != nil {
		row = append(row, Count(r.Corrected.Count))
	} else if d.Total.Corrected != nil {
		row = append(row, none)
	}
	for _, c := range columns {
		cell := none
		if l := c.of(r); l != nil {
			cell = Time(c.ns(l)).marked(c.recorded && histUnder(d))
		}
		row = append(row, cell)
	}
	for i, key := range r.Keys {
		cell := Name(key)
		if d.Coverage != nil {
			cell = measureOf(*d.Coverage).key(d.By[i], key)
		}
		if d.By[i] == "tag" {
			cell = tagCell(key, digits)
		}
		row = append(row, cell)
	}
	return row
}

// tagCell is a cell that holds a tag of an interval log. A lock has its class, and the end of its
// address if others of the class are in the log.
func tagCell(tag string, digits map[string]int) Cell {
	address := document.Address(tag)
	if address == "" {
		return Name(tag)
	}
	class, _, _ := strings.Cut(tag, "@")
	shown := text.Class(class)
	if n := digits[class]; n > 0 {
		shown += " @" + address[max(len(address)-n, 0):]
	}
	return Cell{shown, tag}
}

func histNotes(d *document.Hist) (notes []string) {
	if n := d.Omitted(); n > 0 {
		notes = append(notes, moreRows(n)+" (--top 0 shows all)")
	}
	if histUnder(d) && d.Total.Exact != nil {
		notes = append(notes, atMost)
	}
	if d.Total.Waits == 0 {
		notes = append(notes, "no waits")
	}
	if d.Total.AtLeast != nil {
		notes = append(
			notes,
			"consecutive samples of a thread that waits at one place count as one wait; most waits shorter than the "+
				"sampling period are missing",
		)
	}
	if d.Total.Open > 0 {
		notes = append(
			notes,
			fmt.Sprintf(
				"%s sampled waits reach the edge of the recording, or of the interval from --from to --to, and may "+
					"have been longer",
				text.Number(d.Total.Open),
			),
		)
	}
	return notes
}
