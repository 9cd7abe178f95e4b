package table

import (
	"bufio"
	"errors"
	"io"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"contend/report/text"
)

// body writes the head and the rows; nothing when there are none. Rows are made
// twice, once to measure them and once to print them, so that a table of any
// length takes no more memory than a line.
func (g *Grid) body(w io.Writer, o Options) error {
	fit, line := g.fit(o), make([]string, len(g.Head))
	wide := g.measure(fit, line, o)
	if wide == nil {
		return nil
	}
	out := bufio.NewWriter(w)
	if o.Style == Markdown {
		return g.markdown(out, wide, line, o)
	}
	g.line(out, g.Head, wide)
	n := 0
	for r := range g.rows() {
		g.line(out, shown(line, r, fit, o), wide)
		if n < len(g.Below) && g.Below[n] != "" {
			out.WriteString(wrap(g.Below[n], "      ", o) + "\n")
		}
		n++
	}
	return out.Flush()
}

// line writes cells in columns of some widths, without lines between them. A table
// may have a million.
func (g *Grid) line(out *bufio.Writer, cells []string, wide []int) {
	for i, c := range cells {
		room := wide[i] - 1 - text.Columns(c)
		if g.Left[i] {
			out.WriteByte(' ')
			out.WriteString(c)
			pad(out, room)
			continue
		}
		pad(out, room)
		out.WriteString(c)
		out.WriteByte(' ')
	}
	out.WriteByte('\n')
}

func pad(out *bufio.Writer, n int) {
	for range n {
		out.WriteByte(' ')
	}
}

// markdown writes the head and the rows.
func (g *Grid) markdown(out *bufio.Writer, wide []int, line []string, o Options) error {
	t := g.printer(out, wide)
	if err := t.Start(); err != nil {
		return err
	}
	t.Header(g.Head)
	for r := range g.rows() {
		if err := t.Append(shown(line, r, nil, o)); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), out.Flush())
}

// measure returns how wide each column is with a space on either side; nil
// when there are no rows.
func (g *Grid) measure(fit []int, line []string, o Options) (wide []int) {
	for r := range g.rows() {
		if wide == nil {
			for _, h := range g.Head {
				wide = append(wide, text.Columns(h)+2)
			}
		}
		for i, c := range shown(line, r, fit, o) {
			wide[i] = max(wide[i], text.Columns(c)+2)
		}
	}
	return wide
}

// printer lays out lines of Markdown in columns of the widths given.
func (g *Grid) printer(w io.Writer, wide []int) *tablewriter.Table {
	align, widths := make([]tw.Align, len(g.Head)), tw.NewMapper[int, int]()
	for i := range align {
		widths.Set(i, wide[i])
		align[i] = tw.AlignRight
		if g.Left[i] {
			align[i] = tw.AlignLeft
		}
	}
	cell := tw.CellConfig{Alignment: tw.CellAlignment{PerColumn: align}, Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off}}
	measureAlike()
	return tablewriter.NewTable(w, tablewriter.WithRenderer(renderer.NewMarkdown()),
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell, Widths: tw.CellWidth{PerColumn: widths}, Stream: tw.StreamConfig{Enable: true}}),
		tablewriter.WithTrimSpace(tw.Off), tablewriter.WithHeaderAutoFormat(tw.Off))
}

// shown fills line with the cells of a row as they are printed.
func shown(line []string, row []Cell, fit []int, o Options) []string {
	for i, c := range row {
		line[i] = o.safe(c.Text)
		if fit != nil {
			line[i] = text.ShortenCell(line[i], fit[i])
		}
	}
	return line[:len(row)]
}
