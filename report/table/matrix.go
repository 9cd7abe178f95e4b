package table

import (
	"fmt"
	"io"
	"strconv"

	"contend/report/document"
	"contend/report/text"
)

// matrix writes waiting as a table of waiters by owners. Columns are numbers that the rows explain,
// so that long names fit a terminal. Options.Top limits both; 0 means as many as are readable. A last
// row and column have the sums of omitted nodes.
func matrix(w io.Writer, d *document.Graph, o Options) error {
	n := shownNodes(len(d.Nodes), o)
	g := matrixGrid(d, n, o)
	for ; n > 1 && o.Style == Text && o.Width > 0 && g.least() > o.Width; n-- {
		g = matrixGrid(d, n-1, o)
	}
	if note := text.InOther(d.Other, d.Coverage, "edges"); note != "" {
		g.Notes = append(g.Notes, note)
	}
	return report{grids: []*Grid{g}, tail: coverageLines(d.Coverage)}.write(w, o)
}

// maxMatrix bounds the rows and columns of a matrix, which takes their square.
const maxMatrix = 512

// shownNodes returns the number of nodes to try.
func shownNodes(n int, o Options) int {
	n = min(n, maxMatrix)
	if o.Top > 0 {
		n = min(n, o.Top)
	}
	if o.Style == Text && o.Width > 0 {
		n = min(n, o.Width) // no column is narrower than that
	}
	return n
}

// minName is the least width of the names of rows: a wider matrix would have fewer rows instead.
const minName = 20

// least returns the width of the matrix with names of minName columns.
func (g *Grid) least() int {
	l := g.layout(Options{})
	return l.width() - max(l.wide[1]-minName, 0)
}

// matrixGrid gives the first n nodes rows and columns of their own; the last row and column are the
// rest, if any.
func matrixGrid(d *document.Graph, n int, o Options) *Grid {
	unit := measureOf(d.Coverage)
	size := n
	rest := len(d.Nodes) - n
	if rest > 0 {
		size++
	}
	g := &Grid{
		Title: fmt.Sprintf(
			"who (row) waited for whom (column), by %s (%s blame: the %s; %s)",
			d.By,
			d.Metric,
			titles[d.Metric],
			unit.What(),
		),
		Head: []string{"#", "WAITER"},
		CSV:  []string{"waiter"},
		Left: left(size+3, 1),
	}
	cells, caused := square(d, n), make([]int64, size)
	for i := range size {
		number, name := strconv.Itoa(i+1), "[the rest]"
		if i < n {
			name = d.Nodes[i].Name
		} else {
			number = "rest"
		}
		g.Head, g.CSV = append(g.Head, number), append(g.CSV, inCSV(name))
		g.Rows = append(g.Rows, append([]Cell{{number, ""}, siteCell(name)}, amounts(unit, cells[i][:size])...))
		for j := range caused {
			caused[j] += cells[i][j]
		}
	}
	g.Head, g.CSV = append(g.Head, "SUM"), append(g.CSV, "sum")
	g.Rows = append(g.Rows, append([]Cell{{"", ""}, {"SUM", "sum"}}, amounts(unit, caused)...))
	if o.Style == CSV { // the head has the names, so numbers are not needed
		for i := range g.Rows {
			g.Rows[i] = g.Rows[i][1:]
		}
	}
	if rest > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("the rest: %d more (--top 0 --format csv shows all)", rest))
	}
	return g
}

// square sums thread-time by waiter and owner; the nodes after the first n are one.
func square(d *document.Graph, n int) [][]int64 {
	cells, place := make([][]int64, n+1), map[int]int{}
	for i := range cells {
		cells[i] = make([]int64, n+1)
	}
	for i, v := range d.Nodes {
		place[v.ID] = min(i, n)
	}
	for _, e := range d.Edges {
		cells[place[e.From]][place[e.To]] += e.ThreadNs
	}
	return cells
}

// amounts returns the cells of a row and their sum; an empty one is a dash.
func amounts(m measure, row []int64) (cells []Cell) {
	sum := int64(0)
	for _, ns := range row {
		sum += ns
		c := m.cell(ns)
		if ns == 0 {
			c.Text = "-"
		}
		cells = append(cells, c)
	}
	return append(cells, m.cell(sum))
}
