package findings

import (
	"fmt"
	"strconv"
	"time"
)

// percent returns a part of a whole, in words of at most one digit behind the
// point.
func percent(part, whole int64) string {
	p := 100 * share(part, whole)
	if p >= 10 || p == 0 {
		return fmt.Sprintf("%.0f %%", p)
	}
	return fmt.Sprintf("%.1f %%", p)
}

// duration returns some ns with three digits, as tables print them.
func duration(ns int64) string {
	unit, name := time.Second, "s"
	for _, u := range [...]struct {
		unit time.Duration
		name string
	}{{time.Millisecond, "ms"}, {time.Microsecond, "µs"}, {time.Nanosecond, "ns"}} {
		if time.Duration(ns) < unit {
			unit, name = u.unit, u.name
		}
	}
	v := float64(ns) / float64(unit)
	digits := 2
	for w := v; w >= 10 && digits > 0; w /= 10 {
		digits--
	}
	if unit == time.Nanosecond {
		digits = 0
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " " + name
}
