package jfr

import (
	"bytes"
	"fmt"

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

// note notes when a checkpoint was begun.
func (c *clock) note(ticks int64) { c.latest = max(c.latest, ticks) }

// copied notes the copy that the body of a checkpoint holds.
func (c *clock) copied(body []byte) {
	at := bytes.Index(body, []byte(magic))
	if at < 0 || len(body)-at < headerSize {
		return
	}
	c.copy, c.known = parseHeader(body[at:]), true
}

// fastest is the most ticks a second of a clock, and slowest the fewest.
const (
	slowest = 1e3
	fastest = 1e11
)

// check holds a header to what the chunk says besides. It returns what is wrong,
// "" for nothing. A clock that does not fit is replaced by that of the copy, if it does.
func (c *clock) check(h *header) (why string) {
	theirs, ours := c.copy, *h
	differs := c.known && (theirs.startNanos != ours.startNanos || theirs.startTicks != ours.startTicks || theirs.ticksPerSecond != ours.ticksPerSecond || theirs.major != ours.major || theirs.minor != ours.minor)
	fits := c.fits(h)
	if !fits && differs && c.fits(&theirs) {
		h.startNanos, h.startTicks, h.ticksPerSecond = theirs.startNanos, theirs.startTicks, theirs.ticksPerSecond
	}
	switch {
	case differs:
		return "chunk header: its copy in the chunk says another time or clock: " + format.ErrCorrupt.Error()
	case c.known && theirs.size == ours.size && theirs.durationNanos != ours.durationNanos:
		return "chunk header: its copy in the chunk says another duration: " + format.ErrCorrupt.Error()
	case !fits:
		return fmt.Sprintf("chunk header: a clock of %d Hz does not fit the times of the chunk: %v", ours.ticksPerSecond, format.ErrCorrupt)
	}
	return ""
}

// fits reports whether the clock of a header runs, and the checkpoints were written
// while the chunk was. The clocks of virtual machines may be wrong by half, and say so.
func (c *clock) fits(h *header) bool {
	const slack, wrong = 1e9, 4
	took := h.nanos(minus(c.latest, h.startTicks))
	switch {
	case h.ticksPerSecond < slowest || h.ticksPerSecond > fastest:
		return false
	case c.latest == 0 || c.latest == h.startTicks || h.durationNanos <= 0: // other recorders do not say
		return true
	}
	return took >= 0 && took/wrong <= h.durationNanos+slack && h.durationNanos/wrong <= took+slack
}
