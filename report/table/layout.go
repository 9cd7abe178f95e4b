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

// readable is the width of a column of names as long as other columns can be dropped; slimmest is
// its width on the narrowest terminal.
const (
	readable = 16
	slimmest = 8
)

// layout holds the columns of a grid that fit, and their widths.
type layout struct {
	grid    *Grid
	columns []int
	wide    []int    // by column of the grid: the widest cell, or the available room
	rows    int      // the number of rows
	below   []string // the text under each row
	notes   []string // the names of dropped columns
}

// layout fits the grid to the terminal: it moves columns under their rows, drops columns, and folds
// names, in this order, until the line fits. Numbers are never broken.
func (g *Grid) layout(o Options) *layout {
	l := &layout{grid: g, below: g.Below}
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
		l.notes = append(
			l.notes,
			fmt.Sprintf(
				"no room for %s (a wider terminal or --format csv shows all columns)",
				strings.Join(gone, ", "),
			),
		)
	}
	if l.width() > o.Width {
		l.shrink(o.Width)
		l.measure(o) // folded names may be narrower than the room
	}
	return l
}

// measure sets the width of each column by its head and cells. Cells wider than the column so
// far are folded.
func (l *layout) measure(o Options) {
	wide := make([]int, len(l.grid.Head))
	for i, h := range l.grid.Head {
		wide[i] = text.Columns(h)
	}
	l.rows = 0
	for r := range l.grid.rows() {
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

// width returns the length of a line: each column has a space on either side.
func (l *layout) width() (total int) {
	for _, i := range l.columns {
		total += l.wide[i] + 2
	}
	return total
}

// slim returns the length of a line with all names folded to readable, except those of some columns.
func (l *layout) slim(whole ...string) int {
	total := l.width()
	for _, i := range l.columns {
		if l.grid.Left[i] && !slices.Contains(whole, l.grid.Head[i]) {
			total -= max(0, l.wide[i]-max(readable, len(l.grid.Head[i])))
		}
	}
	return total
}

// remove drops a column, and reports whether it was shown.
func (l *layout) remove(head string) bool {
	n := len(l.columns)
	l.columns = slices.DeleteFunc(l.columns, func(i int) bool { return l.grid.Head[i] == head })
	return len(l.columns) < n
}

// moveUnder puts the names of the columns in Under on lines of their own, each once, before the text
// under their row.
func (l *layout) moveUnder() {
	was := l.below
	l.below = nil
	for r := range l.grid.rows() {
		line := ""
		for i, c := range r {
			switch {
			case !slices.Contains(l.grid.Under, l.grid.Head[i]), c.Text == none.Text, c.Text == line:
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
	for _, head := range l.grid.Under {
		l.remove(head)
	}
}

// shrink narrows the widest column of names, again and again, until the line fits or each is
// as narrow as it gets.
func (l *layout) shrink(width int) {
	for over := l.width() - width; over > 0; over-- {
		widest := -1
		for _, i := range l.columns {
			shrinks := l.grid.Left[i] && l.wide[i] > max(slimmest, len(l.grid.Head[i]))
			if shrinks && (widest < 0 || l.wide[i] > l.wide[widest]) {
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
