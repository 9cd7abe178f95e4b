// Package logline takes off what container runtimes and journals put before
// each line of a program's output: times, streams, names. It reads no input.
package logline

import (
	"slices"
	"strings"
)

// Prefix is how the beginnings of lines look: its words, less what differs in
// each line. The zero value is none.
type Prefix struct {
	words []string
	gap   int // blanks behind the last word
}

// blanks separate words.
const blanks = " \t"

// maxWords bounds the words of a prefix: journals have five.
const maxWords = 8

// Find makes a prefix of what stands before text that is known to begin a
// line. It is none without a blank behind it, or with neither a number nor a
// bar nor a bracket: then it is a sentence.
func Find(before string) (p Prefix, ok bool) {
	words := strings.Trim(before, blanks)
	p.gap = len(before) - len(strings.TrimRight(before, blanks))
	if p.gap == 0 || words == "" || !strings.ContainsAny(words, "0123456789|[") {
		return Prefix{}, false
	}
	for word := range strings.FieldsSeq(words) {
		p.words = append(p.words, shape(word))
	}
	return p, len(p.words) <= maxWords
}

// Strip returns a line without the prefix, or all of one that has none.
func (p *Prefix) Strip(line string) string {
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
