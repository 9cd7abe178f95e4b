package native

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"contend/format"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
)

// batch is one decoded block. A stretch of ticks, with what was seen at them, is
// one of its events.
type batch struct {
	block     block
	events    []format.Event
	stretches []stretch
	samples   []format.Samples // the stretches, for who wants them
	ticks     []format.Tick
	shown     format.Shown
	plain     []bool   // by scene: nothing in it but locks and idle threads
	numbers   []uint32 // of the parts of all scenes, one after the other
	arena     format.Arena
	raw       []byte
	count     int    // of events, those of stretches each
	fault     string // why the rest of the block could not be decoded
	eof       error  // io.EOF or what the input returned, on the last batch
	ready     chan struct{}
}

// stretch is instants that follow each other, of the batch's ticks.
type stretch struct {
	event    int // that stands for it
	from, to int
	count    int  // of events
	plain    bool // all its scenes are
}

// reset makes the batch empty. What it held is used again.
func (b *batch) reset() {
	b.arena.Reset()
	b.events, b.stretches, b.samples = b.events[:0], b.stretches[:0], b.samples[:0]
	b.ticks, b.numbers, b.plain = b.ticks[:0], b.numbers[:0], b.plain[:0]
	b.shown = format.Shown{Serial: serial.Add(1), Parts: b.shown.Parts[:0], Scenes: b.shown.Scenes[:0]}
	b.count, b.fault = 0, ""
}

// serial tells apart what blocks show, of all traces that are read.
var serial atomic.Uint64

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
	folder
}

func newWorker() (*worker, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(format.MaxBlock))
	if err != nil {
		return nil, err
	}
	return &worker{zstd: z, flate: flate.NewReader(bytes.NewReader(nil)), folder: newFolder()}, nil
}

// decode fills a batch from its block. Events before a fault are kept.
func (w *worker) decode(b *batch) {
	b.reset()
	raw, err := w.raw(b)
	if err != nil {
		b.fault = fmt.Sprintf("block: %v", err)
		return
	}
	w.folder.begin(b)
	for len(raw) > 0 && err == nil {
		if b.count == int(b.block.header.Events) {
			b.fault = fmt.Sprintf("block: more than the %d events its header counts", b.count)
			break
		}
		var kind uint64
		var body []byte
		if kind, body, raw, err = format.CutEvent(raw); err == nil {
			err = w.take(kind, body)
			raw = w.guess(raw)
		}
	}
	w.close()
	b.link()
	if err != nil {
		b.fault = fmt.Sprintf("event %d of the block: %v", b.count, err)
	}
}

// passOver fills a batch in the place of a block that nobody wants: its first tick
// and its last one, at which nothing is seen.
func (b *batch) passOver() {
	b.reset()
	h := &b.block.header
	b.shown.Scenes, b.count = append(b.shown.Scenes, nil), int(h.Events)
	b.ticks = append(b.ticks, format.Tick{Time: h.Earliest})
	if h.Latest > h.Earliest {
		b.ticks = append(b.ticks, format.Tick{Time: h.Latest})
	}
	b.add()
	b.stretches = append(b.stretches, stretch{0, 0, len(b.ticks), b.count, true})
	b.link()
	b.samples[0].Skipped = &h.Span
}

// add returns a new event of the batch.
func (b *batch) add() *format.Event {
	if len(b.events) < cap(b.events) {
		b.events = b.events[:len(b.events)+1]
	} else {
		b.events = append(b.events, format.Event{})
	}
	return &b.events[len(b.events)-1]
}

// link makes the events of stretches refer to them, once all ticks are there.
func (b *batch) link() {
	b.samples = slices.Grow(b.samples, len(b.stretches))
	for _, s := range b.stretches {
		b.samples = append(b.samples, format.Samples{Ticks: b.ticks[s.from:s.to:s.to], Shown: &b.shown, Events: int64(s.count), Mixed: !s.plain})
		b.events[s.event] = format.Event{Kind: format.KindTick, Time: b.ticks[s.from].Time, Samples: &b.samples[len(b.samples)-1]}
	}
}

// raw decompresses, never to more than the header says.
func (w *worker) raw(b *batch) ([]byte, error) {
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
