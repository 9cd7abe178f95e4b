package unwrap

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the largest length of a line, in bytes; the rest of a longer line is skipped.
const MaxLine = 1 << 20

// Lines splits a text into lines, with any line ends, and counts its position.
type Lines struct {
	in     *bufio.Reader
	number int   // of the line returned last, from 1
	used   int64 // bytes of the input
	whole  int64 // bytes of lines that have an end
	line   []byte
	again  bool // the last line is returned again
	long   []byte
	err    error // sticks
}

// NewLines splits an input of which some lines and bytes are already read.
func NewLines(in io.Reader, buffer, line int, off int64) *Lines {
	return &Lines{in: bufio.NewReaderSize(in, buffer), number: line, used: off, whole: off}
}

// Next returns the next line without its end, good until the next call; ok is false
// at the end of the input. The last line may have no end: see Whole.
func (l *Lines) Next() (line []byte, ok bool) {
	if l.again {
		l.again = false
		return l.line, true
	}
	if l.err != nil {
		return nil, false
	}
	line, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.rest(line)
	}
	l.used += int64(len(line))
	if l.err = err; err == nil {
		l.whole = l.used
	} else if len(line) == 0 {
		return nil, false
	}
	l.number++
	l.line = bytes.TrimRight(line, "\r\n")
	return l.line, true
}

// rest reads on in a line longer than the buffer.
func (l *Lines) rest(line []byte) ([]byte, error) {
	l.long = append(l.long[:0], line...)
	for {
		more, err := l.in.ReadSlice('\n')
		room := max(MaxLine-len(l.long), 0)
		l.used += int64(max(len(more)-room, 0))
		l.long = append(l.long, more[:min(len(more), room)]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.long, err
		}
	}
}

// Unread makes Next return the last line again.
func (l *Lines) Unread() { l.again = true }

// Whole reports whether all that was used of the input are lines with an end.
func (l *Lines) Whole() bool { return l.whole == l.used }

// Line is the number of the line returned last, from 1; 0 before the first.
func (l *Lines) Line() int { return l.number }

// Used is how many bytes of the input are used, and Taken how many were read.
func (l *Lines) Used() int64  { return l.used }
func (l *Lines) Taken() int64 { return l.used + int64(l.in.Buffered()) }

// WholeBytes is how many bytes are of lines with an end.
func (l *Lines) WholeBytes() int64 { return l.whole }

// Err returns the error that ended the input, nil before its end.
func (l *Lines) Err() error { return l.err }
