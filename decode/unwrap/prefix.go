package unwrap

import (
	"bytes"
	"slices"
	"strings"
)

// prefix is what a logger, a container runtime, a journal or a build puts before each
// line: its words, less what differs in each line.
type prefix struct {
	words []string
	gap   int  // blanks behind the last word
	idle  bool // the last line did not have it
}

// blanks separate words.
const blanks = " \t"

// maxWords bounds the words of a prefix: journals have five.
const maxWords = 8

func findPrefix(r *Reader, text []byte) layer {
	if object := bytes.IndexByte(text, '{'); object > 0 && before[text[object-1]] && text[len(text)-1] == '}' {
		if _, _, ok := jsonText(text[object:]); ok {
			r.at, r.mark = object, Header // a layer beneath shows by itself
		}
	}
	return r.around(text, func(before []byte) layer {
		if p := prefixOf(string(before)); p != nil {
			return p
		}
		return nil
	})
}

// prefixOf makes a prefix of what stands before text that is known to begin a line. It
// is nil without a blank behind it, or with neither a number nor a bar nor a bracket:
// then it is a sentence.
func prefixOf(before string) *prefix {
	words := strings.Trim(before, blanks)
	p := &prefix{gap: len(before) - len(strings.TrimRight(before, blanks))}
	if p.gap == 0 || words == "" || !strings.ContainsAny(words, "0123456789|[") {
		return nil
	}
	for word := range strings.FieldsSeq(words) {
		p.words = append(p.words, shape(word))
	}
	if len(p.words) > maxWords {
		return nil
	}
	return p
}

func (p *prefix) strip(line []byte) []byte {
	text := bytes.TrimRight(line, "\r\n")
	rest := p.cut(string(text))
	p.idle = len(rest) == len(text)
	if p.idle {
		return line
	}
	return append([]byte(rest), line[len(text):]...)
}

// cut returns a line without the prefix, or all of one that has none.
func (p *prefix) cut(line string) string {
	rest := line
	for _, want := range p.words {
		rest = strings.TrimLeft(rest, blanks)
		end := strings.IndexAny(rest, blanks)
		if end < 0 {
			end = len(rest)
		}
		if shape(rest[:end]) != want {
			return line
		}
		rest = rest[end:]
	}
	for gap := p.gap; gap > 0 && rest != "" && (rest[0] == ' ' || rest[0] == '\t'); gap-- {
		rest = rest[1:]
	}
	return rest
}

// shape writes a word with one 0 for each number and one a for each run of
// letters. Whole seconds are like those with a fraction.
func shape(word string) string {
	out := make([]byte, 0, 32)
	for i := range len(word) {
		c := word[i]
		switch {
		case c >= '0' && c <= '9':
			c = '0'
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			c = 'a'
		}
		if len(out) == 0 || c != out[len(out)-1] || c != '0' && c != 'a' {
			out = append(out, c)
		}
	}
	if i := slices.Index(out, ':'); i >= 0 {
		return strings.Replace(string(out), ":0.0", ":0", 1)
	}
	return string(out)
}
