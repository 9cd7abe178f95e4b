package jfr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

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
		major: binary.BigEndian.Uint16(b[4:]), minor: binary.BigEndian.Uint16(b[6:]),
		size: long(8), constants: long(16), metadata: long(24),
		startNanos: long(32), durationNanos: long(40), startTicks: long(48), ticksPerSecond: long(56),
		features: binary.BigEndian.Uint32(b[64:]),
	}
}

// check reports whether the chunk can be read at all.
func (h *header) check() (hint string, err error) {
	switch {
	case h.major == 0:
		return "recordings of JDK 7 and 8 by Oracle are of another format; record with JDK 8u262, 11 or later", fmt.Errorf("JFR %d.%d: %w", h.major, h.minor, format.ErrVersion)
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
		return -h.nanos(max(-ticks, 0)) // the least integer has no negative
	}
	hi, lo := bits.Mul64(uint64(ticks), 1e9)
	if hi >= uint64(h.ticksPerSecond) {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(hi, lo, uint64(h.ticksPerSecond))
	return int64(min(q, 1<<63-1))
}

// at converts an instant in ticks.
func (h *header) at(ticks int64) int64 { return h.startNanos + h.nanos(ticks-h.startTicks) }

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

// nextChunk reads the next chunk into r.buf and finds its metadata and
// constants. It returns io.EOF when there is none.
func (r *Reader) nextChunk() error {
	r.advance()
	r.off = 0
	if err := r.fill(headerSize); err != nil {
		return r.endOfInput(err)
	}
	if string(r.buf[:4]) != magic {
		r.resync(0, "chunk")
		return nil
	}
	last := r.head
	r.chunkAt = r.base
	r.head = parseHeader(r.buf)
	hint, err := r.head.check()
	if err != nil {
		return &format.Error{Pos: r.pos(0), What: "chunk header", Err: err, Hint: hint}
	}
	if r.skip[r.head.key()] {
		r.off = len(r.buf)
		err := r.fill(int(r.head.size))
		r.off, r.head = len(r.buf), last
		return err
	}
	if !r.head.sameTypes(&last) {
		r.meta = nil
	}
	r.off = headerSize
	r.unfinished = r.head.size < headerSize
	want := r.head.size
	if r.unfinished || want > maxChunk {
		want = maxChunk
	}
	if r.fill(int(want)) != nil { // an error other than the end comes up at the next chunk
		if !r.unfinished {
			r.endsEarly(len(r.buf))
		}
		r.unfinished = true
	}
	r.prepare()
	r.checkJVM(&last)
	return nil
}

// endOfInput tells a clean end from a cut header.
func (r *Reader) endOfInput(err error) error {
	if errors.Is(err, io.EOF) && len(r.buf) == 0 {
		return io.EOF
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	if r.chunks == 0 {
		return &format.Error{Pos: r.pos(len(r.buf)), What: "chunk header", Err: format.ErrTruncated, Hint: "the file holds no complete recording; copy or dump it again"}
	}
	r.lost(len(r.buf), "truncated", "chunk header: input ends early")
	return io.EOF
}

// prepare reads the chunk's metadata and constants before its events.
func (r *Reader) prepare() {
	r.chunks++
	r.newConstants()
	found, whole := r.marks[:0], false
	if !r.unfinished {
		found, whole = r.chain(found)
	}
	if !whole {
		r.endAtNextHeader()
		found = r.scan(found)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if end, _ := slices.BinarySearch(found, len(r.buf)); end < len(found) { // the chunk was shortened
		found = found[:end]
	}
	r.marks, r.limit = found, 0
	if r.meta == nil {
		r.lost(len(r.buf)-r.off, "lost-data", "chunk has no readable metadata")
		r.off = len(r.buf)
		return
	}
	for _, at := range found {
		c := r.cursor(at)
		c.buf = c.buf[:at+int(c.integer("size", 4))] // isEvent and scan held it to be inside
		c.long("type")
		r.meta.checkpoint(&c, r.pools)
	}
}

// chain follows the checkpoints backwards from the header, and reads the
// metadata; false when either is not where the header says. No two may
// overlap: a chunk of nothing but checkpoints in each other would take the
// square of its size to read.
func (r *Reader) chain(found []int) ([]int, bool) {
	if !r.isEvent(r.head.metadata, typeMetadata) || !r.readMetadata(int(r.head.metadata)) {
		return found, false
	}
	end := int64(len(r.buf))
	for at := r.head.constants; len(found) < checkpoints; {
		if !r.isEvent(at, typeCheckpoint) {
			return found, false
		}
		found = append(found, int(at))
		c := r.cursor(int(at))
		if at+c.integer("size", 4) > end {
			return found, false
		}
		for _, what := range [...]string{"type", "start", "duration"} {
			c.long(what)
		}
		delta := c.long("delta")
		if c.err != nil || delta > 0 {
			return found, false
		}
		if delta == 0 {
			return found, true
		}
		end = at
		at += delta
	}
	return found, false
}

// scan finds checkpoints and metadata by walking over the events, as far as
// they can be stepped over.
func (r *Reader) scan(found []int) []int {
	for at := headerSize; at < len(r.buf); {
		c := r.cursor(at)
		size := c.integer("event size", 4)
		kind := c.long("event type")
		if c.err != nil || size <= 0 || size > int64(len(r.buf)-at) {
			break
		}
		switch kind {
		case typeMetadata:
			if size > 1 {
				r.readMetadata(at)
			}
		case typeCheckpoint:
			found = append(found, at)
		}
		at += int(size)
	}
	return found
}

func (r *Reader) isEvent(at int64, kind int64) bool {
	if at < headerSize || at >= int64(len(r.buf)) {
		return false
	}
	c := r.cursor(int(at))
	size := c.integer("size", 4)
	return c.long("type") == kind && c.err == nil && size > 0 && size <= int64(len(r.buf))-at
}

// maxMetadata bounds the metadata remembered between chunks. Those of one
// process all have the same.
const maxMetadata = 16

func (r *Reader) readMetadata(at int) bool {
	c := r.cursor(at)
	end := at + int(c.integer("size", 4))
	for _, what := range [...]string{"type", "start", "duration", "id"} {
		c.long(what)
	}
	if c.err != nil || end > len(r.buf) || c.off > end {
		return false
	}
	c.buf = r.buf[:end]
	body := r.buf[c.off:end]
	if m := r.metas[string(body)]; m != nil {
		r.meta = m
		return true
	}
	m := parseMetadata(&c, r.specs)
	if m == nil {
		return false
	}
	if len(r.metas) < maxMetadata {
		r.metas[string(body)] = m
	}
	r.meta = m
	return true
}
