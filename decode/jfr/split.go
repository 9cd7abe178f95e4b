package jfr

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"contend/format"
	"contend/format/human"
)

// splitter cuts an input into chunks. The metadata of the last chunk helps to find the next
// one.
type splitter struct {
	in      input
	name    string
	skip    map[ChunkKey]bool
	specs   map[string]*eventSpec
	metas   map[string]*metadata // by content
	meta    *metadata            // of the current chunk, or of the last one that had any
	fresh   bool                 // it is of the current chunk
	head    header               // of the current chunk
	chunkAt int64                // offset of that in the input
	chunks  int                  // chunks so far
}

// next cuts out the next chunk, into the array of the one it replaces. It returns io.EOF
// after the last.
func (s *splitter) next(c *chunk) error {
	s.in.leave(c.buf)
	*c = chunk{marks: c.marks[:0], losses: c.losses[:0], pools: c.pools, base: s.in.base}
	err := s.cutOut(c)
	if err != nil {
		c.head = s.head
	}
	c.end = s.in.taken()
	return err
}

func (s *splitter) cutOut(c *chunk) error {
	if err := s.in.fill(headerSize); err != nil {
		return s.endOfInput(c, err)
	}
	if string(s.in.buf[:len(magic)]) != magic {
		s.resync(c)
		return nil
	}
	before := s.head
	s.chunkAt = s.in.base
	s.head = parseHeader(s.in.buf)
	c.head = s.head
	if hint, err := s.head.check(); err != nil {
		return &format.Error{Pos: format.Pos{File: s.name, Off: s.in.base}, What: "chunk header", Err: err, Hint: hint}
	}
	if s.skip[s.head.key()] {
		err := s.in.fill(int(s.head.size))
		s.head = before
		c.void = true
		c.buf = s.in.kept()
		c.off = len(s.in.buf)
		return err
	}
	if !s.head.sameTypes(&before) {
		s.meta = nil
	}
	c.unfinished = s.head.size < headerSize
	want := s.head.size
	if c.unfinished || want > maxChunk {
		want = maxChunk
	}
	if s.in.fill(int(want)) != nil { // an error other than the end comes up at the next chunk
		if !c.unfinished {
			s.endsEarly(c, len(s.in.buf))
		}
		c.unfinished = true
	}
	s.prepare(c)
	c.buf = s.in.kept()
	return nil
}

