package gotrace

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"

	"contend/format"
	"contend/format/human"

	"golang.org/x/exp/trace"
)

// ended converts the end of a trace to the error of Read: io.EOF for an intact trace, or
// for a damaged one, which a warning reports; else the input's error.
func (r *Reader) ended(err error) error {
	switch {
	case r.in.err != nil:
		return fmt.Errorf("%s: %w", r.in.name, r.in.err)
	case errors.Is(err, io.EOF) && r.in.whole():
		r.in.mark()
		return io.EOF
	}
	r.lost(err)
	return io.EOF
}

// lost reports that the trace is damaged after the last whole generation.
func (r *Reader) lost(err error) {
	r.in.drain()
	n := r.in.taken() - r.in.sound
	code, why := format.CodeTruncated, format.ErrTruncated
	if !r.in.early(err) {
		code, why = format.CodeLostData, format.ErrCorrupt
	}
	pos := format.Pos{File: r.in.name, Off: r.in.sound}
	r.Said.Warn(
		code,
		human.Say(
			"%s: generation: %v; %v bytes not read, about a second of a trace can only be read as a whole",
			pos,
			why,
			n,
		),
	)
	r.Said.Damage.AddDamage(
		format.Damage{
			Pos:    pos,
			Code:   code,
			Why:    "generation: " + why.Error(),
			Bytes:  n,
			Events: format.UnknownEvents,
			From:   r.wall(r.last),
			Until:  format.NoTime,
		},
	)
	r.Push(format.Event{Kind: format.KindGap, Time: r.wall(r.last), End: r.wall(r.last), Bytes: n, Name: why.Error()})
}

// recoverLibrary ends the trace if the library panics, as it does for damaged input that
// breaks one of its invariants, while reading or inspecting an event. Panics of this
// program's own code continue.
func (r *Reader) recoverLibrary(err *error) {
	p := recover()
	if p == nil {
		return
	}
	if !ofLibrary() {
		panic(p)
	}
	*err = r.ended(fmt.Errorf("%w: %v", format.ErrCorrupt, p))
}

// The packages that read the events, and this one.
var library, own = reflect.TypeFor[trace.Event]().PkgPath(), reflect.TypeFor[Reader]().PkgPath()

// ofLibrary reports, during a panic, whether the library's code panicked, or code it
// called: the innermost frame of the library or this program is the library's.
func ofLibrary() bool {
	var at [64]uintptr
	frames := runtime.CallersFrames(at[:runtime.Callers(0, at[:])])
	for panics, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panics = true
		case panics && strings.HasPrefix(f.Function, library):
			return true
		case panics && strings.HasPrefix(f.Function, own):
			return false
		}
	}
	return false
}
