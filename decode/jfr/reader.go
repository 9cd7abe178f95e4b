// Package jfr reads flight recordings of JDK 9 and later and of the tools
// that write the same format. It streams: one chunk is in memory at a time.
// The layout of every event comes from the recording's own metadata; events
// that say nothing of threads and locks are skipped by their size. It
// refuses the older format of JDK 7 and 8.
package jfr

import (
	"fmt"
	"io"
	"slices"

	"contend/decode/rules"
	"contend/format"
)

// Options of a Reader.
type Options struct {
	Rules *rules.Table      // tells parks on locks from idle ones; nil means the default
	Skip  map[ChunkKey]bool // chunks not to read: another input has them
	Shown bool              // what an agent's samples show will follow, by Show
}

// Reader is a format.Source over one input.
type Reader struct {
	input
	name  string
	rules *rules.Table
	skip  map[ChunkKey]bool
	specs map[string]*eventSpec

	chunkAt    int64 // offset of the chunk in the input
	off        int   // of the next event in buf
	unfinished bool  // the chunk was being written, or is cut off
	marks      []int // where checkpoints begin in it, ascending
	limit      int   // no event reaches beyond: the next mark, or the end of buf

	head   header
	meta   *metadata            // of the current chunk, or of the last one that had any
	metas  map[string]*metadata // by content
	pools  pools
	known  constants
	ids    identities
	chunks int

	queue    format.Queue // to deliver before reading on
	held     format.Event // to deliver after queue
	holding  bool
	settings map[string]string
	recorded map[string]bool // by event: whether any settings enable it
	met      bool            // any event of a wait
	telling  tellingDumps
	idle     map[format.ThreadID]idleSince // by the last thread dump
	dated    dumpTimes
	wakings  wakings
	hidden   hidden

	shown shown // by an agent in the same JVM

	values   values // of the event at hand
	events   int64
	damaged  int64
	warnings []format.Warning
	damage   format.DamageLog
	err      error
}

// NewReader reads the first chunk's header and metadata. The error is a
// *format.Error: ErrNotMine for input that is no recording, ErrVersion for
// one of JDK 7 or 8, ErrTruncated for one without a whole header.
func NewReader(in io.Reader, name string, o Options) (*Reader, error) {
	r := &Reader{input: input{in: in}, name: name, rules: o.Rules, skip: o.Skip, specs: wanted(), ids: newIdentities(), settings: map[string]string{}, recorded: map[string]bool{}, metas: map[string]*metadata{}}
	r.shown.follows = o.Shown
	if r.rules == nil {
		r.rules = rules.Default()
	}
	if err := r.fill(len(magic)); err != nil || string(r.buf) != magic {
		return nil, &format.Error{Pos: format.Pos{File: name}, What: "magic", Err: format.ErrNotMine}
	}
	r.unread(0)
	if err := r.chunk(); err != nil {
		return nil, err
	}
	return r, nil
}

// Stats says what has been read so far.
func (r *Reader) Stats() format.Stats {
	return format.Stats{Format: fmt.Sprintf("jfr %d.%d", r.head.major, r.head.minor), Events: r.events,
		BytesRead: r.taken() - r.damaged, BytesTotal: r.taken(), Dumps: r.telling.count, Blind: r.blind(), Warnings: slices.Concat(r.warnings, r.unrecorded(), r.hidden.warnings(r.ids.virtual)), Damage: r.damage}
}

// Close releases the reader; the input stays open.
func (r *Reader) Close() error { return nil }

// Read delivers the next event. Damage is delivered as KindGap and in the
// warnings of Stats; the error is io.EOF, or what the input returned.
func (r *Reader) Read(ev *format.Event) error {
	for {
		if r.queue.Pop(ev) {
			return nil
		}
		if r.holding {
			*ev, r.holding = r.held, false
			return nil
		}
		if r.err != nil {
			return r.err
		}
		if r.off >= len(r.buf) {
			r.err = r.chunk()
			r.dated.turn(r.err != nil, &r.queue)
			r.hidden.turn()
			r.wakings.turn(&r.queue)
			if r.err != nil {
				r.tellIdle()
			}
			continue
		}
		ev.Reset()
		if !r.event(ev) {
			continue
		}
		if !r.queue.Empty() { // metadata goes first
			r.held, r.holding = *ev, true
			continue
		}
		return nil
	}
}

