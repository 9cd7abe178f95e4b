package unwrap

import (
	"bytes"
	"html"
	"regexp"
	"strings"
)

// page is HTML: a dump copied out of a web page, or kept as one.
type page struct{}

var (
	blocks = regexp.MustCompile(`(?i)</?(?:pre|p|div|h[1-6]|table|tbody|tr|td|ul|li|html|head|body)(?: [^<>]*)?>`)
	inline = regexp.MustCompile(`(?i)</?(?:code|span|b|tt|font)(?: [^<>]*)?>`)
	breaks = regexp.MustCompile(`(?i)<br ?/?>\r?\n?`)
	broken = regexp.MustCompile(`(?i)<br ?/?>$`)
	empty  = regexp.MustCompile(`\n\s*\n`)
)

// findHTML finds a dump that begins with a line once tags are off, or a frame or lock with
// escaped brackets.
func findHTML(r *Reader, text []byte) layer {
	plain := r.at == 0 && r.mark != None
	if plain && len(r.starts) > 0 && bytes.Contains(r.out[max(r.starts[0], r.pos):], []byte("<pre")) {
		return page{}
	}
	tag, entity := bytes.IndexByte(text, '<') >= 0, bytes.IndexByte(text, '&') >= 0
	if !tag && !entity {
		return nil
	}
	if entity && part(text) && bytes.Contains(text, []byte("&lt;")) && bytes.Contains(text, []byte("&gt;")) {
		return page{}
	}
	if plain && !broken.Match(text) {
		return nil
	}
	for line := range bytes.Lines(page{}.strip(text)) {
		if at, mark := r.anchor(bytes.TrimSpace(line)); mark != None && at == 0 && len(line) < len(text) {
			return page{}
		}
	}
	return nil
}

func (page) strip(line []byte) []byte {
	if bytes.IndexByte(line, '<') >= 0 {
		line = breaks.ReplaceAll(inline.ReplaceAll(line, nil), newlines)
		if bare := blocks.ReplaceAll(line, newlines); len(bare) != len(line) {
			line = bytes.TrimLeft(empty.ReplaceAll(bare, newlines), "\n")
		}
	}
	if bytes.IndexByte(line, '&') < 0 {
		return line
	}
	return bytes.ReplaceAll([]byte(html.UnescapeString(string(line))), []byte("\u00a0"), []byte(" "))
}

// escaped is a dump on one line, with \n for line ends.
type escaped struct{ r *Reader }

var newline = []byte(`\n`)

func findEscaped(r *Reader, text []byte) layer {
	if begin, _ := r.escapedAt(text); begin >= 0 {
		return escaped{r}
	}
	return nil
}

// segments bounds the lines before the dump.
const segments = 64

// escapedAt returns where a text with a dump begins in a line with escaped line ends, and
// whether it is quoted; -1 if there is none. The time of the dump may precede it.
func (r *Reader) escapedAt(text []byte) (begin int, quoted bool) {
	if bytes.IndexByte(text, '\\') < 0 || !bytes.Contains(text, newline) {
		return -1, false
	}
	for at, n := 0, 0; n < segments; n++ {
		end := bytes.Index(text[at:], newline)
		if end < 0 {
			break
		}
		segment := bytes.ReplaceAll(text[at:at+end], []byte(`\"`), []byte(`"`))
		if i, mark := r.anchor(segment); mark != None {
			if at == 0 {
				return i, i > 0 && segment[i-1] == '"'
			}
			quote := bytes.LastIndexByte(text[:bytes.Index(text, newline)], '"')
			return quote + 1, quote >= 0
		}
		at += end + len(newline)
	}
	return -1, false
}

func (e escaped) strip(line []byte) []byte {
	begin, quoted := e.r.escapedAt(line)
	if begin < 0 {
		return line
	}
	out := append(bytes.Clone(line[:begin]), '\n')
	text := bytes.TrimRight(line[begin:], "\r\n")
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"' && quoted:
			return append(out, '\n')
		case c != '\\' || i+1 == len(text):
			out = append(out, c)
			continue
		}
		i++
		switch text[i] {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
		case '"', '\\', '/':
			out = append(out, text[i])
		default:
			out = append(out, '\\', text[i])
		}
	}
	return append(out, '\n')
}

// margin is the indentation or quoting of a dump: blanks, > as in a mail, comment marks,
// the marks of a diff, or the beginning of a first line of code.
type margin struct{ text []byte }

const margins = " \t>#/*-;%!+`"

func findMargin(r *Reader, text []byte) layer {
	if strings.IndexByte(margins, text[0]) < 0 {
		return nil
	}
	return r.around(text, func(before []byte) layer {
		if under := text[r.at:]; part(under) || bytes.HasPrefix(under, []byte("State: ")) {
			// it has an indentation of its own
			mark := bytes.TrimRight(before, " \t")
			if len(before) > len(mark) && before[len(mark)] == ' ' && !bytes.HasSuffix(mark, []byte("+")) {
				// a diff's has none
				mark = before[:len(mark)+1]
			}
			before = mark
		}
		if len(before) == 0 {
			return nil
		}
		if comment := bytes.Trim(before, margins); len(comment) > 0 ||
			string(bytes.TrimSpace(before)) == "-" { // that is a list
			return nil
		}
		return margin{bytes.Clone(before)}
	})
}

// strip removes the margin, or what an editor left of it in an empty line.
func (m margin) strip(line []byte) []byte {
	if rest, ok := bytes.CutPrefix(line, m.text); ok {
		return rest
	}
	text := bytes.TrimRight(line, " \t\r\n")
	if bytes.HasPrefix(m.text, text) {
		return []byte("\n")
	}
	return line
}

// around makes a layer of the text before a dump on its line. Before a doubtful thread line
// it waits for the next line.
func (r *Reader) around(text []byte, of func(before []byte) layer) layer {
	if r.at == 0 {
		return nil
	}
	l := of(text[:r.at])
	if l != nil && r.mark == Thread {
		if !r.begun {
			r.maybe = l
		}
		return nil
	}
	return l
}
