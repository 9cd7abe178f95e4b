package native

import (
	"bytes"
	"fmt"
	"io"

	"contend/format"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
)

// blockEvents is one block. Its events are decoded as they are read: decoded, they take far more
// memory than their bytes, which fit the processor's caches.
type blockEvents struct {
	block  block
	raw    []byte
	rest   []byte  // of raw: events to be read
	places []place // of version 2: the events, some of them several times
	read   int     // how many events were
	last   int64   // time of the one read last
	arena  format.Arena
	fault  string // why the rest of the block cannot be decoded
	eof    error  // io.EOF or what the input returned, on the last batch
	ready  chan struct{}
}

// fill makes the events of the batch's block readable.
func (b *blockEvents) fill(z *zstd.Decoder) {
	b.arena.Reset()
	b.read = 0
	b.rest = nil
	b.places = b.places[:0]
	b.last = b.block.header.First
	b.fault = ""
	raw, err := b.unpack(z)
	switch {
	case err != nil:
		b.fault = fmt.Sprintf("block: %v", err)
	case b.block.header.Version == format.Version2:
		b.expand(raw)
	default:
		b.rest = raw
	}
}

// next decodes the next event, valid until the following call; false at the end of the
// block, and at a fault.
func (b *blockEvents) next(ev *format.Event) bool {
	if b.read < len(b.places) {
		p := &b.places[b.read]
		b.rest, b.last = b.raw[p.at:], p.from
	}
	switch {
	case len(b.rest) == 0:
		return false
	case b.read == int(b.block.header.Events):
		b.stop(tooMany(b.read))
		return false
	}
	kind, body, rest, err := format.CutEvent(b.rest)
	if err == nil {
		err = format.DecodeFields(kind, body, ev, &b.last, &b.arena)
	}
	if err != nil {
		b.stop(undecoded(b.read, err))
		return false
	}
	b.rest = rest
	if b.read < len(b.places) {
		b.rest = nil
		if p := &b.places[b.read]; p.again {
			ev.Intended = ev.Time + p.late
		}
	}
	b.read++
	return true
}

// tooMany is the error of a block with more events than its header says.
func tooMany(events int) string {
	return fmt.Sprintf("block: more than the %d events its header counts", events)
}

// undecoded is the error of an event that does not decode, with the number of events before
// it.
func undecoded(before int, err error) string {
	return fmt.Sprintf("event %d of the block: %v", before, err)
}

// stop ends the batch at a fault.
func (b *blockEvents) stop(fault string) {
	b.rest = nil
	b.places = b.places[:0]
	b.fault = fault
}

// unpack decompresses at most the raw length of the header.
func (b *blockEvents) unpack(z *zstd.Decoder) ([]byte, error) {
	h := &b.block.header
	var err error
	switch h.Codec {
	case format.Zstd:
		b.raw, err = z.DecodeAll(b.block.bytes, b.raw[:0])
	case format.Deflate:
		buf := bytes.NewBuffer(b.raw[:0])
		_, err = buf.ReadFrom(io.LimitReader(flate.NewReader(bytes.NewReader(b.block.bytes)), int64(h.Raw)+1))
		b.raw = buf.Bytes()
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
