package jfr

import (
	"errors"
	"io"
	"slices"
)

// input is a window on the input: the current chunk, and the bytes read beyond it. Bytes can
// be given back and read again without a copy, so that a file full of false headers costs no
// more than others.
type input struct {
	in    io.Reader
	buf   []byte // the current chunk
	ahead int    // bytes after buf, in the same array
	base  int64  // offset of buf in the input
	err   error  // what ended the input
}

// step is how much is read at a time.
const step = 4 << 20

// fill makes buf at least n bytes long. It returns io.EOF if the input ends early, or the
// error of the input.
func (in *input) fill(n int) error {
	for len(in.buf) < n {
		if k := min(n-len(in.buf), in.ahead); k > 0 {
			in.buf, in.ahead = in.buf[:len(in.buf)+k], in.ahead-k
			continue
		}
		if in.err != nil {
			return in.err
		}
		in.grow(n)
		at := len(in.buf)
		k := min(n, cap(in.buf), at+step) - at
		got, err := io.ReadFull(in.in, in.buf[at:at+k])
		in.buf = in.buf[:at+got]
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		in.err = err
	}
	return nil
}

// grow makes room for some of n bytes, of which buf holds fewer: a length that lies
// may cost a few times the memory of what was read, or of a chunk that was as long
// as it said. The array is copied each time, so it grows before it holds much, or once
// it is full.
func (in *input) grow(n int) {
	held, room := len(in.buf), cap(in.buf)
	if room < n && (held <= headerSize || held == room) {
		in.buf = slices.Grow(in.buf, min(n, max(step, 4*held, 2*room))-held)
	}
}

// unread gives back the bytes of buf from offset at.
func (in *input) unread(at int) {
	in.ahead += len(in.buf) - at
	in.buf = in.buf[:at]
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

// maxMoved is how many bytes behind buf are copied into another array, at most.
const maxMoved = 64 << 10

// leave makes the window empty, at the next byte, so that buf can be kept. It goes on in
// another array, or behind buf where much has been read too far: copying that for each
// of many short chunks would cost the square of it.
func (in *input) leave(array []byte) {
	in.base += int64(len(in.buf))
	rest := in.buf[len(in.buf):]
	if in.ahead <= maxMoved {
		rest = append(array[:0], rest[:in.ahead]...)
	}
	in.buf = rest[:0]
}

// kept returns buf for a chunk, which may use its array again as far as the window does
// not go on in it.
func (in *input) kept() []byte {
	if in.ahead <= maxMoved {
		return in.buf
	}
	return slices.Clip(in.buf)
}
