package format

import (
	"bufio"
	"io"
	"strconv"
)

// TextHeader is the first line of the text twin: one event a line, fields as
// key=value in the order of the binary form, zeros left out.
const TextHeader = "contend 1"

// fieldNames are the keys of the text twin.
var fieldNames = [fieldCount]string{
	fThread:   "thread",
	fOwner:    "owner",
	fObject:   "lock",
	fStack:    "stack",
	fTime:     "time",
	fEnd:      "end",
	fIntended: "intended",
	fWeight:   "weight",
	fMode:     "mode",
	fLockKind: "kind",
	fActivity: "activity",
	fLive:     "live",
	fIdle:     "idle",
	fHash:     "hash",
	fBytes:    "bytes",
	fCount:    "count",
	fName:     "name",
	fGroup:    "group",
	fClass:    "class",
	fValue:    "value",
	fFrames:   "frames",
	fOwners:   "owners",
	fWaiters:  "waiters",
	fFailed:   "failed",
	fWoken:    "woken",
	fAgain:    "again",
	fResource: "resource",
	fNotifier: "notifier",
	fWaits:    "waits",
}

// words has the words of the text twin for the numbers of some fields.
var words = [fieldCount][]string{fMode: modeNames[:], fLockKind: lockKindNames[:], fActivity: activityNames[:]}

// partyModes are the modes of owners and waiters, which a contention line repeats.
var partyModes = [len(modeNames)]byte{Exclusive: 'x', Shared: 's'}

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

// appendValue appends a value; nothing for zero.
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
	case fFrames:
		return appendFrameText(dst, ev.Frames)
	case fOwners:
		return appendPartyText(dst, ev.Owners)
	case fWaiters:
		return appendPartyText(dst, ev.Waiters)
	}
	n := ev.number(f)
	if n == 0 {
		return dst
	}
	if names := words[f]; names != nil {
		return append(dst, name(names, uint8(n))...)
	}
	return strconv.AppendUint(dst, n, 10)
}

func appendFrameText(dst []byte, list []Frame) []byte {
	for i, fr := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		for _, s := range [...]string{fr.Class, fr.Method, fr.File} {
			dst = append(strconv.AppendQuote(dst, s), ':')
		}
		dst = strconv.AppendInt(dst, int64(fr.Line), 10)
	}
	return dst
}

func appendPartyText(dst []byte, list []Party) []byte {
	for i, p := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(strconv.AppendUint(dst, uint64(p.Thread), 10), '/')
		dst = append(strconv.AppendUint(dst, uint64(p.Stack), 10), '/')
		dst = append(dst, partyModes[min(int(p.Mode), len(partyModes)-1)])
	}
	return dst
}

// signed returns the signed field f; nil for other fields.
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
	case fAgain:
		return &e.Again
	}
	return nil
}

// TextWriter is a Sink that writes the text twin.
type TextWriter struct {
	out   *bufio.Writer
	line  []byte
	count uint64
	err   error
}

// NewTextWriter writes the header line. The caller closes the writer, which
// leaves out open.
func NewTextWriter(out io.Writer) *TextWriter {
	w := &TextWriter{out: bufio.NewWriter(out)}
	_, w.err = w.out.WriteString(TextHeader + "\n")
	return w
}

// Write writes one line. KindEnd is left out: Close writes it.
func (w *TextWriter) Write(ev *Event) error {
	if w.err != nil || !ev.Kind.written() {
		return w.err
	}
	w.count++
	return w.put(ev)
}

// Close writes the end line and flushes the buffer.
func (w *TextWriter) Close() error {
	if w.err == nil {
		w.err = w.put(&Event{Kind: KindEnd, Count: w.count})
	}
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.err
}

func (w *TextWriter) put(ev *Event) error {
	w.line = append(AppendText(w.line[:0], ev), '\n')
	_, w.err = w.out.Write(w.line)
	return w.err
}
