package threaddump

import "strings"

// A thread may have line breaks in its name, which text dumps print as they
// are: then its first line is several, and what follows would be taken for
// the thread's before.

// maxHeader is how many lines the name of a thread may have.
const maxHeader = 16

// header puts the first lines of a thread together. opens tells that a line
// begins one: its name may not end there.
type header struct {
	lines []string
}

// add takes a line; done is false while more of the name is to come. A line
// that cannot belong to a name stands for itself.
func (h *header) add(line string, opens bool) (whole string, done bool) {
	if opens && strings.Count(line, `"`) == 1 {
		h.lines = append(h.lines[:0], line)
		return "", false
	}
	if len(h.lines) == 0 || opens {
		h.lines = h.lines[:0]
		return line, true
	}
	if len(h.lines) == maxHeader || line != "" && (line[0] == ' ' || line[0] == '\t') {
		h.lines = h.lines[:0]
		return line, true
	}
	h.lines = append(h.lines, line)
	if !strings.Contains(line, `"`) {
		return "", false
	}
	whole = strings.Join(h.lines, "\n")
	h.lines = h.lines[:0]
	return whole, true
}
