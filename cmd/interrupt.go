package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"

	"contend/format"
)

// reading is a trace that is being read. Ctrl-C stops the reading, and the answer is computed
// from what was read. A second Ctrl-C ends the program, as does one during the computation.
type reading struct {
	format.Source
	env     *env
	events  atomic.Int64 // read so far, updated now and then
	n       int64
	nextSet int64 // when events is set again
	stopped atomic.Bool
	early   bool // reading stopped before the end
	presses chan os.Signal
}

// countEvery is the number of events between two updates of the shared count.
const countEvery = 1 << 10

// listen begins to wait for Ctrl-C until the function it returns is called.
func (e *env) listen(src format.Source) (r *reading, done func()) {
	r = &reading{Source: src, env: e, presses: make(chan os.Signal, 1)}
	e.bar.events = &r.events
	if !e.interruptible {
		return r, func() {}
	}
	signal.Notify(r.presses, os.Interrupt)
	over := make(chan struct{}) // ends the goroutine: after signal.Stop no press may come
	e.readingTrace.Store(true)
	go func() {
		select {
		case <-r.presses:
			r.stopped.Store(true)
		case <-over:
		}
		signal.Stop(r.presses) // the next press has its usual meaning
	}()
	return r, func() { signal.Stop(r.presses); close(over); e.readingTrace.Store(false) }
}

// Read yields the next event; io.EOF once the input is over or interrupted.
func (r *reading) Read(ev *format.Event) error {
	if r.n >= r.nextSet {
		r.events.Store(r.n)
		r.nextSet = r.n + countEvery
	}
	r.n++
	if r.stopped.Load() {
		r.env.bar.erase()
		r.env.warn("interrupted: answering from what was read so far; Ctrl-C again ends that, too")
		r.early, r.env.interruptible = true, false
		return io.EOF
	}
	err := r.Source.Read(ev)
	if errors.Is(err, io.EOF) {
		signal.Stop(r.presses)
		r.env.bar.work()
	}
	return err
}

// warnUnread adds a warning if the input was not read to its end.
func (r *reading) warnUnread(s *format.Stats) {
	if !r.early {
		return
	}
	why := fmt.Sprintf("interrupted after %d events: the rest was not read", r.n-1)
	s.Warnings = append(s.Warnings, format.Warning{Code: format.CodeInterrupted, Text: why})
	s.Damage.AddDamage(
		format.Damage{
			Code:   format.CodeTruncated,
			Why:    why,
			Events: format.UnknownEvents,
			From:   format.NoTime,
			Until:  format.NoTime,
		},
	)
}

// isClosed reports whether a channel on which nothing is sent is closed.
func isClosed(c chan bool) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// removeAtEnd calls remove, which deletes unfinished files, if a signal ends the program
// before kept is called. A Ctrl-C that only stops the reading of a trace does not count.
func (e *env) removeAtEnd(remove func()) (kept func()) {
	signals, over := make(chan os.Signal, 1), make(chan bool)
	signal.Notify(signals, endings()...)
	go func() {
		for {
			select {
			case <-over:
				return
			case s := <-signals:
				if s == os.Interrupt && (e.readingTrace.Swap(false) || isClosed(over)) {
					continue // this Ctrl-C stopped the reading; the command may have ended since
				}
				remove()
				signal.Reset(s)
				if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) != nil {
					_ = self.Kill() // Windows has no other signal
				}
			}
		}
	}()
	return func() { signal.Stop(signals); close(over) }
}
