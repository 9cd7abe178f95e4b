package format

// Queue holds the events a decoder makes of one record until they are read.
// The zero value is empty.
type Queue struct {
	events []Event
	next   int // of events to be read
}

// Push adds events behind those waiting.
func (q *Queue) Push(events ...Event) { q.events = append(q.events, events...) }

// Pop fills ev with the first event; false when there is none. Once all are
// read their place is used again: the slices of an event are good until the
// next Push.
func (q *Queue) Pop(ev *Event) bool {
	if q.next == len(q.events) {
		q.events, q.next = q.events[:0], 0
		return false
	}
	*ev = q.events[q.next]
	q.next++
	return true
}

// Empty reports whether no event waits.
func (q *Queue) Empty() bool { return q.next == len(q.events) }
