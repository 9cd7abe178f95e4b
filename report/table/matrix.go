package table

import (
	"fmt"
	"io"
	"strconv"

	"contend/report/document"
	"contend/report/text"
)

// Matrix writes waiting as a table of waiters by owners. Columns are numbers
// that the rows explain, so that it fits a terminal however long the names
// are; top limits both, 0 means as many as a reader can make anything of, and what
// is left out is summed in a last row and column, so that everything adds up.
func Matrix(w io.Writer, d *document.Graph, top int, o Options) error {
	n := shownNodes(len(d.Nodes), top, o)
	g := newMatrix(d, n).grid(d, o)
	for ; n > 1 && o.Style == Text && o.Width > 0 && g.least() > o.Width; n-- {
		g = newMatrix(d, n-1).grid(d, o)
	}
	if note := text.InOther(d.Other, d.Coverage, "edges"); note != "" {
		g.Notes = append(g.Notes, note)
	}
	return report{grids: []*Grid{g}, tail: coverageLines(d.Coverage)}.write(w, o)
}

// mostMatrix bounds the rows and columns of a matrix, which takes their square.
const mostMatrix = 512

// shownNodes is how many of some nodes are tried to be shown.
func shownNodes(n, top int, o Options) int {
	n = min(n, mostMatrix)
	if top > 0 {
		n = min(n, top)
	}
	if o.Style == Text && o.Width > 0 {
		n = min(n, o.Width) // no column is narrower than that
	}
	return n
}

// leastName is the room a matrix leaves to the names of its rows before it
// shows fewer of them.
const leastName = 20

// least is the width of the matrix with the names of its waiters cut as short as that.
func (g *Grid) least() int {
	l := g.layout(Options{})
	return l.width() - max(l.wide[1]-leastName, 0)
}

// matrix is a square of thread-time: the last row and column are the rest.
type matrix struct {
	nodes []document.Node
	cells [][]int64
	rest  int // nodes summed in the rest
}

// newMatrix gives the first n nodes rows of their own.
func newMatrix(d *document.Graph, n int) *matrix {
	m := &matrix{nodes: d.Nodes[:n], rest: len(d.Nodes) - n, cells: make([][]int64, n+1)}
	for i := range m.cells {
		m.cells[i] = make([]int64, n+1)
	}
	place := map[int]int{}
	for i, v := range d.Nodes {
		place[v.ID] = min(i, n)
	}
	for _, e := range d.Edges {
		m.cells[place[e.From]][place[e.To]] += e.ThreadNs
	}
	return m
}

func (m *matrix) grid(d *document.Graph, o Options) *Grid {
	n := len(m.nodes)
	size := n
	if m.rest > 0 {
		size++
	}
	unit := measureOf(d.Coverage)
	g := &Grid{Title: fmt.Sprintf("who (row) waited for whom (column), by %s (%s blame: the %s; %s)", d.By, d.Metric, titles[d.Metric], unit.What()),
		Head: []string{"#", "WAITER"}, CSV: []string{"waiter"}, Left: left(size+3, 1)}
	for i := range size {
		g.Head = append(g.Head, m.number(i))
		g.CSV = append(g.CSV, inCSV(m.name(i)))
	}
	g.Head, g.CSV = append(g.Head, "SUM"), append(g.CSV, "sum")
	for i := range size {
		row := []Cell{{m.number(i), ""}, {text.Method(m.name(i)), m.name(i)}}
		g.Rows = append(g.Rows, append(row, amounts(unit, m.cells[i][:size])...))
	}
	caused := make([]int64, size)
	for _, row := range m.cells[:size] {
		for j := range caused {
			caused[j] += row[j]
		}
	}
	g.Rows = append(g.Rows, append([]Cell{{"", ""}, {"SUM", "sum"}}, amounts(unit, caused)...))
	if o.Style == CSV { // names stand in the head: there is nothing to number
		for i := range g.Rows {
			g.Rows[i] = g.Rows[i][1:]
		}
	}
	if m.rest > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("the rest: %d more (--top 0 --format csv shows all)", m.rest))
	}
	return g
}

func (m *matrix) number(i int) string {
	if i == len(m.nodes) {
		return "rest"
	}
	return strconv.Itoa(i + 1)
}

func (m *matrix) name(i int) string {
	if i == len(m.nodes) {
		return "[the rest]"
	}
	return m.nodes[i].Name
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
