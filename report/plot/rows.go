package plot

import (
	"strconv"

	"contend/report/document"
	"contend/report/text"
)

// tableRow is one line of the page's table.
type tableRow struct {
	Name  string
	Cells []string
}

// rowsOf returns the numbers behind the curves.
func rowsOf(list []named) (rows []tableRow) {
	for _, c := range list {
		l := c.lengths
		rows = append(rows, tableRow{c.name, append([]string{strconv.FormatInt(l.Count, 10)}, durations(l)...)})
	}
	return rows
}

func durations(l *document.Lengths) (cells []string) {
	for _, ns := range []int64{l.P50Ns, l.P90Ns, l.P99Ns, l.P999Ns, l.P4Ns, l.MaxNs} {
		cells = append(cells, text.Duration(ns))
	}
	return cells
}
