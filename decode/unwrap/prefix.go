package unwrap

import (
	"bytes"
	"slices"
	"strings"
)

// prefix is the text that a logger, a container runtime, a journal or a build puts before
// each line: its words, without the parts that differ between lines.
type prefix struct {
	words []string
	gap   int  // blanks after the last word
	idle  bool // the last line did not have it

	process string // of the last line that had it
}

// blanks separate words.
const blanks = " \t"

// maxWords bounds the words of a prefix: journals have five, Spring Boot's loggers eleven.
const maxWords = 14

func findPrefix(r *Reader, text []byte) layer {
	if object := bytes.IndexByte(text, '{'); object > 0 && before[text[object-1]] && text[len(text)-1] == '}' {
		if _, ok := jsonText(text[object:]); ok {
			r.at, r.mark = object, Header // a layer beneath shows by itself
		}
	}
	return r.around(text, func(before []byte) layer {
		if p := prefixOf(string(before)); p != nil &&
			p.cut(string(text)) != string(text) { // else it would be found again and again
			return p
		}
		return nil
	})
}

// prefixOf makes a prefix of the text before a known begin of a line. It is nil without a
// blank at the end, or without a number, a bar or a bracket: then the text is a sentence.
func prefixOf(before string) *prefix {
	words := strings.Trim(before, blanks)
	p := &prefix{gap: len(before) - len(strings.TrimRight(before, blanks))}
	if p.gap == 0 || words == "" || !strings.ContainsAny(words, "0123456789|[") {
		return nil
	}
	for word := range strings.FieldsFuncSeq(words, func(c rune) bool { return c == ' ' || c == '\t' }) {
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
	p.process = processBefore(string(text[:len(text)-len(rest)]))
	return append([]byte(rest), line[len(text):]...)
}

// cut removes the prefix from a line, if the line has it.
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

func (p *prefix) last() string { return p.process }

// processBefore finds the part of a prefix that identifies the process; "" for none:
//
//	[pod/web-7c9-abcde/app]             of kubectl logs --prefix
//	web-7c9-abcde app                   of stern
//	12:00:01 web.1  |                   of compose, swarm and process managers
//	Nov 21 10:00:00 host java[123]:     of journals and syslog: the host and the tag
//	<134>1 2026-11-21T10:00:00Z host app 123 - -  of syslog: the host, the program, its number
//	2026-11-21 10:00:00 INFO 123 --- [main]       of Spring Boot: the process's number
//	host:                               of pdsh and its like
func processBefore(prefix string) (process string) {
	words := strings.Fields(prefix)
	for i, last := range words { // times of the program's own may follow
		switch {
		case strings.HasSuffix(last, "|"):
			words[i] = strings.TrimSuffix(last, "|")
			for _, word := range words[:i+1] {
				if !isTime(word) {
					process = joined(process, word)
				}
			}
			return process
		case strings.HasSuffix(last, "]:") && last[0] != '[':
			process = strings.TrimSuffix(last, ":")
			if i > 0 && !isTime(words[i-1]) {
				process = joined(words[i-1], process)
			}
			return process
		case i == 0 && strings.HasPrefix(last, "<") && strings.HasSuffix(last, ">1") && len(words) > 5:
			return joined(words[2], joined(words[3], words[4]))
		case i == 0 && len(words) == 1 && strings.HasSuffix(last, ":") && !isTime(last):
			return strings.TrimSuffix(last, ":")
		case last == "---" && i > 0 && isTime(words[i-1]):
			process = joined(process, words[i-1])
		case strings.HasPrefix(last, "[pod/") || !isTime(last) && podName(last):
			process = joined(process, strings.Trim(last, "[]"))
		}
	}
	return process
}

// isTime reports whether a word is a time, a date or a number.
func isTime(word string) bool {
	return strings.Trim(word, "0123456789-:.,+TZ/") == ""
}

// podName reports whether a word is called as clusters call pods.
func podName(word string) bool {
	return strings.Contains(word, "-") && strings.ContainsAny(word, "0123456789") &&
		strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-.") == ""
}

// shape writes a word with one 0 for each number and, if it has letters, one a for each
// name or number: the parts that differ between the names of two processes. Whole seconds
// have the same shape as fractions.
func shape(word string) string {
	out, named := make([]byte, 0, 32), !isTime(word)
	for i := range len(word) {
		c := word[i]
		switch {
		case c >= '0' && c <= '9' && !named:
			c = '0'
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
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
