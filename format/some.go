package format

import "strconv"

// Some writes a number and what it counts, in the words for one or for many:
// warnings are read by people.
func Some(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
