package plot

import (
	"strconv"

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
		row := tableRow{c.name, []string{strconv.FormatInt(l.Count, 10)}}
		for _, ns := range []int64{l.P50Ns, l.P90Ns, l.P99Ns, l.P999Ns, l.P4Ns, l.MaxNs} {
			row.Cells = append(row.Cells, text.Duration(ns))
		}
		rows = append(rows, row)
	}
	return rows
}
