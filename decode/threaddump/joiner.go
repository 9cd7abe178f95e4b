package threaddump

import "strings"

// nameJoiner puts the first line of a thread together. A thread may have line
// breaks in its name, which text dumps print as they are: then its first line is
// several, and what follows would be taken for the thread's before.
type nameJoiner struct {
	parser
	opens func(line string) bool // a thread begins here; its name may not end there
	lines []string               // of a name that is not whole
}

// maxNameLines is how many lines the name of a thread may have.
const maxNameLines = 16

func (j *nameJoiner) line(text string) bool {
	whole, done := j.add(text, j.opens(text))
	return !done || j.parser.line(whole)
}

// add takes a line; done is false while more of the name is to come. A line
// that cannot belong to a name stands for itself.
func (j *nameJoiner) add(line string, opens bool) (whole string, done bool) {
	if opens && strings.Count(line, `"`) == 1 {
		j.lines = append(j.lines[:0], line)
		return "", false
	}
	if opens || len(j.lines) == 0 || len(j.lines) == maxNameLines || line != "" && (line[0] == ' ' || line[0] == '\t') {
		j.lines = j.lines[:0]
		return line, true
	}
	j.lines = append(j.lines, line)
	if !strings.Contains(line, `"`) {
		return "", false
	}
	whole = strings.Join(j.lines, "\n")
	j.lines = j.lines[:0]
	return whole, true
}
