// Package text writes durations, counts, measures and names for all renderings: safe for
// terminals, and short enough for their place. It lays nothing out.
package text

import (
	"fmt"
	"slices"
	"strings"

	"contend/format"
)

// Duration writes nanoseconds with three digits: 12.1 s, 310 ms.
func Duration(ns int64) string { return format.Duration(ns) }

// Seconds writes nanoseconds as seconds with three decimals: 0.310 s.
func Seconds(ns int64) string { return fmt.Sprintf("%.3f s", float64(ns)/1e9) }

// Percent writes a ratio: 12.5 %.
func Percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// Number writes a count with a comma between thousands.
func Number(n int64) string { return format.Number(n) }

// Amount writes how many there are of something: 1 edge, 2 edges.
func Amount(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + one + "s"
}

// units are what stands behind a number.
var units = []string{"h", "min", "s", "ms", "µs", "ns", "%", "kB", "MB", "GB"}

// Words splits a sentence where a line may end: not between a number and its unit.
func Words(sentence string) (words []string) {
	number := false
	for word := range strings.FieldsSeq(sentence) {
		if number && slices.Contains(units, strings.TrimRight(word, ",;:.)")) {
			words[len(words)-1] += " " + word
			number = false
			continue
		}
		words = append(words, word)
		last := word[len(word)-1]
		number = '0' <= last && last <= '9'
	}
	return words
}
