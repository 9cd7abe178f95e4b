package findings

import "fmt"

// percent returns a part of a whole, in words of at most one digit behind the
// point.
func percent(part, whole int64) string {
	p := 100 * share(part, whole)
	if p >= 10 || p == 0 {
		return fmt.Sprintf("%.0f %%", p)
	}
	return fmt.Sprintf("%.1f %%", p)
}
