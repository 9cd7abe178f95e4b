package table

import (
	"regexp"
	"strings"
)

// markdown keeps a text from acting as markup, wherever in a line it stands: <init> is no
// element, lambda$*$ no emphasis, and a class that calls itself ![x](http://y) no image. A
// sign that cannot act in its place stays. A text that would mention a user or link to an
// issue, which no escape prevents, becomes code.
func markdown(s string) string {
	if mentions.MatchString(s) {
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

// mentions are what GitHub and GitLab turn into a user or an issue, but for code.
var mentions = regexp.MustCompile(`(^|[^0-9A-Za-z_])@[0-9A-Za-z_]|#[0-9]|(^|[^0-9A-Za-z_])[Gg][Hh]-[0-9]`)

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
	before, behind := wordAt(s, at-1), wordAt(s, at+1)
	rest := s[at+1:]
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

// wordAt reports whether a letter or digit stands at a place, or part of one.
func wordAt(s string, at int) bool {
	if at < 0 || at >= len(s) {
		return false
	}
	c := s[at]
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c >= 0x80
}
