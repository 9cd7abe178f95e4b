package jfr

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"contend/format"
)

// input is a window on what is read: the current chunk, and behind it what was
// read too far. Giving bytes back and reading them again copies nothing, so
// that a file full of false headers costs no more than another.
type input struct {
	in    io.Reader
	buf   []byte // the current chunk
	ahead int    // bytes behind buf, in the same array
	base  int64  // offset of buf in the input
	err   error  // what ended the input
}

// fill makes buf at least n bytes long, growing in steps so that a length that
// lies costs no memory. It returns io.EOF where the input ends early, or what
// the input returned.
func (in *input) fill(n int) error {
	const step = 4 << 20
	for len(in.buf) < n {
		if k := min(n-len(in.buf), in.ahead); k > 0 {
			in.buf, in.ahead = in.buf[:len(in.buf)+k], in.ahead-k
			continue
		}
		if in.err != nil {
			return in.err
		}
		at := len(in.buf)
		k := min(n-at, step)
		in.buf = slices.Grow(in.buf, k)
		got, err := io.ReadFull(in.in, in.buf[at:at+k])
		in.buf = in.buf[:at+got]
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		in.err = err
	}
	return nil
}

// unread gives back what follows offset at of buf.
func (in *input) unread(at int) {
	in.ahead += len(in.buf) - at
	in.buf = in.buf[:at]
}

// advance drops buf and makes the window empty, at the next byte.
func (in *input) advance() {
	in.drop(len(in.buf))
	in.unread(0)
}

// drop forgets the first n bytes of buf. The array is used again once
// nothing in it is.
func (in *input) drop(n int) {
	in.base += int64(n)
	if n == len(in.buf) && in.ahead == 0 {
		in.buf = in.buf[:0]
		return
	}
	in.buf = in.buf[n:]
}

// taken is how much of the input has been used.
func (in *input) taken() int64 { return in.base + int64(len(in.buf)) }

// endAtNextHeader shortens a chunk whose size lies, because it was cut off
// and another recording appended, to where the next chunk begins.
func (r *Reader) endAtNextHeader() {
	if next := r.findHeader(headerSize); next >= 0 {
		r.endsEarly(next)
		r.unread(next)
	}
}

// findHeader returns the offset of the first plausible chunk header at or
// after from, -1 when there is none. The magic alone may occur in data, and at
// each flush a JDK writes a copy of the header as it then is into the chunk.
func (r *Reader) findHeader(from int) int {
	for from < len(r.buf) {
		i := bytes.Index(r.buf[from:], []byte(magic))
		if i < 0 || from+i+headerSize > len(r.buf) {
			return -1
		}
		at := from + i
		if h := parseHeader(r.buf[at:]); h.plausible() && !h.copies(&r.head, r.base+int64(at)-r.chunkAt) {
			return at
		}
		from = at + 1
	}
	return -1
}

func (h *header) plausible() bool {
	return h.major >= 1 && h.major <= 2 && h.minor < 64 && h.ticksPerSecond > 0 && h.ticksPerSecond <= 1e12 && h.startNanos > 0 && h.size >= 0 && h.metadata >= 0
}

// copies reports whether h, met at an offset inside the chunk of another header,
// is that header as it was at a flush: then the chunk ended right behind it.
func (h *header) copies(chunk *header, at int64) bool {
	return at > 0 && h.size == at+headerSize && h.startNanos == chunk.startNanos && h.startTicks == chunk.startTicks
}

// resync gives up on the chunk from offset at and continues at the next
// chunk header, wherever that is. What was searched is not kept.
func (r *Reader) resync(at int, what string) {
	const step = 1 << 20
	from, pos := r.base+int64(at), r.pos(at)
	r.drop(at)
	for searched := 1; ; {
		next := r.findHeader(min(searched, len(r.buf)))
		if next < 0 {
			if done := len(r.buf) - headerSize; done > 0 { // a header may begin in the rest
				r.drop(done)
				searched = 0
			}
			before := len(r.buf)
			if r.fill(before+step) == nil || len(r.buf) > before {
				continue
			}
			next = len(r.buf)
		}
		r.unread(next)
		r.off = next
		r.lostAt(pos, r.taken()-from, "lost-data", what+": "+format.ErrCorrupt.Error())
		return
	}
}
