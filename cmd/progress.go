package cmd

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// showAfter is how long a command may take before it shows progress, and
// redrawAfter how long a bar stays as it is: more often nobody can read.
const (
	showAfter   = time.Second
	redrawAfter = 100 * time.Millisecond
)

// bar shows on a terminal how much of an input is read.
type bar struct {
	out    io.Writer
	hidden bool      // what is drawn would stand in the midst of an answer
	next   time.Time // before which nothing is drawn
	shown  int       // columns of what stands there now
}

// progress returns a callback that draws a bar on a terminal, nil where
// nobody would see it. What was read of how much are bytes; a total of -1 is
// not known.
func (e *env) progress() func(read, total int64) {
	if !isTerminal(e.msg) || e.bar.hidden {
		return nil
	}
	e.bar.out, e.bar.next = e.msg, time.Now().Add(showAfter)
	return e.bar.draw
}

func (b *bar) draw(read, total int64) {
	if time.Now().After(b.next) {
		b.show(barText(read, total))
	}
}

// show writes a text in place of the last one.
func (b *bar) show(text string) {
	b.erase()
	fmt.Fprint(b.out, text)
	b.next, b.shown = time.Now().Add(redrawAfter), len([]rune(text))
}

// erase leaves the line as if no bar had been there: the answer may follow on
// the same terminal.
func (b *bar) erase() {
	if b.shown > 0 {
		fmt.Fprint(b.out, "\r"+strings.Repeat(" ", b.shown)+"\r")
		b.shown = 0
	}
}

// barCells is how many columns a full bar takes: its line fits in 60.
const barCells = 30

func barText(read, total int64) string {
	if total <= 0 {
		return "reading, " + megabytes(read) + " MB so far"
	}
	done := float64(min(read, total)) / float64(total)
	full := int(done * barCells)
	return fmt.Sprintf("reading %3.0f%% |%s%s| %s of %s MB", 100*done, strings.Repeat("█", full), strings.Repeat(" ", barCells-full), megabytes(read), megabytes(total))
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f", float64(n)/1e6) }
