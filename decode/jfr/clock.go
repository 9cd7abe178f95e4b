package jfr

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"contend/format"
)

// clock is the evidence for a chunk's header in its checkpoints. A JDK writes a copy of
// the header with each flush, and once more at the end.
type clock struct {
	latest int64 // ticks when the last checkpoint was begun
	copy   header
	known  bool // there is a copy
}

// holdsHeader marks the kinds of checkpoints with a copy of the header.
const holdsHeader = 2

// sawCheckpoint notes when a checkpoint was begun.
func (c *clock) sawCheckpoint(ticks int64) { c.latest = max(c.latest, ticks) }

// copied notes the copy that the body of a checkpoint holds.
func (c *clock) copied(body []byte) {
	at := bytes.Index(body, []byte(magic))
	if at < 0 || len(body)-at < headerSize {
		return
	}
	c.copy, c.known = parseHeader(body[at:]), true
}

// fastest and slowest bound the ticks per second of a clock.
const (
	slowest = 1e3
	fastest = 1e11
)

// check compares a header with the rest of the chunk. It returns the fault, "" for none. A
// wrong clock is replaced by the copy's clock if that one fits.
func (c *clock) check(h *header, cutOff bool) (why string) {
	theirs, ours := c.copy, *h
	differs := c.known &&
		(theirs.startNanos != ours.startNanos || theirs.startTicks != ours.startTicks ||
			theirs.ticksPerSecond != ours.ticksPerSecond || theirs.major != ours.major || theirs.minor != ours.minor)
	fits := c.fits(h, cutOff)
	if !fits && differs && c.fits(&theirs, cutOff) {
		h.startNanos = theirs.startNanos
		h.startTicks = theirs.startTicks
		h.ticksPerSecond = theirs.ticksPerSecond
	}
	switch {
	case differs:
		return "chunk header: its copy in the chunk says another time or clock: " + format.ErrCorrupt.Error()
	case c.known && theirs.size == ours.size && theirs.durationNanos != ours.durationNanos:
		return "chunk header: its copy in the chunk says another duration: " + format.ErrCorrupt.Error()
	case !fits:
		return fmt.Sprintf(
			"chunk header: a clock of %d Hz does not fit the times of the chunk: %v",
			ours.ticksPerSecond,
			format.ErrCorrupt,
		)
	}
	return ""
}

// fits reports whether the clock of a header is plausible, and the checkpoints were written
// during the chunk. The clocks of virtual machines may be wrong by half. A chunk that is cut off has only the
// first checkpoints.
func (c *clock) fits(h *header, cutOff bool) bool {
	const slack, wrong = 1e9, 4
	took := h.nanos(minus(c.latest, h.startTicks))
	switch {
	case h.ticksPerSecond < slowest || h.ticksPerSecond > fastest:
		return false
	case c.latest == 0 || c.latest == h.startTicks || h.durationNanos <= 0: // other recorders have no such time
		return true
	}
	return took >= 0 && took/wrong <= h.durationNanos+slack && (cutOff || h.durationNanos/wrong <= took+slack)
}

var units = map[string]int64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9}

// nanoseconds reads a setting such as "20 ms", or "20ms" as programs set it; 0
// if it is none.
func nanoseconds(s string) int64 {
	unit := strings.TrimLeft(s, "0123456789")
	return format.Times(number(s[:len(s)-len(unit)]), units[strings.TrimSpace(unit)])
}

// timespans are the units jdk.jfr.Timespan may give a field, in nanoseconds;
// ticks are of the recording's clock.
var timespans = map[string]int64{"TICKS": 0, "NANOSECONDS": 1, "MICROSECONDS": 1e3, "MILLISECONDS": 1e6, "SECONDS": 1e9}

// timespan converts a field's value to nanoseconds, the unit if the metadata names none.
// The same field has other units in other versions: JDK 17 counts sleeps in milliseconds.
func (s *resolver) timespan(v int64, unit string) int64 {
	if unit == "TICKS" {
		return s.chunk.head.nanos(v)
	}
	return format.Times(max(v, 0), timespans[cmp.Or(unit, "NANOSECONDS")])
}
