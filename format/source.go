package format

import (
	"io"
	"slices"
)

// Source yields the events of one trace. Read fills ev and returns nil, or returns io.EOF
// after the last event, or a *Error, which it then repeats. Events delivered before an
// error are valid. Metadata comes before its first use. Events of samples (KindContention
// with a weight, KindTick) come in order of time, others in any order.
type Source interface {
	Read(ev *Event) error
}

// Sink takes events one at a time; it keeps no reference to the event.
type Sink interface {
	Write(ev *Event) error
}

// Stats describes what a Source has read so far.
type Stats struct {
	Format        string // "jfr 2.1", "contend 1", "thread dump", ...
	Unit          Unit
	Events        int64 // events seen in the input, wanted or not
	BytesRead     int64 // bytes of input used
	BytesTotal    int64 // bytes of input seen, damaged ones included; -1 when not known yet
	Warnings      []Warning
	Damage        DamageLog // where the input is damaged; empty when it is whole
	DeadlockDumps int       // thread dumps that would show a deadlock if there were one
	Blind         string    // why a deadlock might not show; "" if that follows from the events
}

// OfAsyncProfiler ends the Format of recordings by async-profiler, whose settings differ
// from the JDK's.
const OfAsyncProfiler = ", async-profiler"

// Warning is a reason to doubt a result: a stable code for machines, a text for people.
type Warning struct {
	Code string // lost-data, truncated, threshold, clock, unlinked, ...
	Text string
	Hint string // another recording that would leave no such doubt
	// upper bound of the waiting that is missing for this reason, in ns; 0 if there is none
	Hidden int64
	Events []string // the recorder's events that it is about, if not all
}

// String returns the text, and the hint.
func (w Warning) String() string {
	if w.Hint == "" {
		return w.Text
	}
	return w.Text + "; " + w.Hint
}

// Equal reports whether two warnings say the same.
func (w Warning) Equal(o Warning) bool {
	return w.Code == o.Code && w.Hidden == o.Hidden && w.String() == o.String()
}

// FindWarning returns the first warning that has one of some codes, in order of these.
func FindWarning(list []Warning, codes ...string) (first Warning, ok bool) {
	for _, code := range codes {
		if i := slices.IndexFunc(list, func(w Warning) bool { return w.Code == code }); i >= 0 {
			return list[i], true
		}
	}
	return Warning{}, false
}

// Unit is the unit of the weights of a trace. Some sources count events and measure no time;
// a count is then one nanosecond of the trace.
type Unit string

// The units.
const (
	UnitTime         Unit = ""             // nanoseconds
	UnitThreads      Unit = "threads"      // threads seen waiting
	UnitAcquisitions Unit = "acquisitions" // acquisitions of locks that were not free
	UnitDelays       Unit = "delays"       // nanoseconds of waiting without known instants
)

// Summed reports whether the weights of a trace are sums without instants, from which no
// share of the time follows.
func (u Unit) Summed() bool { return u == UnitAcquisitions || u == UnitDelays }

// Queue holds the events that a decoder makes from one record until they are read. The zero
// value is empty.
type Queue struct {
	events []Event
	next   int // index of the next event to read
}

// Push appends events.
func (q *Queue) Push(events ...Event) { q.events = append(q.events, events...) }

// Pop fills ev with the first event; false if there is none. When all are read, their
// memory is reused: the slices of an event are valid until the next Push.
func (q *Queue) Pop(ev *Event) bool {
	if q.next == len(q.events) {
		q.events, q.next = q.events[:0], 0
		return false
	}
	*ev = q.events[q.next]
	q.next++
	return true
}

// Empty reports whether there is no event.
func (q *Queue) Empty() bool { return q.next == len(q.events) }

// Output is the output of a decoder: events to be read, warnings and damage.
type Output struct {
	Queue
	Said  Stats // warnings and damage
	Ended error // after the queued events: io.EOF, or the error of the input; nil before
}

// Next fills ev with the next event. If there is none it calls step, which queues events or
// ends the output.
func (o *Output) Next(ev *Event, step func()) error {
	for !o.Pop(ev) {
		if o.Ended != nil {
			return o.Ended
		}
		step()
	}
	return nil
}

// Close implements io.Closer: the input belongs to the caller.
func (o *Output) Close() error { return nil }

// List is a trace in memory. As a Sink it keeps copies of events, and as a Source it yields
// them.
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
