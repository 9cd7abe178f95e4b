package screen

import (
	"strings"

	"contend/report/text"
)

// line is one complete line of output.
type line struct {
	text  string
	style style
}

// style is the look of a line on a terminal.
type style string

// The styles, as escape sequences of terminals.
const (
	plain  style = ""
	strong style = "\x1b[1m"
	alarm  style = "\x1b[1;31m"
)

func (l line) string(color bool) string {
	if !color || l.style == plain || l.text == "" {
		return l.text
	}
	return string(l.style) + l.text + "\x1b[0m"
}

// fill sets parts in lines of a width, without breaking a part. first precedes the first line, and
// as many spaces the others. A part that is too long for a line is broken at its spaces, and a word
// that is too long loses its middle.
func fill(first string, width int, st style, parts ...string) (lines []line) {
	indent := strings.Repeat(" ", text.Columns(first))
	room := max(width-len(indent), 8)
	now, used := first, 0
	add := func(word string) {
		n := text.Columns(word)
		if used > 0 && used+1+n > room {
			lines = append(lines, line{now, st})
			now, used = indent, 0
		}
		if used > 0 {
			now, used = now+" ", used+1
		}
		now, used = now+word, used+n
	}
	for _, part := range parts {
		if part = text.Sanitize(part); text.Columns(part) <= room {
			add(part)
			continue
		}
		for _, word := range text.Words(part) {
			add(middle(word, room))
		}
	}
	return append(lines, line{now, st})
}

// hanging is fill with the lines behind the first indented further, so that the next item starts
// where the first line does.
func hanging(first string, width int, st style, parts ...string) []line {
	n := len(parts)
	for n > 1 && len(fill(first, width, st, parts[:n]...)) > 1 {
		n--
	}
	lines := fill(first, width, st, parts[:n]...)
	if n < len(parts) {
		lines = append(lines, fill(strings.Repeat(" ", len(first))+deeper, width, st, parts[n:]...)...)
	}
	return lines
}

const deeper = "    "

// asFit builds with the least number of parts, and with more as long as they take no more lines.
func asFit(least, most int, build func(n int) []line) []line {
	lines := build(least)
	for n := least + 1; n <= most; n++ {
		longer := build(n)
		if len(longer) > len(lines) {
			break
		}
		lines = longer
	}
	return lines
}

// listed appends commas to all texts but the last.
func listed(texts []string) []string {
	out := make([]string, len(texts))
	for i, one := range texts {
		out[i] = one
		if i < len(texts)-1 {
			out[i] += ","
		}
	}
	return out
}

// prose splits a sentence into words; a number and its unit stay together.
func prose(sentence string) []string { return text.Words(sentence) }

// middle cuts the middle out of a name that is too long, and so keeps its class and its method.
func middle(s string, n int) string {
	if text.Columns(s) <= n {
		return s
	}
	front := text.FirstColumns(s, (n-1)/2)
	return front + text.Shorten(s, n-text.Columns(front), text.End)
}