// endOfInput distinguishes a clean end from a truncated header.
func (s *splitter) endOfInput(c *chunk, err error) error {
	if errors.Is(err, io.EOF) && len(s.in.buf) == 0 {
		return io.EOF
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	if s.chunks == 0 {
		return &format.Error{
			Pos:  format.Pos{File: s.name, Off: s.in.base + int64(len(s.in.buf))},
			What: "chunk header",
			Err:  format.ErrTruncated,
			Hint: "the file holds no complete recording; copy or dump it again",
		}
	}
	c.head = s.head
	c.lose(0, len(s.in.buf), format.CodeTruncated, "chunk header: input ends early")
	return io.EOF
}

// prepare finds the chunk's metadata and checkpoints.
func (s *splitter) prepare(c *chunk) {
	s.chunks++
	c.buf, c.off = s.in.buf, headerSize
	whole := false
	s.fresh = false
	if !c.unfinished {
		whole = s.chain(c)
	}
	if !whole {
		s.endAtNextHeader(c)
		s.scan(c)
	}
	s.order(c)
	if c.meta != nil && !s.fresh && !c.unfinished {
		c.flawed(
			int(c.head.metadata),
			"metadata cannot be read, and is taken to be that of the chunk before: "+format.ErrCorrupt.Error(),
		)
	}
	if rest := len(c.buf) - c.off; c.meta == nil && rest > 0 {
		c.lose(c.off, rest, format.CodeLostData, "chunk has no readable metadata")
		c.off = len(c.buf)
	}
}

// order puts the checkpoints that were found in order.
func (s *splitter) order(c *chunk) {
	slices.Sort(c.marks)
	c.marks = slices.Compact(c.marks)
	if end, _ := slices.BinarySearch(c.marks, len(c.buf)); end < len(c.marks) { // the chunk was shortened
		c.marks = c.marks[:end]
	}
	c.meta = s.meta
	if c.meta != nil && c.meta.flaw != "" {
		c.flawed(int(c.head.metadata), "metadata: "+c.meta.flaw+": "+format.ErrCorrupt.Error())
	}
}

// chain follows the checkpoints backwards from the header, and reads the metadata; false if
// either is not where the header says. No two may overlap: a chunk of nested checkpoints
// would take quadratic time to read.
func (s *splitter) chain(c *chunk) bool {
	if !c.isEvent(c.head.metadata, typeMetadata) || !s.readMetadata(c, int(c.head.metadata)) {
		return false
	}
	end := int64(len(c.buf))
	for at := c.head.constants; len(c.marks) < checkpoints; {
		if !c.isEvent(at, typeCheckpoint) {
			return false
		}
		c.marks = append(c.marks, int(at))
		cur := c.cursor(int(at))
		if at+cur.integer("size", 4) > end {
			return false
		}
		for _, what := range [...]string{"type", "start", "duration"} {
			cur.long(what)
		}
		delta := cur.long("delta")
		if cur.err != nil || delta > 0 {
			return false
		}
		if delta == 0 {
			return true
		}
		end = at
		at += delta
	}
	return false
}

// scan finds checkpoints and metadata by walking over the events, as long as they can be
// skipped.
func (s *splitter) scan(c *chunk) {
	for at := headerSize; at < len(c.buf); {
		cur := c.cursor(at)
		size := cur.integer("event size", 4)
		kind := cur.long("event type")
		if cur.err != nil || size <= 0 || size > int64(len(c.buf)-at) {
			break
		}
		switch kind {
		case typeMetadata:
			if size > 1 {
				s.readMetadata(c, at)
			}
		case typeCheckpoint:
			c.marks = append(c.marks, at)
		}
		at += int(size)
	}
}

// maxMetadata bounds the metadata remembered between chunks. All chunks of one process have
// the same; other metadata is read again.
const maxMetadata = 16

func (s *splitter) readMetadata(c *chunk, at int) bool {
	cur := c.cursor(at)
	end := at + int(cur.integer("size", 4))
	for _, what := range [...]string{"type", "start", "duration", "id"} {
		cur.long(what)
	}
	if cur.err != nil || end > len(c.buf) || cur.off > end {
		return false
	}
	cur.buf = c.buf[:end]
	body := c.buf[cur.off:end]
	if m := s.metas[string(body)]; m != nil {
		s.meta, s.fresh = m, true
		return true
	}
	m := parseMetadata(&cur, s.specs)
	if m == nil {
		return false
	}
	if len(s.metas) < maxMetadata {
		s.metas[string(body)] = m
	}
	s.meta, s.fresh = m, true
	return true
}

// endsEarly records that the chunk ends at offset n, before its size says. The missing data
// was never in the input.
func (s *splitter) endsEarly(c *chunk, n int) {
	c.cutOff = true
	c.lose(n, 0, format.CodeTruncated, human.Say("chunk ends after %v of %v bytes", n, c.head.size))
}

// endAtNextHeader shortens a chunk that was cut off before another recording was appended:
// its size is wrong, and it ends where the next chunk begins.
func (s *splitter) endAtNextHeader(c *chunk) {
	if next := s.findHeader(headerSize); next >= 0 {
		s.endsEarly(c, next)
		s.in.unread(next)
		c.buf = s.in.buf
	}
}

// findHeader returns the offset of the first plausible chunk header at or
// after from, -1 when there is none. The magic alone may occur in data, and at
// each flush a JDK writes a copy of the header as it then is into the chunk.
func (s *splitter) findHeader(from int) int {
	for from < len(s.in.buf) {
		i := bytes.Index(s.in.buf[from:], []byte(magic))
		if i < 0 || from+i+headerSize > len(s.in.buf) {
			return -1
		}
		at := from + i
		if h := parseHeader(s.in.buf[at:]); h.plausible() && !h.copies(&s.head, s.in.base+int64(at)-s.chunkAt) {
			return at
		}
		from = at + 1
	}
	return -1
}

// resync skips to the next chunk header, wherever it is. It does not keep what it skips.
func (s *splitter) resync(c *chunk) {
	const step = 1 << 20
	for searched := 1; ; {
		next := s.findHeader(min(searched, len(s.in.buf)))
		if next < 0 {
			if done := len(s.in.buf) - headerSize; done > 0 { // a header may begin in the rest
				s.in.drop(done)
				searched = 0
			}
			before := len(s.in.buf)
			if s.in.fill(before+step) == nil || len(s.in.buf) > before {
				continue
			}
			next = len(s.in.buf)
		}
		s.in.unread(next)
		break
	}
	c.head, c.void = s.head, true
	c.lose(0, int(s.in.taken()-c.base), format.CodeLostData, "chunk: "+format.ErrCorrupt.Error())
}
