package format

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// TextHeader is the first line of the text twin: one event a line, fields as
// key=value in the order of the binary form, zeros left out.
const TextHeader = "contend 1"

// fieldNames are the keys of the text twin.
var fieldNames = [fieldCount]string{
	fThread: "thread", fOwner: "owner", fObject: "lock", fStack: "stack", fTime: "time", fEnd: "end", fIntended: "intended",
	fWeight: "weight", fMode: "mode", fLockKind: "kind", fActivity: "activity", fLive: "live", fIdle: "idle", fHash: "hash",
	fBytes: "bytes", fCount: "count", fName: "name", fGroup: "group", fClass: "class", fValue: "value",
	fFrames: "frames", fOwners: "owners", fWaiters: "waiters",
}

// AppendText appends an event as one line, without its end.
func AppendText(dst []byte, ev *Event) []byte {
	dst = append(dst, ev.Kind.String()...)
	if ev.Kind >= kindCount {
		return dst
	}
	for _, f := range layouts[ev.Kind] {
		at := len(dst)
		dst = append(append(append(dst, ' '), fieldNames[f]...), '=')
		value := len(dst)
		if dst = appendValue(dst, f, ev); len(dst) == value {
			dst = dst[:at]
		}
	}
	return dst
}

// appendValue appends nothing for a zero.
func appendValue(dst []byte, f fieldCode, ev *Event) []byte {
	if p := ev.signed(f); p != nil {
		if *p == 0 {
			return dst
		}
		return strconv.AppendInt(dst, *p, 10)
	}
	if s := ev.text(f); s != nil {
		if *s == "" {
			return dst
		}
		return strconv.AppendQuote(dst, *s)
	}
	switch f {
	case fMode:
		return append(dst, ev.Mode.String()...)
	case fLockKind:
		return append(dst, ev.LockKind.String()...)
	case fActivity:
		return append(dst, ev.Activity.String()...)
	case fFrames:
		for i, fr := range ev.Frames {
			if i > 0 {
				dst = append(dst, ',')
			}
			for _, s := range [...]string{fr.Class, fr.Method, fr.File} {
				dst = append(strconv.AppendQuote(dst, s), ':')
			}
			dst = strconv.AppendInt(dst, int64(fr.Line), 10)
		}
		return dst
	case fOwners:
		return appendPartyText(dst, ev.Owners)
	case fWaiters:
		return appendPartyText(dst, ev.Waiters)
	}
	if n := ev.number(f); n != 0 {
		return strconv.AppendUint(dst, n, 10)
	}
	return dst
}

func appendPartyText(dst []byte, list []Party) []byte {
	for i, p := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, "%d/%d/%s", p.Thread, p.Stack, p.Mode)
	}
	return dst
}

// signed returns the signed field f, nil when f is none.
func (e *Event) signed(f fieldCode) *int64 {
	switch f {
	case fTime:
		return &e.Time
	case fEnd:
		return &e.End
	case fIntended:
		return &e.Intended
	case fWeight:
		return &e.Weight
	case fBytes:
		return &e.Bytes
	}
	return nil
}

// TextWriter is a Sink that writes the text twin.
type TextWriter struct {
	out  *bufio.Writer
	line []byte
}

// NewTextWriter writes the header line. The caller closes the writer, which
// leaves out open.
func NewTextWriter(out io.Writer) *TextWriter {
	w := &TextWriter{out: bufio.NewWriter(out)}
	_, _ = w.out.WriteString(TextHeader + "\n") // Flush reports it
	return w
}

// Write writes one line.
func (w *TextWriter) Write(ev *Event) error {
	w.line = append(AppendText(w.line[:0], ev), '\n')
	_, err := w.out.Write(w.line)
	return err
}

// Close writes what is buffered.
func (w *TextWriter) Close() error { return w.out.Flush() }

// TextReader is a Source over the text twin.
type TextReader struct {
	name  string
	in    *bufio.Scanner
	line  int
	read  int64
	count int64
	err   error
}

// maxLine bounds a line of the text twin.
const maxLine = 16 << 20

// NewTextReader reads the header line. The error is a *Error: ErrNotMine or
// ErrVersion.
func NewTextReader(in io.Reader, name string) (*TextReader, error) {
	r := &TextReader{name: name, in: bufio.NewScanner(in)}
	r.in.Buffer(nil, maxLine)
	head, ok := r.next()
	if !ok || !strings.HasPrefix(head, "contend ") {
		return nil, r.fail("header", ErrNotMine, fmt.Sprintf("a trace as text begins with %q", TextHeader))
	}
	if head != TextHeader {
		return nil, r.fail("header", fmt.Errorf("%.40q: %w", head, ErrVersion), "a newer contend reads it")
	}
	return r, nil
}

func (r *TextReader) next() (string, bool) {
	for r.in.Scan() {
		r.line++
		r.read += int64(len(r.in.Bytes())) + 1
		if text := strings.TrimSpace(r.in.Text()); text != "" && text[0] != '#' {
			return text, true
		}
	}
	return "", false
}

func (r *TextReader) fail(what string, err error, hint string) error {
	return &Error{Pos: Pos{File: r.name, Line: max(r.line, 1)}, What: what, Err: err, Hint: hint}
}

// Read parses the next line. Empty lines and those that begin with # are
// passed over. A line that does not parse ends the trace with a *Error.
func (r *TextReader) Read(ev *Event) error {
	if r.err != nil {
		return r.err
	}
	text, ok := r.next()
	if !ok {
		r.err = io.EOF
		if err := r.in.Err(); errors.Is(err, bufio.ErrTooLong) {
			r.err = r.fail("line", ErrLimit, "")
		} else if err != nil {
			r.err = err
		}
		return r.err
	}
	ev.Reset()
	if what, err := parseText(text, ev); err != nil {
		r.err = r.fail(what, err, "")
		return r.err
	}
	r.count++
	return nil
}

// Stats says what has been read so far.
func (r *TextReader) Stats() Stats {
	return Stats{Format: "contend 1 text", Events: r.count, BytesRead: r.read, BytesTotal: r.read}
}

// Close does nothing; the input stays open.
func (r *TextReader) Close() error { return nil }
