package format

import (
	"io"
	"slices"
)

// List is a trace held in memory: a Sink that keeps copies of what is
// written, and a Source that yields them again.
type List struct {
	Events []Event
	next   int
}

// Write keeps a copy of ev. It never fails.
func (l *List) Write(ev *Event) error {
	kept := *ev
	kept.Frames = slices.Clone(ev.Frames)
	kept.Owners = slices.Clone(ev.Owners)
	kept.Waiters = slices.Clone(ev.Waiters)
	l.Events = append(l.Events, kept)
	return nil
}

// Read yields the next event, io.EOF after the last.
func (l *List) Read(ev *Event) error {
	if l.next >= len(l.Events) {
		return io.EOF
	}
	*ev = l.Events[l.next]
	l.next++
	return nil
}

// Rewind makes Read begin again.
func (l *List) Rewind() { l.next = 0 }
