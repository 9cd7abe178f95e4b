package table

import (
	"bufio"
	"io"
	"strings"
)

// layout is how wide each column of a grid is. Rows are made twice, once to
// measure them and once to print them, so that a table of any length takes no
// more memory than a line.
type layout struct {
	*bufio.Writer
	wide []int
	left []bool
	bars bool // as markdown has them
}

// body writes the head and the rows; nothing when there are none.
func (g *Grid) body(w io.Writer, o Options) error {
	l, fit, n := layout{Writer: bufio.NewWriter(w), left: g.Left, bars: o.Style == Markdown}, g.fit(o), 0
	for _, h := range g.Head {
		l.wide = append(l.wide, columns(h))
	}
	line := make([]string, len(g.Head))
	for r := range g.rows() {
		for i, c := range shown(line, r, fit, o) {
			l.wide[i] = max(l.wide[i], columns(c))
		}
		n++
	}
	if n == 0 {
		return nil
	}
	l.line(g.Head)
	if l.bars {
		l.rule()
	}
	n = 0
	for r := range g.rows() {
		l.line(shown(line, r, fit, o))
		if o.Style == Text && n < len(g.Below) && g.Below[n] != "" {
			l.WriteString(wrap(Sanitize(g.Below[n]), "      ", o) + "\n")
		}
		n++
	}
	return l.Flush()
}

// shown fills line with the cells of a row as they are printed.
func shown(line []string, row []Cell, fit []int, o Options) []string {
	for i, c := range row {
		line[i] = Sanitize(c.Text)
		if fit != nil {
			line[i] = elide(line[i], fit[i])
		}
		if o.Style == Markdown {
			line[i] = markdown.Replace(line[i])
		}
	}
	return line[:len(row)]
}

// line writes cells, names to the left of their column and numbers to the
// right. An error of the writer is found when it is flushed.
func (l *layout) line(cells []string) {
	for i, c := range cells {
		pad := strings.Repeat(" ", max(l.wide[i]-columns(c), 0))
		l.bar()
		l.WriteString(" ")
		if l.left[i] {
			l.WriteString(c + pad)
		} else {
			l.WriteString(pad + c)
		}
		l.WriteString(" ")
	}
	l.bar()
	l.WriteString("\n")
}

// rule writes the line below a head, which says to which side a column leans.
func (l *layout) rule() {
	for i, n := range l.wide {
		l.bar()
		if l.left[i] {
			l.WriteString(":" + strings.Repeat("-", n+1))
		} else {
			l.WriteString(strings.Repeat("-", n+1) + ":")
		}
	}
	l.bar()
	l.WriteString("\n")
}

func (l *layout) bar() {
	if l.bars {
		l.WriteString("|")
	}
}
