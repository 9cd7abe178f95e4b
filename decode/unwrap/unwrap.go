package unwrap

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
)

// Mark is what begins with a line.
type Mark uint8

// What may begin.
const (
	None   Mark = iota
	Thread      // a thread, which a sentence of a log may look like
	Header      // a dump
)

// Reader is the text beneath all layers. Without layers it is the input, byte by byte.
type Reader struct {
	in     *bufio.Reader
	begins func(line string) Mark
	found  []layer // the outermost first
	maybe  layer   // found if the next line is one of a thread
	out    []byte  // not delivered from pos on
	pos    int
	ready  int   // bytes that may be delivered: later lines may still get a layer
	starts []int // of the last lines in out
	slowly int   // bytes to take line by line
	rest   bool  // the next bytes belong to a line longer than the buffer
	err    error

	looked  int // Skip found no dump in out up to here
	skipped Skipped

	first  string                   // the process of this text; "" without evidence of several
	others map[string]*bytes.Buffer // the text of other processes; nil while all is treated as one
	order  []string                 // the names of the others, in order
	held   int                      // bytes of their text
	one    bool                     // all is treated as one process

	at    int // where a dump begins in the current line, and its mark
	mark  Mark
	begun bool // a dump or thread did, with a whole line: lines that name threads are its own
}

// layer is one that was found.
type layer interface {
	// strip returns a line without the layer, possibly as several lines or none, each with
	// its end; the whole line if it does not have the layer.
	strip(line []byte) []byte
}

// labelled is a layer that may identify the process of a line; last returns the last one.
type labelled interface{ last() string }

// kinds are the kinds of layers, the self-evident ones first. A new kind is a line here.
var kinds = []struct {
	name string
	find func(r *Reader, text []byte) layer // nil if there is none; text has no line end
}{
	{"odd characters", findOdd},
	{"files one after the other", findSection},
	{"JSON lines", findJSON},
	{"HTML", findHTML},
	{"escaped line ends", findEscaped},
	{"margin", findMargin},
	{"prefix", findPrefix},
}

const (
	maxLayers = 8
	lookback  = 8        // lines before the first of a dump that may have its layers
	chunk     = 64 << 10 // text that is made ready at once
)

// New returns the text of an input in UTF-8. begins returns what begins with a line.
func New(in *bufio.Reader, begins func(line string) Mark) *Reader {
	return &Reader{in: in, begins: begins}
}

