package screen

import (
	"cmp"
	"math"

	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// Options of the screen.
type Options struct {
	Width int  // columns; 0 is DefaultWidth
	Color bool // the terminal shows colours, and its user wants them
	Full  bool // all that is known, in as many lines as it takes
	Top   int  // locks shown at most, and if there are so many, 0 for as many as fit
	Part  bool // of the trace alone was asked for
}

// screen is what the parts of a screen are made of.
type screen struct {
	*document.Analyze
	Options
	words
	waits  []document.RankedItem // that are worth a word
	waitNs int64                 // of all of these
	short  bool                  // only the essential lines
}

// most is how many rows or lines a section has: all, or so many.
func (s *screen) most(usual int) int {
	if s.Full {
		return everything
	}
	return usual
}

// whole returns a name that loses its middle where it is too long, unless all is
// asked for.
func (s *screen) whole(name string, columns int) string {
	if s.Full {
		return name
	}
	return middle(text.Sanitize(name), columns)
}

// say fills lines with a sentence.
func (s *screen) say(first, sentence string) []line {
	return fill(first, s.Width, plain, prose(sentence)...)
}

// list fills a line with as many of some texts as it holds, at least one, or as many lines as
// all of them take where all is asked for.
func (s *screen) list(first string, texts []string) []line {
	least := 1
	if s.Full {
		least = len(texts)
	}
	return asFit(least, len(texts), func(n int) []line { return fill(first, s.Width, plain, listed(texts[:n])...) })
}

// unseenVirtual is how long virtual threads waited at most, in ns, where another
// recording would show some of it.
func (s *screen) unseenVirtual() int64 {
	for _, w := range s.Coverage.Warnings {
		if w.Code == format.CodeVirtualThreads && w.Hint != "" {
			return cmp.Or(w.Hidden, math.MaxInt64)
		}
	}
	return 0
}

// hidesMore reports whether virtual threads may have waited for longer, unseen,
// than all that is seen.
func (s *screen) hidesMore() bool { return s.unseenVirtual() > s.Total.WaitNs }

// doing is the activity of an owner for at least a fifth of the waiting, "" where none is known.
func (s *screen) doing(o *document.LockOwner) string {
	for _, d := range o.Doing {
		if d.What == document.DoingUnknown || below(d.WaitNs, minDoing, o.WaitNs) {
			continue
		}
		what := d.What
		if what == document.DoingWaiting {
			what = "waiting for a condition"
		}
		if d.Class != "" {
			what = "waiting for " + s.names.Class(d.Class)
		}
		if below(d.WaitNs, nearlyAll, o.WaitNs) {
			what = percent(d.WaitNs, o.WaitNs) + " of it " + what
		}
		return what
	}
	return ""
}
