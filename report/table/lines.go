package table

import (
	"bufio"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"contend/report/text"
)

// lines writes the head and the rows as text. A table may have a million of them, so a line
// takes no memory of its own, which it would in tablewriter.
func (l *layout) lines(out *bufio.Writer, o Options) {
	l.line(out, func(i int) string { return l.Head[i] })
	n := 0
	for r := range l.Grid.rows() {
		l.line(out, func(i int) string { return l.cell(r, i, o) })
		if n < len(l.below) && l.below[n] != "" {
			out.WriteString(o.wrap(l.below[n], "      ") + "\n")
		}
		n++
	}
}

// line writes cells in columns: names stand left, numbers right.
func (l *layout) line(out *bufio.Writer, cell func(column int) string) {
	for _, i := range l.columns {
		c := cell(i)
		room := l.wide[i] - text.Columns(c)
		out.WriteByte(' ')
		if !l.Left[i] {
			pad(out, room)
		}
		out.WriteString(c)
		if l.Left[i] {
			pad(out, room)
		}
		out.WriteByte(' ')
	}
	out.WriteByte('\n')
}

func pad(out *bufio.Writer, n int) {
	for range n {
		out.WriteByte(' ')
	}
}

// markdown writes the head and the rows as a table of Markdown.
func (l *layout) markdown(out *bufio.Writer, o Options) error {
	t := l.printer(out)
	if err := t.Start(); err != nil {
		return err
	}
	t.Header(l.Head)
	line := make([]string, len(l.Head))
	for r := range l.Grid.rows() {
		for i := range r {
			line[i] = l.cell(r, i, o)
		}
		if err := t.Append(line[:len(r)]); err != nil {
			return err
		}
	}
	return t.Close()
}

// printer lays out lines in columns as wide as their cells and a space on either side. It
// counts columns as text.Columns does: by the environment, as it would, a table would depend
// on the language of the user.
func (l *layout) printer(out *bufio.Writer) *tablewriter.Table {
	align, widths := make([]tw.Align, len(l.Head)), tw.NewMapper[int, int]()
	for i := range align {
		widths.Set(i, l.wide[i]+2)
		align[i] = tw.AlignRight
		if l.Left[i] {
			align[i] = tw.AlignLeft
		}
	}
	cell := tw.CellConfig{Alignment: tw.CellAlignment{PerColumn: align}, Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off}}
	twwidth.SetOptions(twwidth.Options{})
	return tablewriter.NewTable(out, tablewriter.WithRenderer(renderer.NewMarkdown()),
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell, Widths: tw.CellWidth{PerColumn: widths}, Stream: tw.StreamConfig{Enable: true}}),
		tablewriter.WithTrimSpace(tw.Off), tablewriter.WithHeaderAutoFormat(tw.Off))
}

// paragraphs puts each text on lines of its own.
func (o Options) paragraphs(texts []string) string {
	sep := "\n"
	if o.Style == Markdown {
		sep = "\n\n"
	}
	lines := make([]string, len(texts))
	for i := range texts {
		lines[i] = o.wrap(texts[i], "")
	}
	return strings.TrimPrefix(strings.Join(lines, sep)+"\n", "\n")
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
func (o Options) wrap(s, indent string) string {
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
