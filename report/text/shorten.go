package text

import (
	"strings"

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

// ShortenCell is Shorten for a stack, of which the innermost frames come first
// and matter most, or a single name, of which the end does. A lock's address
// gives way to its class.
func ShortenCell(s string, n int) string {
	if before, digits, ok := strings.Cut(s, " @"); ok && len(digits) == lastDigits && Columns(s) > n {
		return Shorten(before, n-lastDigits-2, Start) + " @" + digits
	}
	if strings.Contains(s, " ") {
		return Shorten(s, n, Start)
	}
	class, address, ok := strings.Cut(s, "@")
	if !ok || Columns(s) <= n || len(address) <= lastDigits || strings.Trim(address, "0123456789abcdefx") != "" {
		return Shorten(s, n, End)
	}
	digits := "@…" + address[len(address)-lastDigits:]
	if room := n - Columns(digits); room >= Columns(class) || room >= leastClass {
		return Shorten(class, room, End) + digits
	}
	return Shorten(class, n, End)
}

// lastDigits of an address distinguish locks of a class, where its name keeps
// leastClass columns beside them.
const (
	lastDigits = 4
	leastClass = 12
)

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