// Read implements io.Reader. The error is the input's.
func (r *Reader) Read(p []byte) (int, error) {
	for r.pos == r.ready {
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	n := copy(p, r.out[r.pos:r.ready])
	r.pos += n
	return n, nil
}

// fill makes more text ready.
func (r *Reader) fill() {
	r.drop(r.pos)
	for len(r.out) < chunk && r.err == nil {
		if !r.plain() {
			r.next()
		}
	}
	if r.ready = len(r.out); r.err != nil {
		return
	}
	for len(r.starts) > 0 && r.starts[0] == 0 && len(r.out) >= chunk { // too long a line to be kept back
		r.starts = r.starts[1:]
	}
	if len(r.starts) > 0 {
		r.ready = r.starts[0]
	}
}

// drop forgets the first n bytes of out.
func (r *Reader) drop(n int) {
	r.out = r.out[:copy(r.out, r.out[n:])]
	r.pos = 0
	r.ready = max(r.ready-n, 0)
	r.looked = max(r.looked-n, 0)
	for i := range r.starts {
		r.starts[i] -= n
	}
}

// next reads a line of the input. A line longer than the buffer is passed on unchanged.
func (r *Reader) next() {
	line, err := r.in.ReadSlice('\n')
	r.slowly -= len(line)
	long := err == bufio.ErrBufferFull
	if long {
		err = nil
	}
	if long || r.rest {
		r.emit(line)
	} else if len(line) > 0 {
		r.line(line, 0)
	}
	r.rest = long
	r.err = err
	if err == io.EOF {
		r.flush()
	}
}

// flush delivers the text that a layer holds back.
func (r *Reader) flush() {
	for i, l := range r.found {
		if j, ok := l.(*jsonLines); ok && len(j.partial) > 0 {
			r.line(j.partial, i+1)
		}
	}
}

// line removes the known layers from a line, beginning with one of them, and looks for
// another.
func (r *Reader) line(line []byte, from int) {
	for i := from; i < len(r.found); i++ {
		line = r.found[i].strip(line)
		if end := bytes.IndexByte(line, '\n'); end >= 0 && end < len(line)-1 {
			for one := range bytes.Lines(line) {
				r.line(one, i+1)
			}
			return
		}
	}
	if len(line) == 0 {
		return
	}
	if l := r.find(bytes.TrimRight(line, "\r\n")); l != nil {
		r.addLayer(l, line)
		r.line(line, len(r.found)-1)
		return
	}
	r.emit(line)
}

// find looks for a layer around a line. A doubtful thread line counts if the next line
// belongs to a thread.
func (r *Reader) find(text []byte) layer {
	if l := r.maybe; l != nil {
		r.maybe = nil
		if under := l.strip(text); part(under) || frame.Match(under) {
			return l
		}
	}
	if len(r.found) == maxLayers || len(text) == 0 {
		return nil
	}
	if part(text) && bytes.IndexByte(text, '&') < 0 && bytes.IndexByte(text, '\\') < 0 && !(odd{}).occursIn(text) {
		return nil // most lines of a dump
	}
	r.at, r.mark = r.anchor(text)
	r.begun = r.begun || r.at == 0 && r.mark != None
	for _, k := range kinds {
		if l := k.find(r, text); l != nil {
			return l
		}
	}
	return nil
}

// addLayer puts a layer inside of the known ones, and removes it from the last lines. It
// replaces a prefix that no longer occurs.
func (r *Reader) addLayer(l layer, line []byte) {
	for i, old := range r.found {
		if p, ok := old.(*prefix); ok && p.idle {
			r.found = append(r.found[:i:i], r.found[i+1:]...)
			break
		}
	}
	r.found = append(r.found, l)
	l.strip(bytes.Clone(line))
	r.chooseFirst()
	if len(r.starts) == 0 {
		return
	}
	from := max(r.starts[0], r.pos)
	before := bytes.Clone(r.out[from:])
	r.out = r.out[:from]
	r.starts = r.starts[:0]
	r.looked = min(r.looked, from)
	for line := range bytes.Lines(before) {
		r.emit(l.strip(line))
	}
}

// process returns the process of the last line, as all layers show it.
func (r *Reader) process() (process string) {
	for _, l := range r.found {
		if t, ok := l.(labelled); ok {
			process = joined(process, t.last())
		}
	}
	return process
}

// emit puts text out.
func (r *Reader) emit(line []byte) {
	if r.others != nil && r.divert(line) {
		return
	}
	if len(r.starts) == lookback {
		r.starts = append(r.starts[:0], r.starts[1:]...)
	}
	r.starts = append(r.starts, len(r.out))
	r.out = append(r.out, line...)
}

// parts are how the lines under a thread's first begin.
var parts = [][]byte{[]byte("at "), []byte("- "), []byte("java.lang.Thread.State"), []byte("| ")}

func part(text []byte) bool {
	text = bytes.TrimLeft(text, " \t")
	for _, p := range parts {
		if bytes.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// frame is how JDK 21 writes one to a file.
var frame = regexp.MustCompile(`^ *[\w.@-]+/[^ (]+\.[^ (]+\(.*\)\s*$`)

// anchorAt is how far into a line a dump may begin.
const anchorAt = 256

// anchor finds where a dump begins in a line. After the beginning of the line, it must
// begin with a word.
func (r *Reader) anchor(text []byte) (at int, mark Mark) {
	if part(text) {
		return 0, r.begins(string(text))
	}
	for i := range text[:min(len(text), anchorAt)] {
		if !first[text[i]] || i > 0 && !before[text[i-1]] {
			continue
		}
		if mark := r.begins(string(text[i:])); mark != None {
			return i, mark
		}
	}
	return 0, None
}

// first are the bytes that begin dumps, before those that may precede them.
var first, before = set("\"F=0#-DT3gPCSJc"), set(" \t>\"|+`")

func set(list string) (s [256]bool) {
	for i := range len(list) {
		s[list[i]] = true
	}
	return s
}
