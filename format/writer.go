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
	BlockSize int // raw bytes per block; 0 means DefaultBlock
}

// DefaultBlock is the raw size of a block: a few thousand events, so that
// damage costs little and a reader has enough to do in parallel.
const DefaultBlock = 128 << 10

// Writer writes a contend trace. Memory does not grow with the trace.
type Writer struct {
	out    io.Writer
	o      WriterOptions
	raw    []byte
	stored []byte
	block  []byte
	first  int64
	last   int64
	events uint32 // of the block that is being filled; so are the frames
	frames int
	total  uint64
	zstd   *zstd.Encoder
	flate  *flate.Writer
	err    error
}

// NewWriter writes the file header. The caller closes the Writer, which
// leaves out open.
func NewWriter(out io.Writer, o WriterOptions) (*Writer, error) {
	if o.BlockSize <= 0 {
		o.BlockSize = DefaultBlock
	}
	w := &Writer{out: out, o: o}
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
	head := append(binary.LittleEndian.AppendUint16([]byte(Magic), Version), 0, 0)
	_, err = out.Write(head)
	return w, err
}

// Write appends an event. KindEnd is left out: Close writes it.
func (w *Writer) Write(ev *Event) error {
	if w.err != nil || !ev.Kind.written() {
		return w.err
	}
	w.total++
	w.appendEvent(ev)
	if len(w.raw) >= w.o.BlockSize || w.events > MaxBlockEvents-2 ||
		w.frames > MaxBlockFrames-MaxFrames { // Close adds one
		w.flush()
	}
	return w.err
}

func (w *Writer) appendEvent(ev *Event) {
	if w.events == 0 {
		w.first = w.last // carries on, so that a reader knows when a lost block ended
	}
	w.events++
	w.raw = AppendEvent(w.raw, ev, &w.last)
	w.frames += min(len(ev.Frames), MaxFrames)
}

// Close writes the end event and the last block.
func (w *Writer) Close() error {
	if w.err == nil {
		w.appendEvent(&Event{Kind: KindEnd, Time: w.last, Count: w.total})
		w.flush()
	}
	if w.zstd != nil {
		w.zstd.Close()
	}
	return w.err
}

func (w *Writer) flush() {
	if len(w.raw) > MaxBlock {
		w.err = fmt.Errorf("event of %d bytes: %w", len(w.raw), ErrLimit)
		return
	}
	if w.err != nil || w.events == 0 {
		return
	}
	h := BlockHeader{Version: Version, Raw: uint32(len(w.raw)), Codec: w.o.Codec, Events: w.events, First: w.first}
	stored := w.compress()
	if len(stored) >= len(w.raw) { // did not help
		stored, h.Codec = w.raw, Plain
	}
	h.Stored = uint32(len(stored))
	w.block = append(h.Append(w.block[:0], stored), stored...)
	_, w.err = w.out.Write(w.block)
	w.raw = w.raw[:0]
	w.events = 0
	w.frames = 0
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
