package cmd

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"time"
)

// showAfter is how long a command may take before it shows progress. redrawAfter is the time
// between two updates, which is short enough to read.
const (
	showAfter   = time.Second
	redrawAfter = 100 * time.Millisecond
)

// bar shows on a terminal how much of an input is read.
type bar struct {
	out    io.Writer
	hidden bool      // progress would appear in the middle of an answer
	next   time.Time // of the next update
	since  time.Time // when reading began
	shown  int       // columns of the current text
	events *atomic.Int64
}

// progress returns a callback that shows on a terminal how much was read, nil without one.
// The numbers are in bytes; total is -1 if not known.
func (e *env) progress() func(read, total int64) {
	if !isTerminal(e.msg) || e.bar.hidden {
		return nil
	}
	e.bar.out, e.bar.since = e.msg, time.Now()
	e.bar.next = e.bar.since.Add(showAfter)
	return e.bar.draw
}

func (b *bar) draw(read, total int64) {
	if now := time.Now(); now.After(b.next) {
		p := position{read: read, total: total, took: now.Sub(b.since)}
		if b.events != nil {
			p.events = b.events.Load()
		}
		b.show(p.String())
	}
}

// work shows in place of the bar that all is read, because the analysis may take as long
// again.
func (b *bar) work() {
	if b.shown > 0 {
		b.show("read; finding the owners")
	}
}

// show replaces the last text.
func (b *bar) show(text string) {
	b.erase()
	fmt.Fprint(b.out, text)
	b.next, b.shown = time.Now().Add(redrawAfter), len([]rune(text))
}

// erase clears the line of the bar, because the answer may go to the same terminal.
func (b *bar) erase() {
	if b.shown > 0 {
		fmt.Fprint(b.out, "\r"+strings.Repeat(" ", b.shown)+"\r")
		b.shown = 0
	}
}

// position is how far reading has come.
type position struct {
	read, total int64 // bytes; a total of -1 is not known
	events      int64
	took        time.Duration
}

// barCells is how many columns a full bar takes: its line fits in 80.
const barCells = 20

func (p position) String() string {
	events := ""
	if p.events > 0 {
		events = fmt.Sprintf(", %.1f M events", float64(p.events)/1e6)
	}
	if p.total <= 0 {
		return "reading, " + megabytes(p.read) + " MB so far" + events
	}
	done := float64(min(p.read, p.total)) / float64(p.total)
	full := int(done * barCells)
	return fmt.Sprintf(
		"reading %3.0f%% |%s%s| %s of %s MB%s%s",
		100*done,
		strings.Repeat("█", full),
		strings.Repeat(" ", barCells-full),
		megabytes(p.read),
		megabytes(p.total),
		events,
		p.left(done),
	)
}

// left estimates the remaining time from the time so far.
func (p position) left(done float64) string {
	if done <= 0 || done >= 1 || p.took <= 0 {
		return ""
	}
	rest := float64(p.took) * (1 - done) / done
	return fmt.Sprintf(", %v left", time.Duration(math.Ceil(rest/1e9)*1e9))
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f", float64(n)/1e6) }
