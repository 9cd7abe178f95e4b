package text

import (
	"strconv"
	"strings"
	"unicode"

	"contend/report/document"

	"github.com/clipperhouse/displaywidth"
)

// Part is the part of a text that matters most.
type Part uint8

// The parts.
const (
	Start Part = iota
	End        // of a qualified name
)

// Shorten cuts a text to n columns of a terminal and marks the cut.
func Shorten(s string, n int, keep Part) string {
	switch {
	case Columns(s) <= n:
		return s
	case keep == End:
		return "…" + lastColumns(s, n-1)
	}
	return FirstColumns(s, n-1) + "…"
}

// Fold breaks a text into lines of at most n columns: between its words and, where one is
// longer, between the parts of a name.
func Fold(s string, n int) (lines []string) {
	line := ""
	for _, word := range Words(s) {
		if line != "" && Columns(line)+1+Columns(word) <= n {
			line += " " + word
			continue
		}
		if before, ok := strings.CutSuffix(" "+line, " at"); ok { // belongs to the place behind it
			line, word = strings.TrimPrefix(before, " "), "at "+word
		}
		if line != "" {
			lines = append(lines, line)
		}
		for Columns(word) > n {
			part := word[:partsWithin(word, len(FirstColumns(word, n)))]
			lines, word = append(lines, strings.TrimSuffix(part, " ")), word[len(part):]
		}
		line = word
	}
	return append(lines, line)
}

// partsWithin returns where the last part of a name ends that is within its first bytes, or a
// word of the part; all of these where none does.
func partsWithin(name string, first int) int {
	if end := strings.LastIndexAny(name[:first], " .$@/-_"); end > 0 {
		return end + 1
	}
	for i := first; i > 0; i-- {
		if 'A' <= name[i] && name[i] <= 'Z' && 'a' <= name[i-1] && name[i-1] <= 'z' {
			return i
		}
	}
	return first
}

// Columns returns how many columns of a terminal a text takes: two for each
// ideograph and emoji, none for what combines with the letter before it.
// Characters that only East Asian fonts make wide count as one.
func Columns(s string) int { return displaywidth.String(s) }

// FirstColumns returns the longest beginning of s that takes at most n
// columns; no letter is parted from what combines with it.
func FirstColumns(s string, n int) string {
	end := 0
	for g := displaywidth.StringGraphemes(s); g.Next(); end += len(g.Value()) {
		if n -= g.Width(); n < 0 {
			break
		}
	}
	return s[:end]
}

// lastColumns returns the longest end of s that takes at most n columns.
func lastColumns(s string, n int) string {
	over, start := Columns(s)-n, 0
	for g := displaywidth.StringGraphemes(s); over > 0 && g.Next(); start += len(g.Value()) {
		over -= g.Width()
	}
	return s[start:]
}

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
