package table

import (
	"fmt"
	"io"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

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
