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
	Full  bool // print everything, in any number of lines
	Top   int  // the number of locks; 0 for as many as fit
	Part  bool // flags select a part of the trace

	OwnerStacks *document.Blame // by owner's stack and class of lock, for Full; nil leaves them out
}

// screen is the input of all parts of a screen.
type screen struct {
	doc  *document.Analyze
	opts Options
	words
	waits  []document.Awaited // large enough to be shown
	waitNs int64              // of all of these
	short  bool               // only the essential lines

	topLock int // the index of the lock with most waiting; negative if nobody waits for locks
}

// largest is the index of the lock or place with most waiting, which is one of the first: only a lock comes
// before it.
func (s *screen) largest() int {
	if len(s.waits) > 1 && s.waits[1].WaitNs > s.waits[0].WaitNs {
		return 1
	}
	return 0
}

// most returns the limit of rows or lines: none with --full.
func (s *screen) most(usual int) int {
	if s.opts.Full {
		return everything
	}
	return usual
}

// whole returns a name; without --full, a name that is too long loses its middle.
func (s *screen) whole(name string, columns int) string {
	if s.opts.Full {
		return name
	}
	return middle(text.Sanitize(name), columns)
}

// fill fills lines of the screen's width, see the function fill.
func (s *screen) fill(first string, how style, parts ...string) []line {
	return fill(first, s.opts.Width, how, parts...)
}

// say fills lines with a sentence.
func (s *screen) say(first, sentence string) []line {
	return s.fill(first, plain, prose(sentence)...)
}

// list fills a line with as many texts as fit, at least one; with --full it writes all of them.
func (s *screen) list(first string, texts []string) []line {
	least := 1
	if s.opts.Full {
		least = len(texts)
	}
	return asFit(least, len(texts), func(n int) []line { return s.fill(first, plain, listed(texts[:n])...) })
}

// unseenVirtual returns an upper bound in ns of the unrecorded waiting of virtual threads, if another
// recording would show a part of it.
func (s *screen) unseenVirtual() int64 {
	for _, w := range s.doc.Coverage.Warnings {
		if w.Code == format.CodeVirtualThreads && w.Hint != "" {
			return cmp.Or(w.Hidden, math.MaxInt64)
		}
	}
	return 0
}

// hidesMore reports whether the unrecorded waiting of virtual threads may exceed the recorded one.
func (s *screen) hidesMore() bool { return s.unseenVirtual() > s.doc.Total.WaitNs }

// doing returns the activity of an owner during at least a fifth of the waiting, "" if none is known.
func (s *screen) doing(o *document.Owner) string {
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
