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
	t := g.printer(out, wide, o)
	if err := t.Start(); err != nil {
		return err
	}
	t.Header(g.Head)
	n := 0
	for r := range g.rows() {
		if err := t.Append(shown(line, r, fit, o)); err != nil {
			return err
		}
		if o.Style == Text && n < len(g.Below) && g.Below[n] != "" {
			out.WriteString(wrap(text.Sanitize(g.Below[n]), "      ", o) + "\n")
		}
		n++
	}
	return errors.Join(t.Close(), out.Flush())
}

// measure returns how wide each column is with a space on either side; nil
// when there are no rows.
func (g *Grid) measure(fit []int, line []string, o Options) tw.Mapper[int, int] {
	var wide tw.Mapper[int, int]
	for r := range g.rows() {
		if wide == nil {
			wide = tw.NewMapper[int, int]()
			for i, h := range g.Head {
				wide.Set(i, text.Columns(h)+2)
			}
		}
		for i, c := range shown(line, r, fit, o) {
			wide.Set(i, max(wide.Get(i), text.Columns(c)+2))
		}
	}
	return wide
}

// printer lays out lines of columns of the widths given.
func (g *Grid) printer(w io.Writer, wide tw.Mapper[int, int], o Options) *tablewriter.Table {
	align := make([]tw.Align, len(g.Head))
	for i := range align {
		align[i] = tw.AlignRight
		if g.Left[i] {
			align[i] = tw.AlignLeft
		}
	}
	var out tw.Renderer = renderer.NewBlueprint(plain)
	if o.Style == Markdown {
		out = renderer.NewMarkdown()
	}
	cell := tw.CellConfig{Alignment: tw.CellAlignment{PerColumn: align}, Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off}}
	measureAlike()
	return tablewriter.NewTable(w, tablewriter.WithRenderer(out),
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell, Widths: tw.CellWidth{PerColumn: wide}, Stream: tw.StreamConfig{Enable: true}}),
		tablewriter.WithTrimSpace(tw.Off), tablewriter.WithHeaderAutoFormat(tw.Off))
}

// plain is a table of columns apart by two spaces, without lines.
var plain = tw.Rendition{
	Borders: tw.BorderNone,
	Settings: tw.Settings{
		Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off, ShowHeader: tw.Off},
		Lines:      tw.Lines{ShowHeaderLine: tw.Off, ShowTop: tw.Off, ShowBottom: tw.Off},
	},
}

// shown fills line with the cells of a row as they are printed.
func shown(line []string, row []Cell, fit []int, o Options) []string {
	for i, c := range row {
		line[i] = text.Sanitize(c.Text)
		if fit != nil {
			line[i] = text.ShortenCell(line[i], fit[i])
		}
		if o.Style == Markdown {
			line[i] = markdown.Replace(line[i])
		}
	}
	return line[:len(row)]
}
