package table

import (
	"fmt"
	"slices"
	"strings"

	"contend/report/text"
)

// narrowest is what the flexible column keeps while it gives way alone;
// readable is what a column of names keeps while others can be dropped;
// slimmest is what it keeps however narrow the terminal is.
const (
	narrowest = 40
	readable  = 16
	slimmest  = 8
)

// narrow returns the grid without the columns there is no room for, and a note
// that says which. Columns that hold nothing go first, and nobody misses them.
func (g *Grid) narrow(o Options) *Grid {
	if o.Width <= 0 || o.Style != Text || len(g.Rows) == 0 {
		return g
	}
	out := *g
	if g.Under != "" && g.slim(g.Under) > o.Width {
		out = out.under(slices.Index(g.Head, g.Under))
	}
	for i := len(out.Head) - 1; i >= 0 && out.slim("") > o.Width; i-- {
		if out.vacant(i) {
			out = out.without(i)
		}
	}
	var gone []string
	for _, head := range g.Drop {
		if out.slim("") <= o.Width {
			break
		}
		if i := slices.Index(out.Head, head); i >= 0 {
			out = out.without(i)
			gone = append(gone, head)
		}
	}
	if len(gone) > 0 {
		out.Notes = append(slices.Clone(g.Notes), fmt.Sprintf("no room for %s (a wider terminal or --format csv shows all columns)", strings.Join(gone, ", ")))
	}
	return &out
}

// under returns the grid with a column's names on lines of their own, each before what
// is printed under its row anyway.
func (g Grid) under(i int) Grid {
	was := g.Below
	g.Below = nil
	for r := range g.rows() {
		line := r[i].Text
		if line == none.Text {
			line = ""
		}
		if n := len(g.Below); n < len(was) && was[n] != "" {
			line = strings.TrimPrefix(line+"; "+was[n], "; ")
		}
		g.Below = append(g.Below, line)
	}
	return g.without(i)
}

// vacant reports whether no row has anything in a column.
func (g *Grid) vacant(i int) bool {
	for r := range g.rows() {
		if r[i].Text != "-" {
			return false
		}
	}
	return true
}

// slim is the width of a line whose names are cut as short as is readable, but for one
// column's.
func (g *Grid) slim(whole string) int {
	wide, total := g.widths()
	for i := range wide {
		if g.Left[i] && g.Head[i] != whole {
			total -= wide[i] - min(wide[i], max(readable, len(g.Head[i])))
		}
	}
	return total
}

// without returns the grid less a column.
func (g Grid) without(i int) Grid {
	g.Head = slices.Delete(slices.Clone(g.Head), i, i+1)
	g.Left = slices.Delete(slices.Clone(g.Left), i, i+1)
	all := g.rows()
	g.Rows, g.Made = nil, func(yield func([]Cell) bool) {
		for r := range all {
			if !yield(slices.Delete(slices.Clone(r), i, i+1)) {
				return
			}
		}
	}
	if g.Flex > i {
		g.Flex--
	}
	return g
}

// fit returns the width of each column such that a line fits the terminal,
// nil when all does as it is. The flexible column gives way first, then the one that
// matters less; where that is not enough the widest columns of names are cut, again
// and again, down to the same width. Numbers are never cut.
func (g *Grid) fit(o Options) []int {
	if o.Width <= 0 || o.Style != Text {
		return nil
	}
	wide, total := g.widths()
	over := total - o.Width
	if over <= 0 {
		return nil
	}
	give := func(i, least int) {
		n := min(over, max(wide[i]-least, 0))
		wide[i] -= n
		over -= n
	}
	if g.Left[g.Flex] {
		give(g.Flex, narrowest)
	}
	if i := slices.Index(g.Head, g.Less); i >= 0 {
		give(i, max(readable, len(g.Less)))
	}
	for ; over > 0; over-- {
		widest := -1
		for i := range wide {
			if g.Left[i] && wide[i] > max(slimmest, len(g.Head[i])) && (widest < 0 || wide[i] > wide[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		wide[widest]--
	}
	return wide
}

// widths returns the width of each column as it is, and of a whole line.
func (g *Grid) widths() (wide []int, total int) {
	wide = make([]int, len(g.Head))
	for i, h := range g.Head {
		wide[i] = text.Columns(h)
	}
	for r := range g.rows() {
		for i, c := range r {
			wide[i] = max(wide[i], text.Columns(text.Sanitize(c.Text)))
		}
	}
	for _, n := range wide {
		total += n + 2
	}
	return wide, total
}

// safe makes a text safe to print: all that is printed passes through it, or through wrap.
func (o Options) safe(s string) string {
	s = text.Sanitize(s)
	if o.Style == Markdown {
		return markdown(s)
	}
	return s
}

// wrap puts an indented text, made safe, on as many lines as the terminal needs, and cuts
// words that are wider than it.
func wrap(s, indent string, o Options) string {
	s = o.safe(s)
	if o.Style != Text || o.Width <= 0 || text.Columns(indent+s) <= o.Width {
		return indent + s
	}
	room := max(o.Width-len(indent), slimmest)
	var lines []string
	line := ""
	for _, word := range text.Words(s) {
		if line != "" && text.Columns(line)+1+text.Columns(word) <= room {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, indent+line)
		}
		for text.Columns(word) > room {
			part := text.FirstColumns(word, room)
			lines = append(lines, indent+part)
			word = word[len(part):]
		}
		line = word
	}
	return strings.Join(append(lines, indent+line), "\n")
}
