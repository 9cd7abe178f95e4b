// Package screen writes the answer that people read first: how many threads
// wait, what is wrong, and for each of the top locks who holds it and who waits,
// in 25 lines that are whole at 80 columns. Tables, and all numbers, are the
// business of package table.
//
// Its files, each of which uses only what comes after it:
//
//	screen.go    what is shown, and how it is made to fit
//	head.go      what was read, and how much waiting there was
//	finding.go   findings and deadlocks
//	block.go     one lock: who holds it, who waits
//	tail.go      what was not counted, how sure it is, what to run next
//	resources.go what else is waited for, and how much
//	advice.go    what to do where no finding says so
//	stacks.go    whole stacks, for who asks for all
//	parts.go     what all parts of a screen are made of
//	group.go     locks that a reader takes for one
//	words.go     what things are called, and what sort of program it is
//	lines.go     lines of so many columns
package screen

import (
	"bufio"
	"io"
	"slices"
)

// MaxLines is how long a screen is at most when it is as wide as DefaultWidth,
// unless all is asked for.
const MaxLines = 25

// details go from all that a reader wants to what fits in any case. What the
// locks below the first show goes before findings do, and those before the notes.
var details = []detail{
	{3, 3, 3, 2, 3, 3}, {3, 3, 2, 2, 2, 3}, {3, 3, 2, 1, 2, 3}, {3, 3, 2, 0, 2, 3}, {3, 3, 1, 0, 2, 3}, {3, 3, 1, 0, 1, 3}, {3, 2, 2, 1, 1, 3}, {3, 2, 2, 0, 1, 3},
	{3, 2, 1, 0, 1, 3}, {2, 2, 1, 0, 1, 2}, {3, 1, 2, 0, 1, 2}, {2, 1, 2, 0, 1, 2}, {2, 1, 1, 0, 1, 2}, {1, 1, 1, 0, 1, 1}, {1, 1, 1, 0, 0, 1},
	{1, 1, 1, 0, 1, 0},
}

// whole is all.
var whole = detail{1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20}

// Write writes the screen.
func Write(w io.Writer, a Answer, o Options) error {
	if o.Width <= 0 {
		o.Width = DefaultWidth
	}
	s := &screen{Answer: a, Options: o, words: wordsOf(a.Analyze), groups: groupsOf(a.Locks, a.Rest)}
	lines := s.asked()
	out := bufio.NewWriter(w)
	for _, l := range lines {
		out.WriteString(l.string(o.Color))
		out.WriteByte('\n')
	}
	return out.Flush()
}

// asked returns the lines of the richest detail that fits, or of as many locks as were asked
// for if these are more.
func (s *screen) asked() []line {
	lines := s.fitting()
	if s.Full || min(s.Top, len(s.groups)) <= s.detail.locks {
		return lines
	}
	s.detail, s.nameRest = details[0], unnamed
	s.detail.locks = s.Top
	return s.withRest(s.all())
}

// fitting returns the lines of the richest detail that fits.
func (s *screen) fitting() (lines []line) {
	all := details
	if s.Full {
		all = []detail{whole}
	}
	for _, d := range all {
		if d.resources == 0 && s.elsewhere() > 0 {
			continue // the head speaks of them
		}
		s.detail = s.atMost(d)
		if lines = s.all(); s.Full || len(lines) <= MaxLines {
			return s.withRest(lines)
		}
	}
	return lines
}

// atMost is a detail with no more rows than were asked for.
func (s *screen) atMost(d detail) detail {
	if s.Top > 0 && (s.Full || s.Top < d.locks) {
		d.locks = s.Top
	}
	if s.Top > 0 && s.Full {
		d.resources = s.Top
	}
	return d
}

// withRest adds what takes no line that is not free: the pressure, and the biggest of
// the locks that are not shown.
func (s *screen) withRest(lines []line) []line {
	for _, s.nameRest = range []restNames{ownLine, sameLine} {
		if named := s.all(); s.Full || len(named) <= max(len(lines), MaxLines) {
			return named
		}
	}
	return lines
}

// all returns the sections, with an empty line between two.
func (s *screen) all() (lines []line) {
	sections := [][]line{s.head(), s.findings(), s.locks(), s.resources(), s.tail()}
	if s.elsewhere() > 0 && len(s.Findings) == 0 {
		sections[2], sections[3] = sections[3], sections[2] // what most wait for comes first
	}
	if s.Full {
		sections = slices.Insert(sections, 4, s.stacks())
	}
	for _, section := range sections {
		if len(lines) > 0 && len(section) > 0 {
			lines = append(lines, line{})
		}
		lines = append(lines, section...)
	}
	return lines
}
