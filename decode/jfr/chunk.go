package jfr

import (
	"bytes"
	"encoding/binary"
	"slices"

	"contend/format"
)

// chunk is one chunk of the input. Chunks are independent, so several are read
// concurrently.
type chunk struct {
	err        error // why there is no chunk; io.EOF after the last
	head       header
	base       int64 // offset of buf in the input
	buf        []byte
	off        int   // of the next event in buf
	end        int64 // offset of its end in the input
	void       bool  // it has no events to read
	unfinished bool  // it was being written, or is cut off
	cutOff     bool  // its header is of a longer one: the rest was never in the input
	marks      []int // offsets of its checkpoints, ascending
	limit      int   // no event reaches beyond: the next mark, or the end of buf
	meta       *metadata
	pools      pools
	named      table           // the symbols that constants refer to
	losses     []format.Damage // of cutting it out
	window     window          // of its clock

	taken values // of the current event

	ready   chan struct{}     // closed when the constants of a chunk that is read ahead are indexed
	batches chan *chunkEvents // of its events
}

// lost returns the damage of n bytes of the chunk, 0 if the missing data was never in it.
// Its time is the time of the chunk.
func (c *chunk) lost(at, n int, code, why string) format.Damage {
	return format.Damage{
		Pos:    format.Pos{Off: c.base + int64(at)},
		Code:   code,
		Why:    why,
		Bytes:  int64(n),
		Events: format.UnknownEvents,
		From:   c.head.startNanos,
		Until:  c.head.end(),
	}
}

// lose adds damage that was found in cutting the chunk out.
func (c *chunk) lose(at, n int, code, why string) {
	c.losses = append(c.losses, c.lost(at, n, code, why))
}

// flawed records a damaged part of the chunk whose bytes are used as far as possible.
func (c *chunk) flawed(at int, why string) { c.lose(at, 0, format.CodeLostData, why) }

func (c *chunk) cursor(at int) cursor {
	return cursor{buf: c.buf, off: min(max(at, 0), len(c.buf)), compressed: c.head.features&compressed != 0}
}

// index notes the offsets of the chunk's constants, and the evidence for its clock, before
// its events are used. A checkpoint that cannot be read to its end is a loss for all events
// that refer to it.
func (c *chunk) index() {
	if c.meta == nil {
		return
	}
	c.pools.reset(len(c.meta.pooled))
	c.named.clear(0)
	var clock clock
	for _, at := range c.marks {
		cur := c.cursor(at)
		cur.buf = cur.buf[:at+int(cur.integer("size", 4))] // isEvent and scan held it to be inside
		cur.long("type")
		c.meta.checkpoint(&cur, c.pools, &c.named, &clock)
		if cur.err != nil {
			c.flawed(at, cur.what+" of a checkpoint: "+cur.err.Error()+": names, threads or stacks are missing")
		}
	}
	c.checkSymbols()
	if why := clock.check(&c.head, c.cutOff); why != "" {
		c.flawed(0, why)
	}
	c.window = c.head.window(clock.latest, c.unfinished)
}

// nextMark returns where the first checkpoint after off begins, or the end of the chunk.
func (c *chunk) nextMark() int {
	if next, _ := slices.BinarySearch(c.marks, c.off+1); next < len(c.marks) {
		return c.marks[next]
	}
	return len(c.buf)
}

// step fills a batch with the events that follow.
func (c *chunk) step(b *chunkEvents) {
	b.clear()
	for len(b.words) < batchWords {
		if p, at, end := c.pass(b); p != nil {
			c.decodeEvent(b, p, at, end)
			continue
		}
		if c.off >= len(c.buf) {
			b.last = true
			return
		}
		c.event(b)
	}
}

// pass skips unwanted events up to the first wanted one, as long as they begin like those
// of the JDK: with a size of one byte or four, a type of at most three (programs' own
// events have three), and a time within the chunk. Most of a recording is such events. It
// returns the program of the wanted event, and where its fields begin and end; nil if
// anything else follows.
func (c *chunk) pass(b *chunkEvents) (p *program, at, end int) {
	if c.meta == nil || c.head.features&compressed == 0 {
		return nil, 0, 0
	}
	buf := c.buf[:min(c.limit, len(c.buf))]
	types := c.meta.dense
	off := c.off
	for off+8 <= len(buf) {
		head := binary.LittleEndian.Uint64(buf[off:])
		size := head & 0x7f
		at = off + 1
		switch {
		case head&0x80 == 0:
			head >>= 8
		case head&0x80808080 == 0x00808080:
			size |= head&0x7f00>>1 | head&0x7f0000>>2 | head&0x7f000000>>3
			head >>= 32
			at += 3
		default:
			size = 0 // not like those of the JDK
		}
		kind := head & 0x7f
		at++
		if head&0x80 != 0 {
			kind |= head & 0x7f00 >> 1
			at++
			if head&0x8000 != 0 {
				kind |= head & 0x7f0000 >> 2
				at++
				if head&0x800000 != 0 {
					break
				}
			}
		}
		if size == 0 || size > uint64(len(buf)-off) {
			break
		}
		if kind >= uint64(len(types)) {
			break
		}
		if p = types[kind]; p != unwanted {
			if p == nil {
				break
			}
			c.off = off
			return p, at, off + int(size)
		}
		if at+8 > len(buf) || (binary.LittleEndian.Uint64(buf[at:])^c.window.high)&c.window.mask != 0 {
			break
		}
		off += int(size)
		b.events++
	}
	c.off = off
	return nil, 0, 0
}

