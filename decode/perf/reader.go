package perf

import (
	"errors"
	"fmt"
	"io"

	"contend/decode/rules"
	"contend/decode/unwrap"
	"contend/format"
)

// Reader is a format.Source over one text.
type Reader struct {
	file    string
	in      *unwrap.Lines
	rules   rules.Memo
	arch    arch
	stacks  stacks
	text    []byte // the line of the current event
	sample  sample // parsed from it
	chained []byte // the text of the call chain after it

	threads   map[int32]*thread
	processes map[int32]*process
	named     format.ThreadID // the last ids given
	locks     format.ObjectID

	first, last int64
	events      int64
	seen        counters

	format.Output
}

// NewReader accepts any text: it skips lines that it does not need and reports them in
// Stats. The rules separate locks from idle waiting; nil means the default ones.
func NewReader(in io.Reader, name string, t *rules.Table) *Reader {
	r := &Reader{
		file:      name,
		in:        unwrap.NewLines(in, 256<<10, 0, 0),
		rules:     rules.NewMemo(t),
		arch:      x86,
		threads:   map[int32]*thread{},
		processes: map[int32]*process{},
		first:     format.NoTime,
		last:      format.NoTime,
	}
	r.stacks.init()
	return r
}

// Stats describes what has been read so far.
func (r *Reader) Stats() format.Stats {
	return format.Stats{
		Format:     "perf script",
		Events:     r.events,
		BytesRead:  r.in.WholeBytes(),
		BytesTotal: r.in.Used(),
		Warnings:   r.Said.Warnings,
		Damage:     r.Said.Damage,
	}
}

// Read delivers the next event. Damage is delivered as KindGap and in the warnings of
// Stats. The error is io.EOF or the error of the input.
func (r *Reader) Read(ev *format.Event) error { return r.Next(ev, r.step) }

func (r *Reader) step() {
	if !r.event() {
		r.Ended = r.ended()
		r.finish(errors.Is(r.Ended, io.EOF))
	}
}

// event reads an event and the call chain after it; false at the end.
func (r *Reader) event() bool {
	line, ok := r.line()
	if !ok {
		return false
	}
	r.text = append(r.text[:0], line...) // the lines that follow overwrite it
	s := &r.sample
	if !s.parse(r.text) {
		r.other(r.text)
		return true
	}
	r.events++
	h := r.handler(s)
	if h.do == nil {
		return true // the lines of its chain are no events
	}
	if s.time > 0 || s.event[0] != recordPrefix[0] { // records of existing objects have no time
		r.clock(s.time)
	}
	if r.chained = r.chained[:0]; h.chain {
		r.chain()
	}
	if s.tid != none || h.nobody {
		h.do(r, s)
	}
	return true
}

// line returns the next line, valid until the next call. A last line without an end may be
// incomplete, and is not returned.
func (r *Reader) line() ([]byte, bool) {
	line, ok := r.in.Next()
	return line, ok && r.in.Whole()
}

// ended returns the result of Read at the end: the error of the input, or io.EOF, also if a
// damaged compression ends the input.
func (r *Reader) ended() error {
	if err := r.in.Err(); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: %w", r.file, err)
	}
	return io.EOF
}

// chain reads the lines of the call chain after an event, up to an empty one.
func (r *Reader) chain() {
	for len(r.chained) < unwrap.MaxLine {
		line, ok := r.line()
		if !ok || len(line) == 0 {
			return
		}
		if line[0] != '\t' {
			var s sample
			if line[0] != ' ' || s.parse(line) {
				r.in.Unread()
				return
			}
		}
		r.chained = append(append(r.chained, line...), '\n')
	}
}

// clock notes the time of an event.
func (r *Reader) clock(t int64) {
	if r.first == format.NoTime {
		r.first, r.last = t, t
	}
	if t < r.last {
		r.seen.late++
		r.seen.latest = max(r.seen.latest, r.last-t)
	}
	r.first, r.last = min(r.first, t), max(r.last, t)
}

// stack returns the id of the call chain of the current event and announces a new one.
func (r *Reader) stack(user bool) format.StackID { return r.chainOf(user).id }

func (r *Reader) chainOf(user bool) chain {
	c, added := r.stacks.chain(r.chained, user)
	if added != nil {
		r.Push(format.Event{Kind: format.KindStack, Stack: c.id, Frames: added})
	}
	return c
}
