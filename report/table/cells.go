package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Name is a cell that holds a name from the trace.
func Name(s string) Cell { return Cell{s, formula(s)} }

// formula keeps a spreadsheet from running a name as a formula.
func formula(s string) string {
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

// Count is a cell that holds a number of things.
func Count(n int64) Cell { return Cell{group(n), strconv.FormatInt(n, 10)} }

// group puts a comma between thousands.
func group(n int64) string {
	s := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// moreRows tells how many rows are left out.
func moreRows(n int) string {
	if n == 1 {
		return "1 more row"
	}
	return group(int64(n)) + " more rows"
}

// Time is a cell that holds a length of time in nanoseconds.
func Time(ns int64) Cell { return Cell{Duration(ns), strconv.FormatInt(ns, 10)} }

// Length is a cell for a length that sampled waits do not have.
func Length(ns int64) Cell {
	if ns == 0 {
		return Cell{"-", ""}
	}
	return Time(ns)
}

// Share is a cell that holds part as a percentage of whole.
func Share(part, whole int64) Cell {
	if whole == 0 {
		return Cell{"-", "0"}
	}
	return Percent(float64(part) / float64(whole))
}

// Percent is a cell that holds a ratio.
func Percent(v float64) Cell {
	return Cell{fmt.Sprintf("%.1f %%", 100*v), strconv.FormatFloat(v, 'f', 6, 64)}
}

// scales are the units of time, largest first. A unit serves from where the
// next smaller one would round up to it: nothing is 1000 ms or 60.0 s long.
var scales = []struct {
	ns, from int64
	unit     string
}{{3600e9, 3597e9, "h"}, {60e9, 59.95e9, "min"}, {1e9, 999.5e6, "s"}, {1e6, 999.5e3, "ms"}, {1e3, 1e3, "µs"}, {1, 1, "ns"}}

// Duration writes nanoseconds with three digits: 12.1 s, 310 ms.
func Duration(ns int64) string {
	if ns < 0 {
		return "-" + Duration(-max(ns, -math.MaxInt64)) // the least integer has no opposite
	}
	for _, s := range scales {
		if ns >= s.from {
			v := float64(ns) / float64(s.ns)
			switch {
			case s.ns == 1 || v >= 99.95:
				return fmt.Sprintf("%.0f %s", v, s.unit)
			case v >= 9.995:
				return fmt.Sprintf("%.1f %s", v, s.unit)
			}
			return fmt.Sprintf("%.2f %s", v, s.unit)
		}
	}
	return "0"
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

// unsafe tells characters that act on a terminal: controls, and those that
// reorder or hide text.
func unsafe(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar || !unicode.IsPrint(r) && r != ' '
}
