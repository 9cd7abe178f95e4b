// Package decode opens any supported input: it finds out what a file is,
// unwraps compression, and chains several inputs into one trace.
package decode

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"contend/decode/jfr"
	"contend/decode/native"
	"contend/decode/rules"
	"contend/format"
)

// Options of Open.
type Options struct {
	Labels   []string                // of the inputs, in order; "" is the input's name. Given, or with several inputs, each begins with a setting that tells its label
	Rules    *rules.Table            // nil means the default
	Progress func(read, total int64) // called now and then with bytes of input; total is -1 for a stream
}

// Trace is a format.Source over one or several inputs.
type Trace struct {
	inputs  []*input
	current int
	shift   shift
}

// reader is what each decoder gives.
type reader interface {
	format.Source
	Stats() format.Stats
	Close() error
}

// input is one opened file.
type input struct {
	name string
	file *meter
	reader
	unwrap func() // releases the decompressor

	label    string
	labelled bool         // the label is still to be told
	begins   int64        // first time met, 0 when none is
	ahead    *format.List // read already
	fault    error        // and what ended that
}

// Stdin is the name of standard input.
const Stdin = "-"

// Open opens the inputs in order; "-" is stdin. The error is what the
// operating system said, or a *format.Error: ErrNotMine for a file that is no
// trace, ErrVersion, or ErrTruncated for one that ends within its header.
func Open(paths []string, stdin io.Reader, o Options) (*Trace, error) {
	t := &Trace{}
	for _, path := range paths {
		in, err := open(path, stdin, o)
		if err != nil {
			t.Close()
			return nil, err
		}
		t.inputs = append(t.inputs, in)
	}
	if len(paths) > 1 || len(o.Labels) > 0 {
		t.label(o.Labels)
	}
	return t, nil
}

func open(path string, stdin io.Reader, o Options) (*input, error) {
	file, err := openFile(path, stdin, o.Progress)
	if err != nil {
		return nil, err
	}
	in := &input{name: path, file: file}
	r, err := in.sniff(o)
	if err != nil { // r may hold a nil pointer: keep it out of in
		in.Close()
		return nil, err
	}
	in.reader = r
	return in, nil
}

// Close releases all inputs.
func (t *Trace) Close() error {
	var errs []error
	for _, in := range t.inputs {
		errs = append(errs, in.Close())
	}
	return errors.Join(errs...)
}

// Close releases the decoder and the file.
func (in *input) Close() error {
	if in.reader != nil {
		in.reader.Close()
	}
	if in.unwrap != nil {
		in.unwrap()
	}
	return in.file.Close()
}

// Read yields the events of all inputs, one after the other in order of their
// beginning, with the ids of each kept apart.
func (t *Trace) Read(ev *format.Event) error {
	for t.current < len(t.inputs) {
		err := t.inputs[t.current].Read(ev)
		if err == nil {
			t.shift.apply(ev)
			return nil
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		t.current++
		t.shift.advance()
	}
	return io.EOF
}

// Stats adds up what the inputs say. BytesTotal is the size of the files as
// they are stored, compressed or not.
func (t *Trace) Stats() format.Stats {
	var sum format.Stats
	for _, in := range t.inputs {
		s := in.Stats()
		if sum.Format == "" || sum.Format == s.Format {
			sum.Format = s.Format
		} else {
			sum.Format = "several"
		}
		sum.Events += s.Events
		sum.BytesRead += s.BytesRead
		sum.BytesTotal += s.BytesTotal
		sum.Warnings = append(sum.Warnings, s.Warnings...)
	}
	return sum
}

// meter counts the bytes read of a file.
type meter struct {
	io.Reader
	close    func() error
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

func (m *meter) Close() error { return m.close() }

func openFile(path string, stdin io.Reader, progress func(int64, int64)) (*meter, error) {
	if path == Stdin {
		return &meter{Reader: stdin, close: func() error { return nil }, total: -1, progress: progress}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		f.Close()
		return nil, err
	case info.IsDir():
		f.Close()
		return nil, fail(path, "input", fmt.Errorf("is a directory: %w", format.ErrNotMine), "name the recordings in it, or use a pattern such as "+path+"/*.jfr")
	}
	return &meter{Reader: f, close: f.Close, total: info.Size(), progress: progress}, nil
}

func fail(name, what string, err error, hint string) error {
	return &format.Error{Pos: format.Pos{File: name}, What: what, Err: err, Hint: hint}
}

// formats are the kinds of input, the unmistakable first.
var formats = []struct {
	is   func(head []byte) bool
	open func(in *bufio.Reader, name string, o Options) (reader, error)
}{
	{hasPrefix("FLR\x00"), openJFR},
	{hasPrefix(format.Magic[:4]), openNative},
	{hasPrefix("contend "), openText},
}

func openJFR(in *bufio.Reader, name string, o Options) (reader, error) {
	return jfr.NewReader(in, name, jfr.Options{Rules: o.Rules})
}

func openNative(in *bufio.Reader, name string, _ Options) (reader, error) {
	return native.NewReader(in, name)
}

func openText(in *bufio.Reader, name string, _ Options) (reader, error) {
	return format.NewTextReader(in, name)
}
