package text

import (
	"strconv"
	"strings"
	"unicode"

	"contend/report/document"
)

// Sanitize makes a name from a trace safe to print: control characters and
// escape sequences show as what they are instead of acting.
func Sanitize(s string) string {
	if strings.IndexFunc(s, unsafe) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unsafe(r) {
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unsafe reports whether a character acts on a terminal or cannot be printed.
func unsafe(r rune) bool {
	return document.Acts(r) || r == unicode.ReplacementChar || !unicode.IsPrint(r) && r != ' '
}
