package table

import (
	"fmt"
	"io"
	"strconv"

	"contend/analysis"
	"contend/report/document"
	"contend/report/text"
)

// WhatIf writes the predicted effects of changes, one a row. A change that all rows share stands
// above them.
func WhatIf(w io.Writer, d *document.WhatIf, o Options) error {
	m := measureOf(d.Coverage)
	shows := "throughput after it: most likely, and its range; waiting"
	if d.Misfit == nil { // nothing was replayed
		shows = "bounds of throughput and waiting after it"
	}
	g := &Grid{
		Title: "predicted effect of a change (" + shows + ")",
		Head:  []string{"THROUGHPUT", "AT MOST", "WAITING", "SECTION", "LOCK", "CHANGE"},
		Left:  left(6, 3, 4, 5),
		Under: []string{"SECTION", "LOCK"},
		CSV: []string{
			"throughput_low",
			"throughput_high",
			"ceiling",
			"wait_low_ns",
			"wait_high_ns",
			"section",
			"class",
			"change",
		},
	}
	if m.Counts() {
		g.Head[2] = m.Head
	}
	same := o.Style != CSV && sameChange(d.Rows)
	if same {
		g.Title = "predicted effect: " + changeText(&d.Rows[0]) + " (" + shows + ")"
		g.Head = g.Head[:len(g.Head)-1]
		g.Left = left(5, 3, 4)
	}
	for i := range d.Rows {
		row := whatIfRow(&d.Rows[i], m, o.Style)
		if same {
			row = row[:len(row)-1]
		}
		g.Rows = append(g.Rows, row)
	}
	g.Notes = append(g.Notes, "waiting in the trace: "+m.Amount(d.WaitNs))
	if d.Misfit != nil {
		g.Notes = append(
			g.Notes,
			fmt.Sprintf(
				"replay of the unchanged trace: waiting off by %s, throughput by %s",
				Percent(d.Misfit.Waiting).Text,
				Percent(d.Misfit.Throughput).Text,
			),
		)
	}
	for _, a := range d.Assumptions {
		g.Notes = append(g.Notes, "assumed: "+a)
	}
	return report{grids: []*Grid{g}, tail: coverageLines(d.Coverage)}.write(w, o)
}

func sameChange(rows []document.WhatIfRow) bool {
	for i := range rows {
		if changeText(&rows[i]) != changeText(&rows[0]) {
			return false
		}
	}
	return len(rows) > 0
}

func whatIfRow(r *document.WhatIfRow, m measure, style Style) []Cell {
	lock := qualified(r.Class)
	if site, _ := m.places.OfClass(r.Class); site != "" &&
		analysis.WithoutLine(site) != r.Section { // else the section says it
		lock.Text = text.LocksOf(r.Class, m.places)
	}
	rest := []Cell{siteCell(r.Section), lock, Name(changeText(r))}
	if style == CSV {
		return append(
			[]Cell{
				factor(r.Throughput.Low),
				highFactor(r),
				ceiling(r),
				Time(r.WaitNs.Low),
				Time(r.WaitNs.High),
			},
			rest...)
	}
	return append([]Cell{
		Name(throughput(r.Throughput.Low, r.Throughput.High, r.Likely)),
		ceiling(r),
		Name(between(m.Short(r.WaitNs.Low), m.Short(r.WaitNs.High))),
	}, rest...)
}

// throughput writes a range of factors, or "no change"; without an upper end "or more". The most likely
// factor is first, if one is known.
func throughput(low, high float64, likely *float64) string {
	from, to := fmt.Sprintf("%.2f", low), fmt.Sprintf("%.2f", high)
	if high < low {
		return "x " + from + " or more"
	}
	switch text := between(from, to); {
	case text == "1.00":
		return "no change"
	case from == to || likely == nil:
		return "x " + text
	default:
		return fmt.Sprintf("x %.2f (%s)", *likely, text)
	}
}

// between writes a range, or one value if both ends read alike.
func between(low, high string) string {
	if low == high {
		return low
	}
	return low + " to " + high
}

func ceiling(r *document.WhatIfRow) Cell {
	if r.Ceiling == nil {
		return Cell{}
	}
	return Cell{fmt.Sprintf("x %.2f", *r.Ceiling), strconv.FormatFloat(*r.Ceiling, 'f', 4, 64)}
}

// highFactor is the upper end of a throughput, which may be unknown.
func highFactor(r *document.WhatIfRow) Cell {
	if r.Throughput.High < r.Throughput.Low {
		return none
	}
	return factor(r.Throughput.High)
}

func factor(f float64) Cell {
	s := strconv.FormatFloat(f, 'f', 4, 64)
	return Cell{s, s}
}

func changeText(r *document.WhatIfRow) string {
	switch r.Change {
	case "shrink":
		return fmt.Sprintf("sections %.3g %% shorter", r.Shrink*100)
	case "split":
		return fmt.Sprintf("in %d stripes", r.Stripes)
	case "readers":
		return "readers share it"
	}
	return "without the lock"
}
