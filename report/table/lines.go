package table

import (
	"bufio"
	"strings"

	"contend/report/text"
)

// body writes the head and the rows.
func (l *layout) body(out *bufio.Writer, o Options) {
	head := func(i int) string { return l.Head[i] }
	l.line(out, o, head)
	if o.Style == Markdown {
		l.rule(out)
	}
	n := 0
	for r := range l.Grid.rows() {
		l.line(out, o, func(i int) string { return l.cell(r, i, o) })
		if n < len(l.below) && l.below[n] != "" && o.Style == Text {
			out.WriteString(o.wrap(l.below[n], "      ") + "\n")
		}
		n++
	}
}

// line writes cells in columns, in Markdown with bars between them: names stand left,
// numbers right. A table may have a million lines.
func (l *layout) line(out *bufio.Writer, o Options, cell func(column int) string) {
	bar := ""
	if o.Style == Markdown {
		bar = "|"
	}
	for _, i := range l.columns {
		c := cell(i)
		room := l.wide[i] - text.Columns(c)
		out.WriteString(bar)
		out.WriteByte(' ')
		if !l.Left[i] {
			fill(out, ' ', room)
		}
		out.WriteString(c)
		if l.Left[i] {
			fill(out, ' ', room)
		}
		out.WriteByte(' ')
	}
	out.WriteString(bar)
	out.WriteByte('\n')
}

// rule writes the line of Markdown between head and rows, whose colons align the columns.
func (l *layout) rule(out *bufio.Writer) {
	for _, i := range l.columns {
		first, last := byte('-'), byte(':')
		if l.Left[i] {
			first, last = last, first
		}
		out.WriteByte('|')
		out.WriteByte(first)
		fill(out, '-', l.wide[i])
		out.WriteByte(last)
	}
	out.WriteString("|\n")
}

func fill(out *bufio.Writer, with byte, n int) {
	for range n {
		out.WriteByte(with)
	}
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
