package jfr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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
	compressed  = 1       // feature: integers are variable-length
	maxChunk    = 2 << 30 // a chunk is held in memory; the JDK's are 12 MB
	checkpoints = 1 << 20 // most checkpoints followed in one chunk
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

// check says whether the chunk can be read at all.
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
		return -h.nanos(-ticks)
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

// nextChunk reads the next chunk into r.buf and finds its metadata and
// constants. It returns io.EOF when there is none.
func (r *Reader) nextChunk() error {
	r.base += int64(len(r.buf))
	r.buf = r.buf[:0]
	if err := r.fill(headerSize); err != nil {
		return r.endOfInput(err)
	}
	if string(r.buf[:4]) != magic {
		return r.resync(0, "chunk")
	}
	r.head = parseHeader(r.buf)
	hint, err := r.head.check()
	if err != nil {
		return &format.Error{Pos: r.pos(0), What: "chunk header", Err: err, Hint: hint}
	}
	unfinished := r.head.size < headerSize
	want := r.head.size
	if unfinished || want > maxChunk {
		want = maxChunk
	}
	if err := r.fill(int(want)); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		if !unfinished {
			r.warn("truncated", fmt.Sprintf("%s: chunk ends after %d of %d bytes", r.pos(len(r.buf)), len(r.buf), r.head.size))
		}
		unfinished = true
	} else if err != nil {
		return err
	}
	r.off = headerSize
	r.prepare(unfinished)
	return nil
}

// fill makes r.buf at least n bytes long, growing in steps so that a length
// that lies costs no memory.
func (r *Reader) fill(n int) error {
	const step = 4 << 20
	for len(r.buf) < n {
		k := min(n-len(r.buf), step)
		at := len(r.buf)
		r.buf = slices.Grow(r.buf, k)[:at+k]
		got, err := io.ReadFull(r.in, r.buf[at:])
		r.buf = r.buf[:at+got]
		r.read += int64(got)
		if err != nil {
			return err
		}
	}
	return nil
}

// endOfInput tells a clean end from a cut header.
func (r *Reader) endOfInput(err error) error {
	if errors.Is(err, io.EOF) && len(r.buf) == 0 {
		return io.EOF
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if r.chunks == 0 {
		return &format.Error{Pos: r.pos(len(r.buf)), What: "chunk header", Err: format.ErrTruncated, Hint: "the file holds no complete recording; copy or dump it again"}
	}
	r.lost(len(r.buf), "truncated", "chunk header: input ends early")
	return io.EOF
}

// prepare reads the chunk's metadata and constants before its events.
func (r *Reader) prepare(unfinished bool) {
	r.chunks++
	r.newConstants()
	var found []int
	if unfinished || !r.chain(&found) {
		r.endAtNextHeader()
		found = r.scan()
	}
	if r.meta == nil {
		r.lost(len(r.buf)-r.off, "lost-data", "chunk has no readable metadata")
		r.off = len(r.buf)
		return
	}
	for _, at := range found {
		c := r.cursor(at)
		c.long("size")
		c.long("type")
		r.meta.checkpoint(&c, r.pools)
	}
}

// chain follows the checkpoints backwards from the header, and reads the
// metadata; false when either is not where the header says.
func (r *Reader) chain(found *[]int) bool {
	if !r.isEvent(r.head.metadata, typeMetadata) {
		return false
	}
	if !r.readMetadata(int(r.head.metadata)) {
		return false
	}
	for at := r.head.constants; len(*found) < checkpoints; {
		if !r.isEvent(at, typeCheckpoint) {
			return false
		}
		*found = append(*found, int(at))
		c := r.cursor(int(at))
		c.long("size")
		c.long("type")
		c.long("start")
		c.long("duration")
		delta := c.long("delta")
		if c.err != nil || delta > 0 {
			return false
		}
		if delta == 0 {
			return true
		}
		at += delta
	}
	return false
}

// scan finds checkpoints and metadata by walking over all events.
func (r *Reader) scan() (found []int) {
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

// endAtNextHeader shortens a chunk whose size lies, because it was cut off
// and another recording appended, to where the next chunk begins.
func (r *Reader) endAtNextHeader() {
	if next := findHeader(r.buf, headerSize); next >= 0 {
		r.warn("truncated", fmt.Sprintf("%s: chunk ends after %d of %d bytes", r.pos(next), next, r.head.size))
		r.unread(next)
		r.off = headerSize
	}
}

// findHeader returns the offset of the first plausible chunk header at or
// after from, -1 when there is none. The magic alone may occur in data.
func findHeader(buf []byte, from int) int {
	for from < len(buf) {
		i := bytes.Index(buf[from:], []byte(magic))
		if i < 0 || from+i+headerSize > len(buf) {
			return -1
		}
		h := parseHeader(buf[from+i:])
		if h.major >= 1 && h.major <= 2 && h.minor < 64 && h.ticksPerSecond > 0 && h.ticksPerSecond <= 1e12 && h.startNanos > 0 && h.size >= 0 && h.metadata >= 0 {
			return from + i
		}
		from += i + 1
	}
	return -1
}

// resync gives up on the chunk from offset at and continues at the next
// chunk header, wherever that is.
func (r *Reader) resync(at int, what string) error {
	searched := at + 1
	for {
		next := findHeader(r.buf, searched)
		end := next < 0 && r.fill(len(r.buf)+1<<20) != nil
		if end {
			next = findHeader(r.buf, searched) // in what the last fill brought
		}
		switch {
		case next >= 0:
			r.lost(next-at, "lost-data", what+": "+format.ErrCorrupt.Error())
			r.unread(next)
			return nil
		case end:
			r.lost(len(r.buf)-at, "lost-data", what+": "+format.ErrCorrupt.Error())
			r.off = len(r.buf)
			return nil
		}
		searched = max(at+1, len(r.buf)-1<<20-headerSize)
	}
}

// unread gives back what follows offset at of the buffer.
func (r *Reader) unread(at int) {
	rest := bytes.Clone(r.buf[at:])
	r.in = io.MultiReader(bytes.NewReader(rest), r.in)
	r.read -= int64(len(rest))
	r.buf = r.buf[:at]
	r.off = at
}
