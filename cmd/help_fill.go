package cmd

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// paragraph is some text of a help, and how its lines begin.
type paragraph struct {
	first string // what its first line begins with: an indent, or a name and blanks
	later string // the indent of its other lines
	words []string
}

// listItem is a line of a list: a name, two blanks or more, and the beginning of a text.
var listItem = regexp.MustCompile(`^( +\S+(?: \S+)*?  +)(\S.*)$`)

// filled wraps a help at a width. A paragraph of the text begins after an empty line, in a line of
// a list, and in a line with another indent than the one before.
func filled(text string, width int) string {
	var out strings.Builder
	var open paragraph
	flush := func() {
		open.write(&out, width)
		open = paragraph{}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n ")
		body := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(body)]
		item := listItem.FindStringSubmatch(line)
		switch {
		case line == "":
			flush()
			out.WriteByte('\n')
		case len(open.words) > 0 && indent == open.later && (indent == "" || indent != open.first):
			open.words = append(open.words, strings.Fields(line)...)
		case item != nil:
			flush()
			open = paragraph{item[1], strings.Repeat(" ", utf8.RuneCountInString(item[1])), strings.Fields(item[2])}
		default:
			flush()
			open = paragraph{indent, indent, strings.Fields(line)}
		}
	}
	flush()
	return strings.TrimSuffix(out.String(), "\n")
}

// write writes the paragraph. A word that is wider than the room has a line of its own.
func (p *paragraph) write(out *strings.Builder, width int) {
	if len(p.words) == 0 {
		return
	}
	line := p.first
	for i, word := range p.words {
		switch {
		case i == 0:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			out.WriteString(line + "\n")
			line = p.later + word
		}
	}
	out.WriteString(line + "\n")
}

// filledCommands breaks the lines of commands that are wider than a width, so that a shell still
// takes them: after && or |, else before a flag.
func filledCommands(text string, width int) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		for utf8.RuneCountInString(line) > width {
			head, rest, ok := brokenCommand(line, width)
			if !ok {
				break
			}
			lines, line = append(lines, head), "      "+rest
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// brokenCommand returns the two parts of a command; ok is false if no place to break it lies
// within the width.
func brokenCommand(line string, width int) (head, rest string, ok bool) {
	for _, end := range []string{" && ", " | "} {
		if at := strings.LastIndex(line[:min(width+1, len(line))], end); at > 0 {
			at += len(end) - 1
			return line[:at], line[at+1:], true
		}
	}
	if at := strings.LastIndex(line[:min(width-1, len(line))], " -"); at > 6 {
		return line[:at] + ` \`, line[at+1:], true
	}
	return "", "", false
}
