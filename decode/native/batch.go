package native

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"contend/format"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
)

// batch is one decoded block.
type batch struct {
	block  block
	events []format.Event
	arena  format.Arena
	raw    []byte
	fault  string // why the rest of the block could not be decoded
	eof    error  // io.EOF or what the input returned, on the last batch
	ready  chan struct{}
}

// reset makes the batch empty. What it held is used again.
func (b *batch) reset() {
	b.arena.Reset()
	b.events, b.fault = b.events[:0], ""
}

// shrink lets go of a used block, and of all there is for the next one where
// the block was far larger than writers make them.
func (b *batch) shrink() {
	if b.block.header.Raw > 4*format.DefaultBlock {
		*b = batch{}
		return
	}
	b.block.bytes = nil
}

// worker decodes blocks; each has its own decompressors.
type worker struct {
	zstd  *zstd.Decoder
	flate io.ReadCloser

	*batch // being filled
	last   int64
	repeats
}

func newWorker() (*worker, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(format.MaxBlock))
	if err != nil {
		return nil, err
	}
	return &worker{zstd: z, flate: flate.NewReader(bytes.NewReader(nil))}, nil
}

// decode fills a batch from its block. Events before a fault are kept.
func (w *worker) decode(b *batch) {
	b.reset()
	raw, err := w.unpack(b)
	if err != nil {
		b.fault = fmt.Sprintf("block: %v", err)
		return
	}
	b.events = slices.Grow(b.events, int(min(b.block.header.Events, uint32(len(raw)/2)))) // an event has two bytes or more
	w.batch, w.last = b, b.block.header.First
	w.repeats.reset()
	for len(raw) > 0 && err == nil {
		if len(b.events) == int(b.block.header.Events) {
			b.fault = fmt.Sprintf("block: more than the %d events its header counts", len(b.events))
			return
		}
		var kind uint64
		var body []byte
		if kind, body, raw, err = format.CutEvent(raw); err == nil {
			err = w.take(kind, body)
		}
	}
	if err != nil {
		b.fault = fmt.Sprintf("event %d of the block: %v", len(b.events), err)
	}
}

// add returns a new event of the batch.
func (b *batch) add() *format.Event {
	n := len(b.events)
	b.events = slices.Grow(b.events, 1)[:n+1]
	return &b.events[n]
}

// unpack decompresses, never to more than the header says.
func (w *worker) unpack(b *batch) ([]byte, error) {
	h := &b.block.header
	var err error
	switch h.Codec {
	case format.Zstd:
		b.raw, err = w.zstd.DecodeAll(b.block.bytes, b.raw[:0])
	case format.Deflate:
		if err = w.flate.(flate.Resetter).Reset(bytes.NewReader(b.block.bytes), nil); err == nil {
			buf := bytes.NewBuffer(b.raw[:0])
			_, err = buf.ReadFrom(io.LimitReader(w.flate, int64(h.Raw)+1))
			b.raw = buf.Bytes()
		}
	default:
		b.raw = append(b.raw[:0], b.block.bytes...)
	}
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", format.ErrCorrupt, err)
	}
	if len(b.raw) != int(h.Raw) {
		return nil, fmt.Errorf("%d bytes for %d: %w", len(b.raw), h.Raw, format.ErrCorrupt)
	}
	return b.raw, nil
}
