package gotrace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"contend/format"
)

// headerSize is the length of "go 1.26 trace" with its padding.
const headerSize = 16

const headerStart = "go 1."

// oldest is the first minor version whose traces are read.
const oldest = 22

// input counts the bytes read, so that damage has a position.
type input struct {
	name  string
	in    io.Reader
	buf   *bufio.Reader
	bytes int64 // read from in
	sound int64 // of these, before the damage
	ended bool
	err   error // of the input, other than its end
}

func newInput(in io.Reader, name string) *input {
	i := &input{name: name, in: in}
	i.buf = bufio.NewReaderSize(counter{i}, 64<<10)
	return i
}

// counter is the reader below the buffer.
type counter struct{ in *input }

func (c counter) Read(p []byte) (int, error) {
	n, err := c.in.in.Read(p)
	c.in.bytes += int64(n)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // the latter of a damaged wrapping
		c.in.ended = true
	case err != nil:
		c.in.err = err
	}
	return n, err
}

// Header reports whether an input begins like a Go execution trace, or ends
// within what could be the header of one.
func Header(head []byte) bool {
	_, err := minor(head)
	return err == nil || len(head) < headerSize && strings.HasPrefix(string(head), headerStart)
}

var errHeader = errors.New("no header of a Go trace")

// minor reads the version out of a header: 26 of "go 1.26 trace\0\0\0".
func minor(head []byte) (int, error) {
	text, _, ok := strings.Cut(string(head[:min(len(head), headerSize)]), " trace\x00\x00\x00")
	digits, found := strings.CutPrefix(text, headerStart)
	if !ok || !found {
		return 0, errHeader
	}
	v, err := strconv.ParseUint(digits, 10, 8)
	return int(v), err
}

// version checks the header and leaves it unread.
func (in *input) version() (int, error) {
	head, _ := in.buf.Peek(headerSize)
	v, err := minor(head)
	switch {
	case in.err != nil:
		return 0, fmt.Errorf("%s: %w", in.name, in.err)
	case err != nil && len(head) < headerSize && strings.HasPrefix(string(head), headerStart):
		return 0, in.fail(
			"header",
			format.ErrTruncated,
			"the trace may not have been stopped: call trace.Stop before the program ends",
		)
	case err != nil:
		return 0, in.fail("header", format.ErrNotMine, "")
	case v < oldest:
		return 0, in.fail(
			fmt.Sprintf("trace of Go 1.%d", v),
			format.ErrVersion,
			"build the program with Go 1.22 or later and record again: older traces lack the stacks of unlocking "+
				"goroutines",
		)
	}
	return v, nil
}

func (in *input) fail(what string, err error, hint string) error {
	return &format.Error{Pos: format.Pos{File: in.name}, What: what, Err: err, Hint: hint}
}

// taken returns how many bytes were used.
func (in *input) taken() int64 { return in.bytes - int64(in.buf.Buffered()) }

// mark notes that the input is intact so far. The library reads a whole generation before
// it delivers its first event, so a later fault loses the generation.
func (in *input) mark() { in.sound = in.taken() }

// whole reports whether the input was read to its end.
func (in *input) whole() bool { return in.ended && in.buf.Buffered() == 0 }

// drain reads the rest of the input, to count the lost bytes.
func (in *input) drain() {
	_, _ = io.Copy(io.Discard, in.buf) // an error ends the damaged part as well
}

// early reports whether an error of the library means that the input ends too
// soon rather than that it is damaged. It does not always keep the cause.
func (in *input) early(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || in.whole()
}
