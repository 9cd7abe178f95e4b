package table

import (
	"fmt"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// besideGrids are what threads waited for that is no lock, none where there is
// nothing.
func besideGrids(b *document.Beside, m measure) (grids []*Grid) {
	if len(b.Resources) > 0 {
		g := resourceGrid("resources: "+resourceTitle(m), b.Resources, b.Omitted[0], m)
		g.Notes = append(g.Notes, sumOf("total: ", b.ResourceTotal, m))
		grids = append(grids, g)
	}
	if len(b.Idle) > 0 {
		g := resourceGrid("idle: waits of "+m.Thread+"s with nothing to do", b.Idle, b.Omitted[1], m)
		g.Notes = append(g.Notes, sumOf("total: ", b.IdleTotal, m))
		grids = append(grids, g)
	}
	return grids
}

func resourceTitle(m measure) string {
	if m.Counts() {
		return m.Thread + "s that wait for what others must give back (pools, queues, results), no locks"
	}
	return "waits for what others must give back (pools, queues, results), no locks; no part of pressure"
}

func resourceGrid(title string, rows []document.Resource, more int, m measure) *Grid {
	g := &Grid{Title: title, Head: []string{m.Head, "WAITS", "MAX", strings.ToUpper(m.Thread) + "S", "FOR", "AT"}, Left: left(6, 4, 5), Drop: []string{"MAX", "WAITS"}}
	if m.Counts() {
		g.Head[3] = "DISTINCT"
	}
	loops := false
	for _, r := range rows {
		at := Cell{text.Method(r.Site), r.Site}
		if r.Site == "" {
			at = none
		}
		if r.Loop {
			at.Text, loops = at.Text+" *", true
		}
		g.Rows = append(g.Rows, []Cell{m.cell(r.WaitNs), Count(r.Waits), Length(r.MaxNs), Count(int64(r.Waiters)), {text.Method(r.What), r.What}, at})
	}
	if more > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("%s (--top 0 shows all)", moreRows(more)))
	}
	if loops {
		g.Notes = append(g.Notes, "* is the outermost method of its "+m.Thread+"s: they may wait for work and have nothing to do; a rule can say so (contend rules)")
	}
	return g
}

// idleLine sums up what has nothing to do, where it is not listed; none when
// nothing is.
func idleLine(b *document.Beside, m measure) []string {
	if b.IdleTotal.Waiters == 0 || len(b.Idle) > 0 {
		return nil
	}
	return []string{sumOf("idle: ", b.IdleTotal, m) + " (--idle lists it)"}
}

// sumOf writes a sum behind what it is of.
func sumOf(what string, a document.NonLockWait, m measure) string {
	if m.Counts() {
		return what + m.Text(a.WaitNs)
	}
	return fmt.Sprintf("%s%s in %s of %s", what, text.Duration(a.WaitNs), text.Amount(a.Waits, "wait"), text.Amount(int64(a.Waiters), m.Thread))
}
