package table

import (
	"fmt"
	"io"
	"strconv"

	"contend/report/document"
	"contend/report/text"
)

// matrix writes waiting as a table of waiters by owners. Columns are numbers
// that the rows explain, so that it fits a terminal however long the names
// are; Options.Top limits both, 0 means as many as a reader can make anything of, and what
// is left out is summed in a last row and column, so that everything adds up.
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

// shownNodes is how many of some nodes are tried to be shown.
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

// minName is the room a matrix leaves to the names of its rows before it
// shows fewer of them.
const minName = 20

// least is the width of the matrix with the names of its waiters cut as short as that.
func (g *Grid) least() int {
	l := g.layout(Options{})
	return l.width() - max(l.wide[1]-minName, 0)
}

// matrixGrid gives the first n nodes rows and columns of their own; the last row and column
// are the rest, where there is one.
func matrixGrid(d *document.Graph, n int, o Options) *Grid {
	unit, size, rest := measureOf(d.Coverage), n, len(d.Nodes)-n
	if rest > 0 {
		size++
	}
	g := &Grid{Title: fmt.Sprintf("who (row) waited for whom (column), by %s (%s blame: the %s; %s)", d.By, d.Metric, titles[d.Metric], unit.What()),
		Head: []string{"#", "WAITER"}, CSV: []string{"waiter"}, Left: left(size+3, 1)}
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
	if o.Style == CSV { // names stand in the head: there is nothing to number
		for i := range g.Rows {
			g.Rows[i] = g.Rows[i][1:]
		}
	}
	if rest > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("the rest: %d more (--top 0 --format csv shows all)", rest))
	}
	return g
}

// square sums thread-time by waiter and owner; the nodes behind the first n are one.
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

// amounts are the cells of a row and their sum; an empty one is a dash.
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
