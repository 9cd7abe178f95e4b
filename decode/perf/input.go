package perf

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"contend/format"
)

// input yields the lines of a text and knows where it is.
type input struct {
	name  string
	buf   *bufio.Reader
	line  int
	bytes int64 // of whole lines
	total int64 // and of what was met besides
	long  []byte
	err   error // sticks
}

// longest is how long a line may be; what is longer is cut.
const longest = 1 << 20

func newInput(in io.Reader, name string) *input {
	return &input{name: name, buf: bufio.NewReaderSize(in, 256<<10)}
}

// next returns a line without its end, good until the next call; ok is false at
// the end. A last line without an end may be a part of one, and is not returned.
func (in *input) next() (line []byte, ok bool) {
	if in.err != nil {
		return nil, false
	}
	line, err := in.buf.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = in.rest(line)
	}
	in.total += int64(len(line))
	if err != nil {
		in.err = err
		return nil, false
	}
	in.line++
	in.bytes = in.total
	line = line[:len(line)-1]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, true
}

// rest reads on in a line longer than the buffer.
func (in *input) rest(line []byte) ([]byte, error) {
	in.long = append(in.long[:0], line...)
	for {
		more, err := in.buf.ReadSlice('\n')
		if room := longest - len(in.long); len(more) > room {
			in.total += int64(len(more) - max(room, 0))
			more = more[len(more)-max(room, 0):] // with its end
		}
		in.long = append(in.long, more...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return in.long, err
		}
	}
}

// ended returns what Read returns at the end: io.EOF, or what the input said.
func (in *input) ended() error {
	if errors.Is(in.err, io.EOF) || errors.Is(in.err, io.ErrUnexpectedEOF) { // the latter of a damaged wrapping
		return io.EOF
	}
	return fmt.Errorf("%s: %w", in.name, in.err)
}

// cut reports whether the input ends within a line, or its wrapping does.
func (in *input) cut() bool {
	return errors.Is(in.err, io.ErrUnexpectedEOF) || in.total > in.bytes
}

func (in *input) pos() format.Pos { return format.Pos{File: in.name, Line: in.line + 1} }
