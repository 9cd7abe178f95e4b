package table

import (
	"fmt"
	"io"
	"maps"
	"slices"
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
	g := &Grid{
		Title: fmt.Sprintf(
			"who waited for whom, by %s (%s blame: the %s; %s)",
			d.By,
			d.Metric,
			titles[d.Metric],
			m.What(),
		),
		Head: []string{"WAITED", "SHARE", "WALL", "WAITS", "WAITER", "OWNER", "LOCKS"},
		Left: left(7, 4, 5, 6),
		Drop: []string{"WALL", "WAITS"},
	}
	names := d.Names()
	for i := range d.Edges {
		e := &d.Edges[i]
		g.Rows = append(
			g.Rows,
			[]Cell{m.cell(e.ThreadNs), Share(e.ThreadNs, d.Total.WaitNs), m.wall(e.WallNs), m.waits(e.Waits),
				siteCell(names[e.From]), siteCell(names[e.To]), lockCell(e)},
		)
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
		shown = append(
			shown,
			fmt.Sprintf("%s %.0f %%", text.Class(l.Class), 100*float64(l.ThreadNs)/float64(max(e.ThreadNs, 1))),
		)
		raw = append(raw, fmt.Sprintf("%s=%d", l.Class, l.ThreadNs))
	}
	if len(shown) == 1 {
		shown[0] = text.Class(e.Locks[0].Class)
	}
	return Cell{strings.Join(shown, ", "), strings.Join(raw, " ")}
}

// cycleGrid lists the strongly connected components among the shown nodes.
func cycleGrid(d *document.Graph) *Grid {
	g := &Grid{
		Title: "cycles: each member waited, over the recording, for another one; closed: its members wait for no " +
			"other thread",
		Head: []string{"CYCLE", "CLOSED", "MEMBERS"},
		Left: left(3, 1, 2),
	}
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
	g := &Grid{
		Title: "chains of waits: waiting group -> lock -> owner's method, which may wait in turn -> ... (" +
			m.What() + ")",
		Head: []string{"WAITED", "SHARE", "WALL", "WAITS", "HOPS", "KNOWN", "CHAIN"},
		Left: left(7, 5, 6),
	}
	for i := range d.Chains {
		c := &d.Chains[i]
		row := []Cell{
			m.cell(c.ThreadNs),
			Share(c.ThreadNs, d.Total.WaitNs),
			m.wall(c.WallNs),
			m.waits(c.Waits),
			Count(int64(c.Hops)),
			knownCell(c.Provenance),
			chainCell(c),
		}
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
		g.Notes = append(
			g.Notes,
			fmt.Sprintf(
				"left out: %s chains with %s (--top 0 shows all)",
				text.Number(int64(d.Omitted.Chains)),
				m.Text(d.Omitted.ThreadNs),
			),
		)
	}
	g.Notes = append(g.Notes, m.Total(d.Total))
	return report{grids: []*Grid{g}, tail: coverageLines(d.Coverage)}.write(w, o)
}

// chainCell writes a chain without packages.
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