// chunk makes the next chunk current and announces it.
func (r *Reader) chunk() error {
	if err := r.nextChunk(); err != nil {
		return err
	}
	if r.off < len(r.buf) {
		r.queue.Push(format.Event{Kind: format.KindRecording, Time: r.head.startNanos, End: r.head.end()})
	}
	return nil
}

// event decodes the event at off and steps over it; false when it delivers
// nothing itself.
func (r *Reader) event(ev *format.Event) bool {
	if r.off >= r.limit {
		r.limit = r.nextMark()
	}
	c := r.cursor(r.off)
	size := c.integer("event size", 4)
	kind := c.long("event type")
	if c.err != nil || size <= 0 || size > int64(r.limit-r.off) {
		r.cut()
		return false
	}
	end := r.off + int(size)
	r.events++
	p := r.meta.program(kind)
	if p == nil {
		r.off = end
		return false
	}
	v := &r.values
	*v = values{}
	c.buf = r.buf[:end]
	p.run(&c, v)
	if c.err != nil {
		r.lost(int(size), "lost-data", c.what+" of "+p.class.name+": "+c.err.Error())
		r.off = end
		return false
	}
	r.off = end
	ev.Time = r.head.at(v[slotStart])
	ev.End = plus(ev.Time, max(r.head.nanos(v[slotDuration]), 0))
	if !p.spec.book(r, v, ev) {
		return false
	}
	r.note(ev)
	return true
}

// cut handles an event that cannot be stepped over: the end of a recording
// that was being written, or damage, behind which the next checkpoint is the
// first event known to be one.
func (r *Reader) cut() {
	switch {
	case r.limit < len(r.buf):
		r.lost(r.limit-r.off, "lost-data", "event: "+format.ErrCorrupt.Error())
		r.off = r.limit
	case r.unfinished: // and searched for headers already
		r.lost(len(r.buf)-r.off, "truncated", "event: "+format.ErrTruncated.Error())
		r.off = len(r.buf)
	default:
		r.resync(r.off, "event")
	}
}

// nextMark returns where the first checkpoint behind off begins, or the end of
// the chunk.
func (r *Reader) nextMark() int {
	if next, _ := slices.BinarySearch(r.marks, r.off+1); next < len(r.marks) {
		return r.marks[next]
	}
	return len(r.buf)
}

func (r *Reader) cursor(at int) cursor {
	return cursor{buf: r.buf, off: min(max(at, 0), len(r.buf)), compressed: r.head.features&compressed != 0}
}

func (r *Reader) pos(at int) format.Pos { return format.Pos{File: r.name, Off: r.base + int64(at)} }

// maxWarnings bounds what a badly damaged input can say.
const maxWarnings = 16

func (r *Reader) warn(code, text string) {
	if len(r.warnings) < maxWarnings {
		r.warnings = append(r.warnings, format.Warning{Code: code, Text: text})
	}
}

// lost books n bytes at off as unread. When they were written is not known
// better than by their chunk.
func (r *Reader) lost(n int, code, why string) {
	r.lostAt(r.pos(r.off), int64(n), code, why)
}

func (r *Reader) lostAt(pos format.Pos, n int64, code, why string) {
	if n <= 0 {
		return
	}
	r.damaged += n
	r.warn(code, fmt.Sprintf("%s: %s; %d bytes not read", pos, why, n))
	r.damage.Add(format.Damage{Pos: pos, Code: code, Why: why, Bytes: n, Events: format.UnknownEvents, From: r.head.startNanos, Until: r.head.end()})
	r.queue.Push(format.Event{Kind: format.KindGap, Time: r.head.startNanos, End: r.head.end(), Bytes: n, Name: why})
}

// endsEarly says that the chunk ends at offset n of it, before its size says.
// What is missing was never in the input.
func (r *Reader) endsEarly(n int) {
	why := fmt.Sprintf("chunk ends after %d of %d bytes", n, r.head.size)
	r.warn("truncated", fmt.Sprintf("%s: %s", r.pos(n), why))
	r.damage.Add(format.Damage{Pos: r.pos(n), Code: "truncated", Why: why, Events: format.UnknownEvents, From: r.head.startNanos, Until: r.head.end()})
}
