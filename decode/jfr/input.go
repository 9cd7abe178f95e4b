package jfr

import (
	"errors"
	"io"
	"slices"
)

// input is a window on the input: the current chunk, and the bytes read beyond it. Bytes
// can be unread without a copy, so that a file full of false headers costs no more than
// others.
type input struct {
	in    io.Reader
	buf   []byte // the current chunk
	ahead int    // bytes after buf, in the same array
	base  int64  // offset of buf in the input
	err   error  // what ended the input
}

// step is how much is read at a time. For a chunk of the JDK's usual length, up to usual, there
// is room from the beginning: memory that is not written to costs nothing.
const (
	step  = 4 << 20
	usual = 16 << 20
)

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

// grow makes room for n bytes, of which buf has fewer: a wrong length may cost a few times
// the memory of the bytes read, or of a chunk of that length. Growing copies the array, so
// it grows while it holds little, or when it is full. slices.Grow would clear all of the new
// array, which takes longer than reading into it.
func (in *input) grow(n int) {
	held, room := len(in.buf), cap(in.buf)
	if room < n && (held <= headerSize || held == room) {
		in.buf = append(make([]byte, 0, min(n, max(usual, 4*held, 2*room))), in.buf...)
	}
}

// unread returns the bytes of buf from offset at to the input.
func (in *input) unread(at int) {
	in.ahead += len(in.buf) - at
	in.buf = in.buf[:at]
}

// drop forgets the first n bytes of buf. The array is reused when nothing in it is needed.
func (in *input) drop(n int) {
	in.base += int64(n)
	if n == len(in.buf) && in.ahead == 0 {
		in.buf = in.buf[:0]
		return
	}
	in.buf = in.buf[n:]
}

// taken returns how many bytes of the input have been used.
func (in *input) taken() int64 { return in.base + int64(len(in.buf)) }

// maxMoved bounds the bytes after buf that are copied into another array.
const maxMoved = 64 << 10

// leave makes the window empty, at the next byte, so that the caller can keep buf. The
// window continues in another array, or after buf if much has been read ahead: copying that
// for each of many short chunks would take quadratic time.
func (in *input) leave(array []byte) {
	in.base += int64(len(in.buf))
	rest := in.buf[len(in.buf):]
	if in.ahead <= maxMoved {
		rest = append(array[:0], rest[:in.ahead]...)
	}
	in.buf = rest[:0]
}

// kept returns buf for a chunk, which may reuse the part of its array that the window does
// not need.
func (in *input) kept() []byte {
	if in.ahead <= maxMoved {
		return in.buf
	}
	return slices.Clip(in.buf)
}
