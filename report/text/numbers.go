// Package text writes what all renderings share: lengths of time, counts,
// measures, and names, made safe for terminals and short enough for their
// place. It lays nothing out.
package text

import (
	"fmt"
	"math"
	"strconv"
)

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

// Seconds writes nanoseconds as seconds with three decimals: 0.310 s.
func Seconds(ns int64) string { return fmt.Sprintf("%.3f s", float64(ns)/1e9) }

// Percent writes a ratio: 12.5 %.
func Percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// Number writes a count with a comma between thousands.
func Number(n int64) string {
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

// Amount writes how many there are of something: 1 edge, 2 edges.
func Amount(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + one + "s"
}
