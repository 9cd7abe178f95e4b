// Package screen writes the answer that people read first: how many threads wait, what is
// wrong, and for each of the top locks its owners and waiters, in 25 lines that are whole
// at 80 columns. Package table writes tables and all numbers.
//
// Its files, each of which uses only what comes after it:
//
//	screen.go    what is shown, and how it is made to fit
//	head.go      what was read, and how much waiting there was
//	finding.go   findings and deadlocks
//	tail.go      what was not counted, how sure it is, what to run next
//	resources.go waits for other things than locks
//	block.go     one thing that threads wait for, with its owners and waiters
//	advice.go    what to do where no finding says so
//	stacks.go    whole stacks, for --full
//	why.go       one wait: its lanes and its suspects
//	parts.go     what all parts of a screen have in common
//	words.go     names of owners and units, numbers, and the words for them
//	lines.go     lines of so many columns
package screen

import (
	"bufio"
	"io"
	"slices"

	"contend/report/document"
)

// Write writes the screen.
func Write(w io.Writer, a *document.Analyze, o Options) error {
	if o.Width <= 0 {
		o.Width = DefaultWidth
	}
	s := &screen{Analyze: a, Options: o, words: wordsOf(a), waits: a.Waits()}
	s.waits = slices.DeleteFunc(s.waits, func(w document.Wait) bool {
		return w.Of != nil && !s.Full && !s.counts && float64(w.WaitNs) < worthwhile*float64(s.ElapsedNs)
	})
	for i := range s.waits {
		s.waitNs += s.waits[i].WaitNs
	}
	lines := s.all()
	out := bufio.NewWriter(w)
	for _, l := range lines {
		out.WriteString(l.string(o.Color))
		out.WriteByte('\n')
	}
	return out.Flush()
}

// all returns the sections, those of a short screen where they are too long.
func (s *screen) all() []line {
	lines := s.sections()
	if s.short = !s.Full && s.Top <= 1 && len(lines) > MaxLines; s.short {
		return s.sections()
	}
	return lines
}

// sections returns all of them, with an empty line between two.
func (s *screen) sections() (lines []line) {
	head, tail := s.head(), s.tail()
	room := MaxLines - len(head) - len(tail) - 2
	if s.Full {
		room = everything
	}
	sections := [][]line{head, nil, nil, s.unranked(), s.stacks(), tail}
	if s.leads() { // findings are about locks: they come later
		sections[1] = s.ranked(room - leastFindings)
		sections[2] = s.findings(room - len(sections[1]) - 1)
	} else {
		sections[1] = s.findings(room - len(s.ranked(0)) - 1)
		sections[2] = s.ranked(room - len(sections[1]) - 1)
	}
	for _, section := range sections {
		if len(lines) > 0 && len(section) > 0 {
			lines = append(lines, line{})
		}
		lines = append(lines, section...)
	}
	return lines
}
