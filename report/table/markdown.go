package table

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markdown keeps a text from acting as markup, wherever in a line it stands: <init> is no
// element, lambda$*$ no emphasis, and a class that calls itself ![x](http://y) no image. A
// sign that cannot act in its place stays. A text that would become a link, a formula or a
// picture by the rules of a place where people put it, which no escape prevents, becomes code.
func markdown(s string) string {
	if linked.MatchString(s) || commit(s) {
		return code(s)
	}
	if !strings.ContainsAny(s, markup) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if acts(s, i) {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// linked is what GitHub and GitLab make of a text that is no code: users and addresses,
// issues, milestones, snippets and formulas, and :names: of pictures, but for C++'s :: of names.
var linked = regexp.MustCompile(`@[\pL\pN_]|#[0-9]|\b(?i:gh-[0-9]|mailto:|xmpp:)|(^|[^\pL\pN_])([%$][0-9]|\$[^ \pL]|\$\S.*\$)|(^|[^:\pL\pN]):[0-9A-Za-z_+-]+:([^:]|$)`)

// commit reports whether a text holds what may be a commit's sum.
func commit(s string) bool {
	return slices.ContainsFunc(sum.FindAllString(s, -1), func(word string) bool { return strings.ContainsAny(word, "abcdef") })
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

// markup is what acts reports of, besides letters.
const markup = "\\`*_[]<>|!~&#:+-."

// acts reports whether the sign at a place of a text is markup, also for renderers that make
// links of all that looks like an address.
func acts(s string, at int) bool {
	rest := s[at+1:]
	last, _ := utf8.DecodeLastRuneInString(s[:at])
	next, _ := utf8.DecodeRuneInString(rest)
	before, behind := inWord(last), inWord(next)
	switch s[at] {
	case '\\', '`', '*', '[', ']', '|', '!', '~':
		return true
	case '<':
		return !strings.HasPrefix(rest, " ")
	case '_':
		return !before || !behind
	case '&':
		return behind || strings.HasPrefix(rest, "#")
	case ':':
		return strings.HasPrefix(rest, "//")
	case '.':
		return at >= 3 && strings.EqualFold(s[at-3:at], "www")
	case '#', '>', '+', '-':
		return at == 0 && rest != "" && !behind
	}
	return false
}

// inWord reports whether a character is part of a word. A dash or a picture is none.
func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
