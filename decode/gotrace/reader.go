package gotrace

import (
	"fmt"
	"io"

	"contend/decode/rules"
	"contend/format"
	"contend/format/column"

	"golang.org/x/exp/trace"
)

// Reader is a format.Source over one trace.
type Reader struct {
	in      *input
	trace   *trace.Reader
	version int // minor: 26 of "go 1.26 trace"

	goroutines map[trace.GoID]*goroutine
	named      format.ThreadID // the last id given
	stacks     stacks
	notes      annotations
	sites      sites
	waits      column.Column[wait]
	late       int64 // nanoseconds of these waits between being woken and running

	clock  int64 // added to a time of the trace to make it one since the Unix epoch; 0 when not known
	first  int64 // time of the first and the last event, on the trace's clock
	last   int64
	events int64

	format.Output
	over   error // io.EOF, or the error of the input, after its end
	closed int   // how many releases and waits are delivered then, or passed over
}

// NewReader reads the header. The rules separate locks from idle waiting; nil means the
// default. The error is a *format.Error: ErrNotMine for input that is not a Go trace,
// ErrVersion for an unsupported version, ErrTruncated for input that ends within its
// header.
func NewReader(in io.Reader, name string, t *rules.Table) (*Reader, error) {
	r := &Reader{in: newInput(in, name), goroutines: map[trace.GoID]*goroutine{}}
	r.stacks.init(t)
	r.notes.init()
	var err error
	if r.version, err = r.in.version(); err != nil {
		return nil, err
	}
	if r.trace, err = trace.NewReader(r.in.buf); err != nil {
		return nil, r.in.fail(
			fmt.Sprintf("trace of Go 1.%d", r.version),
			fmt.Errorf("%w (%w)", format.ErrVersion, err),
			"a newer contend may read it",
		)
	}
	return r, nil
}

// Stats describes what has been read so far.
func (r *Reader) Stats() format.Stats {
	return format.Stats{
		Format:     fmt.Sprintf("go 1.%d trace", r.version),
		Events:     r.events,
		BytesRead:  r.in.sound,
		BytesTotal: r.in.taken(),
		Warnings:   r.Said.Warnings,
		Damage:     r.Said.Damage,
	}
}

// Read delivers the next event. Damage is delivered as KindGap and in the warnings of
// Stats; the error is io.EOF, or the error of the input.
func (r *Reader) Read(ev *format.Event) error { return r.Next(ev, r.step) }

// step reads on, or delivers the events that are kept until the end.
func (r *Reader) step() {
	if r.over == nil {
		if r.over = r.event(); r.over != nil {
			r.finish()
		}
		return
	}
	var ev format.Event
	if r.close(&ev) {
		r.Push(ev)
	} else {
		r.Ended = r.over
	}
}

// event reads one event of the trace and queues its meaning.
func (r *Reader) event() (err error) {
	defer r.recoverLibrary(&err)
	ev, err := r.trace.ReadEvent()
	if err != nil {
		return r.ended(err)
	}
	at := int64(ev.Time())
	if ev.Kind() == trace.EventSync { // it has no meaningful time
		r.sync(&ev)
		return nil
	}
	if r.events == 0 {
		r.first = at
	}
	r.events++
	r.last = max(r.last, at)
	r.in.mark()
	switch ev.Kind() {
	case trace.EventStateTransition:
		if st := ev.StateTransition(); st.Resource.Kind == trace.ResourceGoroutine {
			r.transition(&ev, &st)
		}
	case trace.EventTaskBegin, trace.EventTaskEnd:
		r.notes.task(&ev)
	case trace.EventRegionBegin, trace.EventRegionEnd:
		r.region(&ev)
	}
	return nil
}

// sync begins a generation, about a second of the trace with its own tables, which has been
// read completely; or it ends the trace, or its intact part.
func (r *Reader) sync(ev *trace.Event) {
	r.stacks.forgetHandles()
	if s := ev.Sync().ClockSnapshot; s != nil && r.events == 0 {
		r.clock = s.Wall.UnixNano() - int64(s.Trace)
	}
}

// wall converts a time of the trace.
func (r *Reader) wall(t int64) int64 { return t + r.clock }
