package table

import (
	"fmt"
	"slices"
	"strings"

	"contend/report/text"
)

// readable is what a column of names keeps while others can be dropped; slimmest is what it
// keeps however narrow the terminal is.
const (
	readable = 16
	slimmest = 8
)

// narrow returns the grid without the columns there is no room for, and a note
// that says which.
func (g *Grid) narrow(o Options) *Grid {
	if o.Width <= 0 || o.Style != Text || len(g.Rows) == 0 {
		return g
	}
	out := *g
	if len(g.Under) > 0 && g.slim(g.Under...) > o.Width {
		out = out.under()
	}
	var gone []string
	for _, head := range g.Drop {
		if out.slim() <= o.Width {
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

// under returns the grid with the names of some columns on lines of their own, each once, before
// what is printed under its row anyway.
func (g Grid) under() Grid {
	was := g.Below
	g.Below = nil
	for r := range g.rows() {
		line := ""
		for i, c := range r {
			switch {
			case !slices.Contains(g.Under, g.Head[i]), c.Text == none.Text, c.Text == line:
			case line == "", strings.HasPrefix(c.Text, "< "):
				line = strings.TrimPrefix(line+" "+c.Text, " ")
			default:
				line += ", " + c.Text
			}
		}
		if n := len(g.Below); n < len(was) && was[n] != "" {
			line = strings.TrimPrefix(line+"; "+was[n], "; ")
		}
		g.Below = append(g.Below, line)
	}
	for _, head := range g.Under {
		g = g.without(slices.Index(g.Head, head))
	}
	return g
}

// slim is the width of a line whose names are cut as short as is readable, but for those of
// some columns.
func (g *Grid) slim(whole ...string) int {
	wide, total := g.widths()
	for i := range wide {
		if g.Left[i] && !slices.Contains(whole, g.Head[i]) {
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
	return g
}

// fit returns the width of each column such that a line fits the terminal, nil when it
// does as it is. The widest columns of names are cut, again and again, down to the same
// width. Numbers are never cut.
func (g *Grid) fit(o Options) []int {
	if o.Width <= 0 || o.Style != Text {
		return nil
	}
	wide, total := g.widths()
	if total <= o.Width {
		return nil
	}
	for over := total - o.Width; over > 0; over-- {
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
