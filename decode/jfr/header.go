package jfr

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"contend/format"
)

// header is the fixed part at the head of a chunk, big endian.
type header struct {
	major, minor   uint16
	size           int64
	constants      int64 // offset of the last checkpoint
	metadata       int64 // offset of the metadata event
	startNanos     int64 // since the epoch
	durationNanos  int64
	startTicks     int64
	ticksPerSecond int64
	features       uint32
	flushes        byte // since JFR 2.1: of a chunk that is not finished; 0 if it is
}

const (
	magic       = "FLR\x00"
	headerSize  = 68
	compressed  = 1             // feature: integers are variable-length
	maxChunk    = math.MaxInt32 // a chunk is held in memory; the JDK's are 12 MB
	checkpoints = 1 << 20       // most checkpoints followed in one chunk
)

// The types every chunk has.
const (
	typeMetadata   = 0
	typeCheckpoint = 1
)

func parseHeader(b []byte) header {
	long := func(at int) int64 { return int64(binary.BigEndian.Uint64(b[at:])) }
	return header{
		major:          binary.BigEndian.Uint16(b[4:]),
		minor:          binary.BigEndian.Uint16(b[6:]),
		size:           long(8),
		constants:      long(16),
		metadata:       long(24),
		startNanos:     long(32),
		durationNanos:  long(40),
		startTicks:     long(48),
		ticksPerSecond: long(56),
		features:       binary.BigEndian.Uint32(b[64:]),
		flushes:        b[64],
	}
}

// unfinished reports whether the recorder never finished the chunk: its program was killed, or ran on.
func (h *header) unfinished() bool { return h.size < headerSize || h.minor > 0 && h.flushes != 0 }

// check reports whether the chunk can be read at all.
func (h *header) check() (hint string, err error) {
	switch {
	case h.major == 0:
		hint = "recordings of JDK 7 and 8 by Oracle have another format; record with JDK 8u262, 11 or later"
		return hint, fmt.Errorf("JFR %d.%d: %w", h.major, h.minor, format.ErrVersion)
	case h.major > 2:
		return "", fmt.Errorf("JFR %d.%d: %w", h.major, h.minor, format.ErrVersion)
	case h.ticksPerSecond <= 0:
		return "", fmt.Errorf("clock of %d Hz: %w", h.ticksPerSecond, format.ErrCorrupt)
	}
	return "", nil
}

// nanos converts a number of ticks; 128 bits wide, rounded towards zero.
func (h *header) nanos(ticks int64) int64 {
	if h.ticksPerSecond == 1e9 {
		return ticks
	}
	if ticks < 0 {
		return -h.nanos(max(-ticks, 0)) // the smallest integer has no negative
	}
	hi, lo := bits.Mul64(uint64(ticks), 1e9)
	if hi >= uint64(h.ticksPerSecond) {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(hi, lo, uint64(h.ticksPerSecond))
	return int64(min(q, 1<<63-1))
}

// timeOf converts an instant in ticks.
func (h *header) timeOf(ticks int64) int64 { return h.startNanos + h.nanos(ticks-h.startTicks) }

// end is when the chunk ends.
func (h *header) end() int64 { return plus(h.startNanos, max(h.durationNanos, 0)) }

// plus adds a duration to an instant; the last instant there is when it is
// out of range, so that nothing ends before it begins.
func plus(at, d int64) int64 {
	if at > math.MaxInt64-d {
		return math.MaxInt64
	}
	return at + d
}

// minus subtracts a duration from an instant; an overflow becomes the earliest instant.
func minus(at, d int64) int64 {
	if at < math.MinInt64+d {
		return math.MinInt64
	}
	return at - d
}

func (h *header) plausible() bool {
	return h.major >= 1 && h.major <= 2 && h.minor < 64 && h.ticksPerSecond > 0 && h.ticksPerSecond <= 1e12 &&
		h.startNanos > 0 &&
		h.size >= 0 &&
		h.metadata >= 0
}

// copies reports whether h, found at an offset inside the chunk of another header, is a copy
// of that header at a flush: then the chunk ended just after it.
func (h *header) copies(chunk *header, at int64) bool {
	return at > 0 && h.size == at+headerSize && h.startNanos == chunk.startNanos && h.startTicks == chunk.startTicks
}
