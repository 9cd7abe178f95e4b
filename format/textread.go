package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// TextReader is a Source over the text twin. It keeps at most one line.
//
// A wrong line ends the trace with an *Error that names it, because a person wrote the line
// and can fix it. A trace that just stops is damaged, as a binary one is: the last line
// without a line end may be half of a longer one ("end=30" of "end=300"), so it becomes a
// gap, and Stats has it.
type TextReader struct {
	name  string
	in    *bufio.Scanner
	line  int   // of the text last scanned, from 1
	whole bool  // that line had its line end
	read  int64 // bytes
	lost  int64 // bytes of a line that was cut
	count int64 // events
	last  int64 // the last time seen
	ended bool  // the end line was seen
	said  Stats // from notes, and damage
	err   error
}

// maxLine bounds a line of the text twin, in bytes.
const maxLine = 16 << 20

// NewTextReader reads the header line. The error is a *Error: ErrNotMine,
// ErrVersion or ErrTruncated; or what in returned.
func NewTextReader(in io.Reader, name string) (*TextReader, error) {
	r := &TextReader{name: name, in: bufio.NewScanner(in)}
	r.in.Buffer(nil, maxLine)
	r.in.Split(r.split)
	head, ok := r.next()
	switch {
	case !ok && inputFault(r.in.Err()):
		return nil, r.broken()
	case !r.whole && strings.HasPrefix(TextHeader, head):
		return nil, r.fail("header", ErrTruncated, "the trace was cut off; copy it again")
	case !strings.HasPrefix(head, "contend "):
		return nil, r.fail("header", ErrNotMine, fmt.Sprintf("a trace as text begins with %q", TextHeader))
	case head != TextHeader:
		return nil, r.fail("header", fmt.Errorf("%.40q: %w", head, ErrVersion), "a newer contend reads it")
	}
	return r, nil
}

// Read parses the next line. It ignores empty lines and lines that begin with #. Owners,
// Waiters and Frames are valid until the next call.
func (r *TextReader) Read(ev *Event) error {
	for r.err == nil {
		text, ok := r.next()
		if !ok {
			r.err = r.finish()
			break
		}
		ev.Reset()
		what, err := parseText(text, ev)
		switch {
		case r.ended:
			r.err = r.fail("line behind the end", ErrCorrupt, "")
		case !r.whole && (err != nil || ev.Kind != KindEnd):
			r.cut(text, ev)
			return nil
		case err != nil:
			r.err = r.fail(what, err, "")
		case ev.Kind == KindEnd:
			r.end(ev.Count)
		default:
			r.count++
			if ev.Kind == KindNote {
				r.said.AddNote(ev)
				continue
			}
			if ev.Time != 0 {
				r.last = ev.Time
			}
			return nil
		}
	}
	return r.err
}

// next returns the next line that is neither empty nor a comment.
func (r *TextReader) next() (string, bool) {
	for r.in.Scan() {
		if text := strings.TrimSpace(r.in.Text()); text != "" && text[0] != '#' {
			return text, true
		}
	}
	return "", false
}

// split is a bufio.SplitFunc for lines. It marks a last line without a line end.
func (r *TextReader) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
	i := bytes.IndexByte(data, '\n')
	switch {
	case i >= 0:
		advance, line = i+1, data[:i]
	case atEOF && len(data) > 0:
		advance, line = len(data), data
	default:
		return 0, nil, nil
	}
	r.line++
	r.whole = i >= 0
	r.read += int64(advance)
	return advance, line, nil
}

// cut makes ev the gap of a line without an end.
func (r *TextReader) cut(text string, ev *Event) {
	const why = "line: cut off"
	r.lost = int64(len(text))
	r.damaged(CodeTruncated, why, r.lost, 1)
	*ev = Event{Kind: KindGap, Time: r.last, End: r.last, Bytes: r.lost, Name: why}
}

// end takes the end line. Its count is optional.
func (r *TextReader) end(count uint64) {
	r.ended = true
	if count != 0 && count != uint64(r.count) {
		why := fmt.Sprintf("the end line counts %d events, the trace has %d", count, r.count)
		r.damaged(CodeLostData, why, 0, int64(min(count-min(uint64(r.count), count), math.MaxInt64)))
	}
}

// finish returns io.EOF at the end of the input, with a warning if it was cut between two
// lines, or an error.
func (r *TextReader) finish() error {
	if inputFault(r.in.Err()) {
		return r.broken()
	}
	if !r.ended && r.lost == 0 {
		const why = `the line "end" is missing: the trace was cut off`
		r.damaged(CodeTruncated, why, 0, UnknownEvents)
	}
	return io.EOF
}

// inputFault reports whether an input failed, rather than ended, even early.
func inputFault(err error) bool { return err != nil && !errors.Is(err, io.ErrUnexpectedEOF) }

// broken returns the error of an input that failed in the line after the current one.
func (r *TextReader) broken() error {
	r.line++
	if err := r.in.Err(); !errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s: %w", r.pos(), err)
	}
	return r.fail("line", fmt.Errorf("longer than %d bytes: %w", maxLine, ErrLimit), "")
}

func (r *TextReader) pos() Pos { return Pos{File: r.name, Line: max(r.line, 1)} }

func (r *TextReader) fail(what string, err error, hint string) error {
	return &Error{Pos: r.pos(), What: what, Err: err, Hint: hint}
}

// damaged records that the current line is damaged.
func (r *TextReader) damaged(code, why string, bytes, events int64) {
	r.said.Lose(Damage{Pos: r.pos(), Code: code, Why: why, Bytes: bytes, Events: events, From: r.last, Until: NoTime})
}

// Stats describes what has been read so far.
func (r *TextReader) Stats() Stats {
	s := r.said
	s.Format = TextHeader + " text"
	s.Events = r.count
	s.BytesRead = r.read - r.lost
	s.BytesTotal = r.read
	return s
}

// Close does nothing; the input stays open.
func (r *TextReader) Close() error { return nil }