// event reads the event at off and moves past it.
func (c *chunk) event(b *chunkEvents) {
	if c.off >= c.limit {
		c.limit = c.nextMark()
	}
	p, at, end, _ := c.header(c.off, c.limit)
	switch {
	case end == 0:
		c.cut(b)
		return
	case p != nil && p != unwanted:
		c.decodeEvent(b, p, at, end)
		return
	case p == nil && !c.marked(c.off) && !bytes.Contains(c.buf[at:end], []byte("metadata")): // older ones may lie about
		b.lose(
			c.lost(
				c.off,
				end-c.off,
				format.CodeLostData,
				"checkpoint: nothing leads to it: "+format.ErrCorrupt.Error(),
			),
		)
	}
	c.off = end
	b.events++
}

// marked reports whether a checkpoint at an offset is known.
func (c *chunk) marked(at int) bool {
	_, known := slices.BinarySearch(c.marks, at)
	return known
}

// header reads the size, type and time of the event at an offset; the event must end at
// limit at the latest. It returns the program of the event, nil for metadata and
// checkpoints; where its fields begin; where it ends, 0 if there is no event; and when it
// began.
func (c *chunk) header(off, limit int) (p *program, at, end int, start int64) {
	cur := c.cursor(off)
	size := cur.integer("event size", 4)
	kind := cur.long("event type")
	if cur.err != nil || size <= 0 || size > int64(limit-off) {
		return nil, 0, 0, 0
	}
	at, end = cur.off, off+int(size)
	own := kind == typeMetadata || kind == typeCheckpoint
	if p = c.meta.program(kind); own {
		p = nil
	} else if p == nil {
		return nil, 0, 0, 0
	}
	start = cur.long("start")
	duration := int64(0)
	if own || c.meta.classes[kind].lasts() {
		duration = max(cur.long("duration"), 0)
	}
	if cur.err != nil || cur.off > end || !c.window.holds(start, plus(start, duration), own || p == unwanted) {
		return nil, 0, 0, 0
	}
	return p, at, end, start
}

// decodeEvent decodes the event at off, whose fields are at [begin, end) of the chunk. It reads them
// without checking for their end, which is fast, and again with checks if the result is
// wrong. An event is damaged if its length or time contradicts the layout or the chunk.
func (c *chunk) decodeEvent(b *chunkEvents, p *program, at, end int) {
	from := c.off
	c.off = end
	b.events++
	c.taken[slotStart], c.taken[slotDuration] = 0, 0 // not every event has both
	cur := cursor{buf: c.buf, off: at, compressed: c.head.features&compressed != 0}
	p.run(&cur, &c.taken)
	if cur.err != nil || cur.off > end {
		cur = cursor{buf: c.buf[:end], off: at, compressed: cur.compressed}
		p.run(&cur, &c.taken)
	}
	start, duration := c.taken[slotStart], c.taken[slotDuration]
	switch {
	case cur.err != nil:
	case cur.off != end:
		cur.fail("length", format.ErrCorrupt)
	case duration < 0 || !c.window.holds(start, plus(start, duration), false):
		cur.fail("time", format.ErrCorrupt)
	}
	if cur.err != nil {
		b.lose(c.lost(from, end-from, format.CodeLostData, cur.what+" of "+p.class.name+": "+cur.err.Error()))
		return
	}
	b.appendEvent(p, &c.head, &c.taken)
}

// cut handles an event that cannot be skipped: the end of an unfinished recording, or
// damage. Reading continues where several events follow each other, or at the next
// checkpoint; without either, the rest of the chunk is lost.
func (c *chunk) cut(b *chunkEvents) {
	at := c.off + 1
	for at < c.limit && !c.eventsAt(at) {
		at++
	}
	code, why := format.CodeLostData, format.ErrCorrupt
	if at >= len(c.buf) && c.unfinished {
		code, why = format.CodeTruncated, format.ErrTruncated
	}
	b.lose(c.lost(c.off, at-c.off, code, "event: "+why.Error()))
	c.off = at
}

// inARow is how many events in a row show that bytes are events.
const inARow = 4

// eventsAt reports whether several events follow each other at an offset.
func (c *chunk) eventsAt(at int) bool {
	for n := range inARow {
		if at == c.limit {
			return n > 0
		}
		p, _, end, start := c.header(at, c.limit)
		if p == nil || start < c.head.startTicks { // few began before
			return false
		}
		at = end
	}
	return true
}

// isEvent reports whether an event of a kind lies at an offset, as a whole.
func (c *chunk) isEvent(at int64, kind int64) bool {
	if at < headerSize || at >= int64(len(c.buf)) {
		return false
	}
	cur := c.cursor(int(at))
	size := cur.integer("size", 4)
	return cur.long("type") == kind && cur.err == nil && size > 0 && size <= int64(len(c.buf))-at
}
