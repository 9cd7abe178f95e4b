package decode

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"contend/decode/jfr"
	"contend/decode/threaddump"
	"contend/decode/unwrap"
	"contend/format"
)

// input is one file of a trace. If there are many, each is opened twice: to find its kind and
// first time, and again for reading. A pipe can be read only once and stays open in between.
type input struct {
	name  string
	label string
	from  *source

	file   *meter             // nil while closed
	unpack func()             // releases the decompressor; may be nil
	guard  *guard             // between the file or the decompressor and the decoder
	reader *admitted          // nil while closed
	dumps  *threaddump.Reader // it reads from, of thread dumps
	sites  *declared          // it reads from, where the rules declare sites; else nil
	whole  bool               // the file is not wrapped
	stats  format.Stats

	process string        // whose text it is, of several in one stream; else ""
	others  []unwrap.Part // the text of the others, until they are inputs of their own
	part    bool          // it is one of those

	skip     map[jfr.ChunkKey]bool // chunks of a flight recording that another input has
	labelled bool                  // the label has not been delivered yet
	begins   int64                 // first time seen, 0 when none is
	ahead    *format.List          // read already; may be nil
	fault    error                 // what ended the input
}

// source is the part that all inputs of a trace share.
type source struct {
	stdin   io.Reader
	options Options
	events  eventCount
	room    *jfr.Room // all inputs together hold no more that is read ahead; nil: nothing is
}

// room returns the memory for reading ahead of the events, nil if a limit is too close: bytes
// read ahead count against it until they yield an event.
func (l Limits) room() *jfr.Room {
	if l.Unproductive > 0 && l.Unproductive <= 4*jfr.DefaultRoom {
		return nil
	}
	return &jfr.Room{Bytes: jfr.DefaultRoom}
}

// Source is the interface of all decoders.
type Source interface {
	format.Source
	Stats() format.Stats
	Close() error
}

// open makes the decoder.
func (in *input) open() error {
	buf, err := in.plain()
	if err == nil {
		var r Source
		if r, err = in.sniff(buf); err == nil { // else it may hold a nil pointer
			in.decodes(r)
			return nil
		}
	}
	in.release()
	return in.guard.explain(in.name, err)
}

// decodes sets the decoder of the input.
func (in *input) decodes(r Source) {
	in.dumps, _ = r.(*threaddump.Reader)
	if in.sites = declare(r, in.from.options.Rules); in.sites != nil {
		r = in.sites
	}
	in.reader = &admitted{Source: r, name: in.name}
}

// plain opens the file and removes one layer of compression.
func (in *input) plain() (buf *bufio.Reader, err error) {
	if in.file, err = openFile(in.name, in.from.stdin, &in.from.options); err != nil {
		return nil, err
	}
	limits, p := in.from.options.Limits, &in.from.events
	in.guard = limits.guard(in.file, p, false)
	stored := bufio.NewReaderSize(in.guard, in.file.buffer())
	if head, err := stored.Peek(1); len(head) == 0 {
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", in.name, err)
		}
		hint := "the recording may not have been written yet: stop or dump it first"
		if in.name == Stdin {
			hint = "the pipe was empty: name a file, or check the command before it"
		}
		return nil, fail(in.name, "input", fmt.Errorf("empty: %w", format.ErrTruncated), hint)
	}
	buf, in.unpack, err = decompress(stored, in.name)
	if in.whole = buf == stored; err != nil || in.whole {
		return buf, err
	}
	in.guard.lift() // what it decompresses to counts instead
	in.guard = limits.guard(buf, p, true)
	return bufio.NewReaderSize(in.guard, bufferSize), nil
}

// text is plain, for a text.
func (in *input) text() (*bufio.Reader, error) {
	buf, err := in.plain()
	if err != nil {
		return nil, err
	}
	text, _ := unwrapText(buf)
	return text.in, nil
}

// release closes the file.
func (in *input) release() error {
	if in.unpack != nil {
		in.unpack()
	}
	file := in.file
	in.unpack, in.file = nil, nil
	if file == nil {
		return nil
	}
	return file.close()
}

// Close ends the decoder and closes the file. The stats are kept.
func (in *input) Close() error {
	if in.reader != nil {
		in.stats = in.reader.Stats()
		in.reader.Close()
		in.reader = nil
	}
	return in.release()
}

// setAside closes the input until it is read, if it can be opened again. Thread dumps are
// read alternately, and opened by their reader.
func (in *input) setAside() {
	switch {
	case in.part || len(in.others) > 0 || !in.file.again:
	case in.dumps != nil:
		in.dumps.SetAside(in.text, func() { in.release() })
	default:
		in.peek()
		in.Close()
		in.ahead, in.fault = nil, nil
	}
}

// peeked bounds the events read ahead of an input to learn when it begins.
const peeked = 1 << 14

// peek reads up to the first event with a time and keeps what it read. It keeps an error,
// too, which Read returns again.
func (in *input) peek() {
	var ev format.Event
	for in.ahead = (&format.List{}); len(in.ahead.Events) < peeked; {
		if in.fault = in.reader.Read(&ev); in.fault != nil {
			return
		}
		_ = in.ahead.Write(&ev) // a list takes everything
		if ev.Time != 0 {
			in.begins = ev.Time
			return
		}
	}
}

// Read yields the events that peek kept, then those that follow. An input with a label
// begins with the setting that names it.
func (in *input) Read(ev *format.Event) error {
	if in.labelled {
		in.labelled = false
		ev.Reset()
		ev.Kind = format.KindSetting
		ev.Name = format.SettingInput
		ev.Value = in.label
		return nil
	}
	if in.ahead != nil {
		if in.ahead.Read(ev) == nil {
			return nil
		}
		in.ahead = nil
	}
	if in.fault == nil && in.reader == nil {
		in.fault = in.open()
	}
	if in.fault == nil {
		in.fault = in.reader.Read(ev)
	}
	return in.fault
}

// Stats describes what has been read so far.
func (in *input) Stats() format.Stats {
	s := in.stats
	if in.reader != nil {
		s = in.reader.Stats()
	}
	in.guard.warn(in.name, &s)
	return s
}

// meter counts the bytes read of a file.
type meter struct {
	io.Reader
	close    func() error
	again    bool // it can be opened again
	read     int64
	total    int64
	next     int64
	progress func(read, total int64)
}

// progressStep is how many bytes pass between two calls of Progress.
const progressStep = 1 << 20

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.read += int64(n)
	if m.progress != nil && m.read >= m.next {
		m.next = m.read + progressStep
		m.progress(m.read, m.total)
	}
	return n, err
}

// buffer returns the read size: the whole of a short file.
func (m *meter) buffer() int {
	if !m.again || m.total >= bufferSize { // a pipe does not say
		return bufferSize
	}
	return max(int(m.total), sniffed)
}

func openFile(path string, stdin io.Reader, o *Options) (*meter, error) {
	if path == Stdin {
		return &meter{Reader: stdin, close: func() error { return nil }, total: -1, progress: o.Progress}, nil
	}
	f, err := o.Opened[path], error(nil)
	if f == nil {
		f, err = openPatiently(path, pipeWait)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		f.Close()
		return nil, err
	case info.IsDir(): // within a folder: list leaves it out, a link may lead to it
		f.Close()
		return nil, fail(path, "input", fmt.Errorf("is a directory: %w", format.ErrNotMine), "name it itself")
	}
	return &meter{
		Reader:   f,
		close:    f.Close,
		again:    info.Mode().IsRegular(),
		total:    info.Size(),
		progress: o.Progress,
	}, nil
}
