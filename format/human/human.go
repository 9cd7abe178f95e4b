// Package human writes counts and durations for people.
package human

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Some returns a number and the noun it counts, singular or plural.
func Some(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(int64(n)) + " " + many
}

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

// Say formats a sentence for people, with %v for each value: counts and durations have the
// same form everywhere.
func Say(text string, with ...any) string {
	for i, v := range with {
		switch v := v.(type) {
		case int:
			with[i] = Number(int64(v))
		case int64:
			with[i] = Number(v)
		case time.Duration:
			with[i] = Duration(int64(v))
		}
	}
	return fmt.Sprintf(text, with...)
}

// scales are the units of time, largest first. A unit applies from where the next smaller
// one would round up to it: nothing is 1000 ms or 60.0 s long.
var scales = []struct {
	ns, from int64
	unit     string
}{{3600e9, 3597e9, "h"}, {60e9, 59.95e9, "min"}, {1e9, 999.5e6, "s"}, {1e6, 999.5e3, "ms"}, {1e3, 1e3, "µs"},
	{1, 1, "ns"}}

// Duration writes nanoseconds with three digits: 12.1 s, 310 ms.
func Duration(ns int64) string {
	if ns < 0 {
		return "-" + Duration(-max(ns, -math.MaxInt64)) // the smallest integer has no opposite
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
