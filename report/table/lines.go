package table

import (
	"bufio"
	"regexp"
	"slices"
	"strings"

	"contend/report/text"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// lines writes the head and the rows as text. A table may have a million of them, so a line
// takes no memory of its own, which it would in tablewriter.
func (l *layout) lines(out *bufio.Writer, o Options) {
	l.line(out, func(i int) string { return l.grid.Head[i] })
	n := 0
	for r := range l.grid.rows() {
		l.line(out, func(i int) string { return o.safe(r[i].Text) })
		if n < len(l.below) && l.below[n] != "" {
			out.WriteString(o.wrap(l.below[n], "      ") + "\n")
		}
		n++
	}
}

// line writes cells in columns, names left, numbers right. A name that does not fit its column
// continues in the next line.
func (l *layout) line(out *bufio.Writer, cell func(column int) string) {
	var rest [][]string // by column: the further lines; nil if all cells fit
	for _, i := range l.columns {
		c := cell(i)
		if text.Columns(c) > l.wide[i] {
			if rest == nil {
				rest = make([][]string, len(l.grid.Head))
			}
			parts := text.Fold(c, l.wide[i])
			c, rest[i] = parts[0], parts[1:]
		}
		l.put(out, i, c)
	}
	out.WriteByte('\n')
	for slices.ContainsFunc(rest, func(parts []string) bool { return len(parts) > 0 }) {
		for _, i := range l.columns {
			c := ""
			if len(rest[i]) > 0 {
				c, rest[i] = rest[i][0], rest[i][1:]
			}
			l.put(out, i, c)
		}
		out.WriteByte('\n')
	}
}

// put writes one line of a cell.
func (l *layout) put(out *bufio.Writer, column int, c string) {
	room := l.wide[column] - text.Columns(c)
	out.WriteByte(' ')
	if !l.grid.Left[column] {
		pad(out, room)
	}
	out.WriteString(c)
	if l.grid.Left[column] {
		pad(out, room)
	}
	out.WriteByte(' ')
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
	t.Header(l.grid.Head)
	line := make([]string, len(l.grid.Head))
	for r := range l.grid.rows() {
		for i := range r {
			line[i] = o.safe(r[i].Text)
		}
		if err := t.Append(line[:len(r)]); err != nil {
			return err
		}
	}
	return t.Close()
}

// printer lays out lines in columns as wide as their cells and a space on either side. It counts
// columns as text.Columns does. By default it counts by the environment, so that a table would
// depend on the language of the user.
func (l *layout) printer(out *bufio.Writer) *tablewriter.Table {
	align, widths := make([]tw.Align, len(l.grid.Head)), tw.NewMapper[int, int]()
	for i := range align {
		widths.Set(i, l.wide[i]+2)
		align[i] = tw.AlignRight
		if l.grid.Left[i] {
			align[i] = tw.AlignLeft
		}
	}
	cell := tw.CellConfig{
		Alignment:  tw.CellAlignment{PerColumn: align},
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
	}
	twwidth.SetOptions(twwidth.Options{})
	return tablewriter.NewTable(
		out,
		tablewriter.WithRenderer(renderer.NewMarkdown()),
		tablewriter.WithConfig(
			tablewriter.Config{
				Header: cell,
				Row:    cell,
				Widths: tw.CellWidth{PerColumn: widths},
				Stream: tw.StreamConfig{Enable: true},
			},
		),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithHeaderAutoFormat(tw.Off),
	)
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

// safe makes a text safe to print. All output passes through it, or through wrap.
func (o Options) safe(s string) string {
	s = text.Sanitize(s)
	if o.Style == Markdown {
		return markdown(s)
	}
	return s
}

// wrap makes a text safe, indents it, and breaks it into lines for the terminal.
func (o Options) wrap(s, indent string) string {
	s = o.safe(s)
	if o.Style != Text || o.Width <= 0 || text.Columns(indent+s) <= o.Width {
		return indent + s
	}
	return indent + strings.Join(text.Fold(s, max(o.Width-len(indent), slimmest)), "\n"+indent)
}

// markdown keeps a text from acting as markup: <init> is no element, lambda$*$ no emphasis, and a
// class that calls itself ![x](http://y) no image. A text with a sign that can act becomes code,
// since some renderers make links of texts that no escape protects.
func markdown(s string) string {
	if acting.MatchString(s) || commit(s) {
		return code(s)
	}
	return s
}

// acting are the signs of Markdown, and the texts that GitHub and GitLab turn into links, formulas
// or pictures: users, issues, milestones, snippets, addresses, and :names: of pictures.
var acting = regexp.MustCompile(
	"[\\\\`*_\\[\\]<>|!~&@#$]|:\\S|^[-+=][^\\pL\\pN]|\\b(?i:gh-[0-9]|www\\.)|(^|[^\\pL\\pN_])%[0-9]",
)

// commit reports whether a text may hold the hash of a commit.
func commit(s string) bool {
	return slices.ContainsFunc(
		sum.FindAllString(s, -1),
		func(word string) bool { return strings.ContainsAny(word, "abcdef") },
	)
}

var sum = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)

// code makes a text code, in a cell too: its fence is longer than any in the text.
func code(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + " " + strings.ReplaceAll(s, "|", `\|`) + " " + fence
}
