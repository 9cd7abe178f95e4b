package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
)

// WriterOptions of a Writer.
type WriterOptions struct {
	Codec     Codec
	BlockSize int    // raw bytes per block; 0 means DefaultBlock
	Version   uint16 // of the format; 0 means Version
}

// DefaultBlock is the raw size of a block: a few thousand events, so that
// damage costs little and a reader has enough to do in parallel.
const DefaultBlock = 128 << 10

// Writer writes a contend trace. Memory does not grow with the trace.
type Writer struct {
	out     io.Writer
	o       WriterOptions
	raw     []byte
	stored  []byte
	block   []byte
	first   int64
	last    int64
	events  uint32
	whole   int // of them, those that are written in full, at most
	frames  int // of the block that is being filled, at most
	repeats repeats
	span    spanner
	total   uint64
	zstd    *zstd.Encoder
	flate   *flate.Writer
	err     error
}

// NewWriter writes the file header. The caller closes the Writer, which
// leaves out open.
func NewWriter(out io.Writer, o WriterOptions) (*Writer, error) {
	if o.BlockSize <= 0 {
		o.BlockSize = DefaultBlock
	}
	if o.Version == 0 {
		o.Version = Version
	}
	w := &Writer{out: out, o: o}
	w.repeats.reset()
	var err error
	switch o.Codec {
	case Zstd:
		w.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	case Deflate:
		w.flate, err = flate.NewWriter(nil, flate.BestSpeed)
	case Plain:
	default:
		err = fmt.Errorf("codec %d: %w", o.Codec, ErrVersion)
	}
	if err != nil {
		return nil, err
	}
	head := append(binary.LittleEndian.AppendUint16([]byte(Magic), o.Version), 0, 0)
	_, err = out.Write(head)
	return w, err
}

// Write appends an event. KindEnd is left out: Close writes it.
func (w *Writer) Write(ev *Event) error {
	if w.err != nil || !ev.Kind.written() {
		return w.err
	}
	w.total++
	r := &w.repeats
	if r.takes(ev) {
		fresh := r.add(ev)
		w.span.part(ev, fresh)
		if r.full(w.o.BlockSize) {
			w.closeInstant()
			w.flush() // what follows is no part of it
		}
		return w.err
	}
	w.closeInstant()
	if ev.Kind == KindTick && w.o.Version != Version1 {
		w.flushFull()
		r.begin(ev)
		w.span.tick(ev)
		return w.err
	}
	w.add(ev)
	w.flushFull()
	return w.err
}

// add appends an event as it is.
func (w *Writer) add(ev *Event) {
	w.begin(1)
	w.span.Holds |= HoldsMore
	if MayRepeat(ev.Kind) && ev.Time == w.last {
		w.repeats.numbered++
	}
	w.raw = AppendEvent(w.raw, ev, &w.last)
	w.frames += min(len(ev.Frames), MaxFrames)
}

// begin makes sure that events can be appended, so many of them.
func (w *Writer) begin(events int) {
	w.raw = w.repeats.appendAgain(w.raw)
	w.count(events)
	w.whole += events
}

// count takes events into the block.
func (w *Writer) count(events int) {
	if w.events == 0 {
		w.first = w.last // carries on, so that a reader knows when a lost block ended
	}
	w.events += uint32(events)
}

// closeInstant writes the open instant, or that one of the block is seen again.
func (w *Writer) closeInstant() {
	r := &w.repeats
	if !r.at.open {
		return
	}
	r.at.open = false
	w.span.close()
	events := 1 + len(r.at.parts)
	if number := r.known(); number > 0 {
		if number != r.again.instant {
			w.raw = r.appendAgain(w.raw)
		}
		w.count(events)
		r.repeat(number, &w.last)
		return
	}
	w.begin(events)
	w.raw = r.appendInstant(w.raw, &w.last)
}

// flushFull ends the block if there is no room in it for much more: Close adds one
// event, and an instant up to mostParts.
func (w *Writer) flushFull() {
	room := 2
	if w.o.Version != Version1 {
		room += mostParts
	}
	if len(w.raw)+len(w.repeats.again.times) >= w.o.BlockSize || w.whole > MaxBlockEvents-room || int(w.events) > MaxBlockFolded-room ||
		w.span.Ticks >= MaxBlockEvents || w.frames > MaxBlockFrames-MaxFrames {
		w.flush()
	}
}

// Close writes the end event and the last block.
func (w *Writer) Close() error {
	if w.err == nil {
		w.closeInstant()
		w.add(&Event{Kind: KindEnd, Time: w.last, Count: w.total})
		w.flush()
	}
	if w.zstd != nil {
		w.zstd.Close()
	}
	return w.err
}

func (w *Writer) flush() {
	w.raw = w.repeats.appendAgain(w.raw)
	if len(w.raw) > MaxBlock {
		w.err = fmt.Errorf("event of %d bytes: %w", len(w.raw), ErrLimit)
		return
	}
	if w.err != nil || w.events == 0 {
		return
	}
	h := BlockHeader{Version: w.o.Version, Raw: uint32(len(w.raw)), Codec: w.o.Codec, Events: w.events, First: w.first, Span: w.span.Span}
	stored := w.compress()
	if len(stored) >= len(w.raw) { // did not help
		stored, h.Codec = w.raw, Plain
	}
	h.Stored = uint32(len(stored))
	w.block = append(h.Append(w.block[:0], stored), stored...)
	_, w.err = w.out.Write(w.block)
	w.raw, w.events, w.whole, w.frames = w.raw[:0], 0, 0, 0
	w.repeats.reset()
	w.span.Span = Span{}
}

func (w *Writer) compress() []byte {
	switch {
	case w.zstd != nil:
		w.stored = w.zstd.EncodeAll(w.raw, w.stored[:0])
	case w.flate != nil:
		buf := bytes.NewBuffer(w.stored[:0])
		w.flate.Reset(buf)
		_, _ = w.flate.Write(w.raw) // a buffer does not fail
		_ = w.flate.Close()
		w.stored = buf.Bytes()
	default:
		return w.raw
	}
	return w.stored
}
