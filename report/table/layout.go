package table

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"contend/report/text"
)

// readable is what a column of names keeps while others can be dropped; slimmest is what it
// keeps however narrow the terminal is.
const (
	readable = 16
	slimmest = 8
)

// layout is which columns of a grid are shown, and how wide each is.
type layout struct {
	*Grid
	columns []int
	wide    []int    // of each column of the grid, its widest cell, or what there is room for
	rows    int      // how many there are
	below   []string // what stands under each row
	notes   []string // what there was no room for
}

// layout fits the grid to the terminal: it moves columns under their rows, does without
// some, and folds names, in this order and each only where the line is still too long.
// Numbers are never broken.
func (g *Grid) layout(o Options) *layout {
	l := &layout{Grid: g, below: g.Below}
	for i := range g.Head {
		l.columns = append(l.columns, i)
	}
	l.measure(o)
	if o.Width <= 0 || o.Style != Text || l.rows == 0 {
		return l
	}
	if len(g.Under) > 0 && l.slim(g.Under...) > o.Width {
		l.moveUnder()
	}
	var gone []string
	for _, head := range g.Drop {
		if l.slim() > o.Width && l.remove(head) {
			gone = append(gone, head)
		}
	}
	if len(gone) > 0 {
		l.notes = append(l.notes, fmt.Sprintf("no room for %s (a wider terminal or --format csv shows all columns)", strings.Join(gone, ", ")))
	}
	if l.width() > o.Width {
		l.shrink(o.Width)
		l.measure(o) // what is folded may be narrower than it had to be
	}
	return l
}

// measure sets the width of each column by its head and cells. Cells wider than the column so
// far are folded.
func (l *layout) measure(o Options) {
	wide := make([]int, len(l.Head))
	for i, h := range l.Head {
		wide[i] = text.Columns(h)
	}
	l.rows = 0
	for r := range l.Grid.rows() {
		for i := range r {
			c := o.safe(r[i].Text)
			if n := text.Columns(c); l.wide == nil || n <= l.wide[i] {
				wide[i] = max(wide[i], n)
				continue
			}
			for _, part := range text.Fold(c, l.wide[i]) {
				wide[i] = max(wide[i], text.Columns(part))
			}
		}
		l.rows++
	}
	l.wide = wide
}

// width is how long a line is: each column has a space on either side.
func (l *layout) width() (total int) {
	for _, i := range l.columns {
		total += l.wide[i] + 2
	}
	return total
}

// slim is how long a line is whose names are folded as short as is readable, but for those of
// some columns.
func (l *layout) slim(whole ...string) int {
	total := l.width()
	for _, i := range l.columns {
		if l.Left[i] && !slices.Contains(whole, l.Head[i]) {
			total -= max(0, l.wide[i]-max(readable, len(l.Head[i])))
		}
	}
	return total
}

// remove does without a column, and reports whether it was shown.
func (l *layout) remove(head string) bool {
	n := len(l.columns)
	l.columns = slices.DeleteFunc(l.columns, func(i int) bool { return l.Head[i] == head })
	return len(l.columns) < n
}

// moveUnder puts the names of the columns in Under on lines of their own, each once, before
// what is printed under its row anyway.
func (l *layout) moveUnder() {
	was := l.below
	l.below = nil
	for r := range l.Grid.rows() {
		line := ""
		for i, c := range r {
			switch {
			case !slices.Contains(l.Under, l.Head[i]), c.Text == none.Text, c.Text == line:
			case line == "", strings.HasPrefix(c.Text, "< "):
				line = strings.TrimPrefix(line+" "+c.Text, " ")
			default:
				line += ", " + c.Text
			}
		}
		if n := len(l.below); n < len(was) && was[n] != "" {
			line = strings.TrimPrefix(line+"; "+was[n], "; ")
		}
		l.below = append(l.below, line)
	}
	for _, head := range l.Under {
		l.remove(head)
	}
}

// shrink narrows the widest column of names, again and again, until the line fits or each is
// as narrow as it gets.
func (l *layout) shrink(width int) {
	for over := l.width() - width; over > 0; over-- {
		widest := -1
		for _, i := range l.columns {
			if l.Left[i] && l.wide[i] > max(slimmest, len(l.Head[i])) && (widest < 0 || l.wide[i] > l.wide[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		l.wide[widest]--
	}
}

// TerminalWidth is the number of columns to write to: the terminal's, or $COLUMNS;
// 0, without limit, when the answer goes to a file or a pipe.
func TerminalWidth(out io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := out.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}
