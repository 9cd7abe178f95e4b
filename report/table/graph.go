package table

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// Graph writes the edges of a graph from waiters to owners, then its cycles; or its matrix.
func Graph(w io.Writer, d *document.Graph, o Options) error {
	if o.Matrix {
		return matrix(w, d, o)
	}
	grids := []*Grid{edgeGrid(d)}
	if o.Style != CSV {
		grids = append(grids, cycleGrid(d))
	}
	return report{grids: grids, tail: coverageLines(d.Coverage)}.write(w, o)
}

func edgeGrid(d *document.Graph) *Grid {
	m := measureOf(d.Coverage)
	g := &Grid{Title: fmt.Sprintf("who waited for whom, by %s (%s blame: the %s; %s)", d.By, d.Metric, titles[d.Metric], m.What()),
		Head: []string{"WAITED", "SHARE", "WALL", "WAITS", "WAITER", "OWNER", "LOCKS"}, Left: left(7, 4, 5, 6), Drop: []string{"WALL", "WAITS"}}
	names := d.Names()
	for i := range d.Edges {
		e := &d.Edges[i]
		g.Rows = append(g.Rows, []Cell{m.cell(e.ThreadNs), Share(e.ThreadNs, d.Total.WaitNs), m.wall(e.WallNs), Count(e.Waits),
			{text.Method(names[e.From]), names[e.From]}, {text.Method(names[e.To]), names[e.To]}, lockCell(e)})
	}
	if note := text.LeftOut(d); note != "" {
		g.Notes = append(g.Notes, note)
	}
	if note := text.InOther(d.Other, d.Coverage, "edges"); note != "" {
		g.Notes = append(g.Notes, note+"; cycles are those of these")
	}
	g.Notes = append(g.Notes, m.Total(d.Total))
	return g
}

// lockCell names the classes of locks of an edge.
func lockCell(e *document.Edge) Cell {
	var shown, raw []string
	for _, l := range e.Locks {
		shown = append(shown, fmt.Sprintf("%s %.0f %%", text.Class(l.Class), 100*float64(l.ThreadNs)/float64(max(e.ThreadNs, 1))))
		raw = append(raw, fmt.Sprintf("%s=%d", l.Class, l.ThreadNs))
	}
	if len(shown) == 1 {
		shown[0] = text.Class(e.Locks[0].Class)
	}
	return Cell{strings.Join(shown, ", "), strings.Join(raw, " ")}
}

// cycleGrid lists the strongly connected components among the shown nodes.
func cycleGrid(d *document.Graph) *Grid {
	g := &Grid{Title: "cycles: each member waited, over the recording, for another one; closed: its members wait for nobody else",
		Head: []string{"CYCLE", "CLOSED", "MEMBERS"}, Left: left(3, 1, 2)}
	members := map[int][]string{}
	closed := map[int]bool{}
	for _, n := range d.Nodes {
		if n.Component > 0 {
			members[n.Component] = append(members[n.Component], text.Method(n.Name))
			closed[n.Component] = n.Closed
		}
	}
	for _, c := range slices.Sorted(maps.Keys(members)) {
		answer := "no"
		if closed[c] {
			answer = "yes"
		}
		g.Rows = append(g.Rows, []Cell{Count(int64(c)), {answer, answer}, {strings.Join(members[c], ", "), ""}})
	}
	if len(members) == 0 {
		g.Notes = append(g.Notes, "none")
	}
	return g
}

// Chains writes wait chains, the heaviest first. As text a chain stands below
// its numbers, where it has room.
func Chains(w io.Writer, d *document.Chains, o Options) error {
	m := measureOf(d.Coverage)
	g := &Grid{Title: "chains of waits: waiting group -> lock -> owner's method, which may wait in turn -> ... (" + m.What() + ")",
		Head: []string{"WAITED", "SHARE", "WALL", "WAITS", "HOPS", "KNOWN", "CHAIN"}, Left: left(7, 5, 6)}
	for i := range d.Chains {
		c := &d.Chains[i]
		row := []Cell{m.cell(c.ThreadNs), Share(c.ThreadNs, d.Total.WaitNs), m.wall(c.WallNs), Count(c.Waits), Count(int64(c.Hops)), knownCell(c.Provenance), chainCell(c)}
		if o.Style == Text {
			g.Below = append(g.Below, row[6].Text)
			row = row[:6]
		}
		g.Rows = append(g.Rows, row)
	}
	if o.Style == Text {
		g.Head, g.Left = g.Head[:6], g.Left[:6]
	}
	if d.Omitted.Chains > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("left out: %s chains with %s (--top 0 shows all)", text.Number(int64(d.Omitted.Chains)), m.Text(d.Omitted.ThreadNs)))
	}
	g.Notes = append(g.Notes, m.Total(d.Total))
	return report{grids: []*Grid{g}, tail: coverageLines(d.Coverage)}.write(w, o)
}

// chainCell shortens what has packages.
func chainCell(c *document.Chain) Cell {
	names := make([]string, len(c.Steps))
	for i, s := range c.Steps {
		names[i] = s.Name
		switch s.Role {
		case "lock":
			names[i] = text.Class(s.Name)
		case "owner", "leaf":
			names[i] = text.Method(s.Name)
		}
	}
	return Cell{strings.Join(names, " -> "), c.Signature}
}

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
		g.Rows = append(g.Rows, append([]Cell{{number, ""}, {text.Method(name), name}}, amounts(unit, cells[i][:size])...))
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
