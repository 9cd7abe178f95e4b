package table

import (
	"github.com/clipperhouse/displaywidth"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// columns returns how many columns of a terminal a text takes: two for each
// ideograph and emoji, none for what combines with the letter before it.
// Characters that only East Asian fonts make wide count as one.
func columns(s string) int { return displaywidth.String(s) }

// measureAlike makes the library that pads the cells count as columns does.
// It would else go by the environment: a table must not depend on the
// language of whoever prints it.
func measureAlike() { twwidth.SetOptions(twwidth.Options{}) }

// firstColumns returns the longest beginning of s that takes at most n
// columns; no letter is parted from what combines with it.
func firstColumns(s string, n int) string {
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
	over, start := columns(s)-n, 0
	for g := displaywidth.StringGraphemes(s); over > 0 && g.Next(); start += len(g.Value()) {
		over -= g.Width()
	}
	return s[start:]
}
