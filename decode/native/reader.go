package native

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"contend/format"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/semaphore"
)

// Reader is a format.Source over one trace.
type Reader struct {
	name  string
	split splitter

	zstd  *zstd.Decoder       // of several blocks at once
	order chan *blockEvents   // in order of the file
	free  sync.Pool           // of batches
	ahead *semaphore.Weighted // of maxAhead
	ctx   context.Context     // done once the reader is closed
	close context.CancelFunc
	cur   *blockEvents
	err   error
	gaps  format.Queue // to deliver first

	mu      sync.Mutex // guards split.read, shared with the goroutine that splits
	events  int64
	damaged int64
	last    int64
	ended   bool
	said    format.Stats // from notes, and damage
}

// NewReader checks the file header and begins to read. The error is a
// *format.Error: ErrNotMine, ErrVersion or ErrTruncated.
func NewReader(in io.Reader, name string) (*Reader, error) {
	r := &Reader{
		name:  name,
		split: splitter{in: in},
		free:  sync.Pool{New: func() any { return &blockEvents{} }},
		ahead: semaphore.NewWeighted(maxAhead),
	}
	r.ctx, r.close = context.WithCancel(context.Background())
	if err := r.header(); err != nil {
		return nil, err
	}
	cores := runtime.GOMAXPROCS(0)
	r.order = make(chan *blockEvents, 2*cores)
	z, err := zstd.NewReader(
		nil,
		zstd.WithDecoderConcurrency(cores),
		zstd.IgnoreChecksum(true),
		zstd.WithDecoderMaxMemory(format.MaxBlock),
	) // the checksum of a block detects more
	if err == nil {
		r.zstd = z
		go r.run()
	}
	return r, err
}

func (r *Reader) header() error {
	fail := func(what string, err error, hint string) error {
		return &format.Error{Pos: format.Pos{File: r.name, Off: r.split.read}, What: what, Err: err, Hint: hint}
	}
	n, err := r.split.need(format.HeaderSize)
	head := r.split.buf[:n]
	switch {
	case err != nil:
		return err
	case n < len(format.Magic) || string(head[:len(format.Magic)]) != format.Magic:
		return fail("magic", format.ErrNotMine, "")
	case n < format.HeaderSize:
		return fail("file header", format.ErrTruncated, "the trace was cut off; copy it again")
	}
	r.split.version = binary.LittleEndian.Uint16(head[len(format.Magic):])
	if v := r.split.version; v != format.Version && v != format.Version2 {
		return fail(
			"file header",
			fmt.Errorf("contend trace version %d: %w", v, format.ErrVersion),
			"a newer contend reads it",
		)
	}
	r.split.at = format.HeaderSize
	return nil
}

// run splits the input and has the blocks unpacked concurrently.
func (r *Reader) run() {
	for {
		b := r.free.Get().(*blockEvents)
		b.ready = make(chan struct{})
		r.mu.Lock()
		b.block, b.eof = r.split.next()
		r.mu.Unlock()
		if r.ahead.Acquire(r.ctx, b.block.room()) != nil {
			return
		}
		select {
		case r.order <- b:
		case <-r.ctx.Done():
			return
		}
		if b.eof != nil {
			close(b.ready)
			return
		}
		go func() {
			b.fill(r.zstd)
			close(b.ready)
		}()
	}
}

// Read delivers the next event; its slices are valid until the next call.
// Damage is delivered as KindGap and reported by Stats.
func (r *Reader) Read(ev *format.Event) error {
	for {
		if r.gaps.Pop(ev) {
			return nil
		}
		if r.cur != nil && r.cur.next(ev) {
			if r.deliver(ev) {
				return nil
			}
			continue
		}
		if r.err != nil {
			return r.err
		}
		r.advance()
	}
}

// deliver counts an event; false if the consumer does not get it.
func (r *Reader) deliver(ev *format.Event) bool {
	switch {
	case ev.Kind == format.KindNone: // from a newer writer
		return false
	case ev.Kind == format.KindEnd:
		r.ended = true
		if !r.said.Damage.Whole() {
			r.said.Damage.CountLost(int64(ev.Count) - r.events)
		}
		return false
	}
	r.events++
	if ev.Time != 0 {
		r.last = ev.Time
	}
	if ev.Kind == format.KindNote {
		r.said.AddNote(ev)
		return false
	}
	return true
}

// advance makes the next batch current.
func (r *Reader) advance() {
	if r.cur != nil {
		if r.cur.fault != "" {
			lost := max(int64(r.cur.block.header.Events)-int64(r.cur.read), 0)
			r.gap(int64(len(r.cur.block.bytes)), r.cur.block.off, r.cur.fault, r.last, lost)
			r.cur.fault = ""
			return
		}
		r.ahead.Release(r.cur.block.room())
		if r.cur.block.header.Raw <= 4*format.DefaultBlock { // else far larger than writers make them
			r.cur.block.bytes = nil
			r.free.Put(r.cur)
		}
		r.cur = nil
	}
	b := <-r.order
	<-b.ready
	if b.block.lost > 0 {
		until := b.block.header.First
		if b.eof != nil {
			until = r.last
		}
		r.gap(b.block.lost, b.block.lostAt, b.block.why, until, format.UnknownEvents)
	}
	if b.eof == nil {
		r.cur = b
		return
	}
	r.err = b.eof
	if errors.Is(b.eof, io.EOF) && !r.ended && r.damaged == 0 {
		const why = "the end event is missing: the trace was cut off between two blocks"
		r.said.Warn(format.CodeTruncated, r.name+": "+why)
		r.said.Damage.AddDamage(
			format.Damage{
				Pos:    format.Pos{File: r.name, Off: b.block.off},
				Code:   format.CodeTruncated,
				Why:    why,
				Events: format.UnknownEvents,
				From:   known(r.last),
				Until:  format.NoTime,
			},
		)
	}
}

// gap reports the damage of some bytes at an offset of the input, and of some events in it,
// as an event, a warning and a place.
func (r *Reader) gap(bytes, off int64, why string, until, events int64) {
	from := r.last
	if from == 0 { // nothing came before
		from = until
	}
	r.damaged += bytes
	r.said.Lose(
		format.Damage{
			Pos:    format.Pos{File: r.name, Off: off},
			Code:   format.CodeLostData,
			Why:    why,
			Bytes:  bytes,
			Events: events,
			From:   known(from),
			Until:  known(max(until, from)),
		},
	)
	r.gaps.Push(format.Event{Kind: format.KindGap, Time: from, End: max(until, from), Bytes: bytes, Name: why})
}

// known returns a time of the trace, NoTime for 0, which stands for none.
func known(t int64) int64 {
	if t == 0 {
		return format.NoTime
	}
	return t
}

// Stats describes what has been read so far.
func (r *Reader) Stats() format.Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.said
	s.Format, s.Events = fmt.Sprintf("contend %d", r.split.version), r.events
	s.BytesRead, s.BytesTotal = r.split.read-r.damaged, r.split.read
	return s
}

// Close stops reading ahead; the input stays open.
func (r *Reader) Close() error {
	r.close()
	return nil
}
