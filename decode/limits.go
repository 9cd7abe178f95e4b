package decode

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"contend/format"
)

// Limits bound what an input may make the program do. The zero value means the
// defaults.
type Limits struct {
	Unproductive int64 // bytes read in a row, unpacked, without an event coming of them; 0 means DefaultUnproductive
	Unpacked     int64 // bytes a compressed input may unpack to; 0 means DefaultUnpacked
}

// The default limits. An endless stream and a compressed file of zeros reach the first one
// within seconds; no chunk of a JVM's recording is near it. The second one ends an input that
// keeps yielding events.
const (
	DefaultUnproductive int64 = 512 << 20
	DefaultUnpacked     int64 = 64 << 30
)

// eventCount counts the events of a trace, so that its guards know whether their bytes
// yield any. It counts only after a guard has asked: most events cost nothing.
type eventCount struct {
	asked atomic.Bool
	count atomic.Int64 // of such events
}

// event counts an event.
func (p *eventCount) event() {
	if p.asked.Load() {
		p.asked.Store(false)
		p.count.Add(1)
	}
}

// guard ends an input at a limit as if it were cut off there, so that everything before it is
// used, and remembers which limit it was. A decoder may read from it on another goroutine,
// ahead of the events.
type guard struct {
	in           io.Reader
	events       *eventCount
	seen         int64                 // its count when it was last looked at
	read         atomic.Int64          // bytes given
	mark         int64                 // of these, when the last event was noticed
	unproductive atomic.Int64          // limit of bytes between two events
	allowed      int64                 // in all; 0 means no limit
	hit          atomic.Pointer[error] // wraps ErrLimit
}

func (l Limits) guard(in io.Reader, p *eventCount, packed bool) *guard {
	g := &guard{in: in, events: p}
	g.unproductive.Store(cmp.Or(max(l.Unproductive, 0), DefaultUnproductive))
	if packed {
		g.allowed = cmp.Or(max(l.Unpacked, 0), DefaultUnpacked)
	}
	return g
}

func (g *guard) Read(p []byte) (int, error) {
	read := g.read.Load()
	if n := g.events.count.Load(); n != g.seen {
		g.seen, g.mark = n, read
	}
	g.events.asked.Store(true)
	switch unproductive := read - g.mark; {
	case g.limit() != nil:
		return 0, io.ErrUnexpectedEOF
	case unproductive > g.unproductive.Load():
		return 0, g.stop(fmt.Errorf("no event in %d bytes: %w", unproductive, format.ErrLimit))
	case g.allowed > 0 && read > g.allowed:
		return 0, g.stop(fmt.Errorf("unpacks to more than %d bytes: %w", g.allowed, format.ErrLimit))
	}
	n, err := g.in.Read(p)
	g.read.Add(int64(n))
	return n, err
}

func (g *guard) stop(why error) error {
	g.hit.Store(&why)
	return io.ErrUnexpectedEOF
}

// limit returns the limit that ended the input, nil if none did.
func (g *guard) limit() error {
	if g == nil {
		return nil // the text of it was in memory
	}
	if why := g.hit.Load(); why != nil {
		return *why
	}
	return nil
}

// lift removes the limits. A decompressor may be reading concurrently.
func (g *guard) lift() { g.unproductive.Store(math.MaxInt64) }

// explain replaces the error of a decoder for an input that a limit ended before its first
// event.
func (g *guard) explain(name string, err error) error {
	if g.limit() == nil {
		return err
	}
	return fail(name, "input", g.limit(), limitHint)
}

const limitHint = "if it is a trace nevertheless, raise the limit with --max-barren or --max-unpacked"

// warn adds a warning with the limit that ended the input.
func (g *guard) warn(name string, s *format.Stats) {
	hit := g.limit()
	if hit == nil {
		return
	}
	why := hit.Error()
	s.Warnings, s.Damage.Places = slices.Clip(s.Warnings), slices.Clip(s.Damage.Places) // the input keeps its own
	s.Warnings = append(
		s.Warnings,
		format.Warning{Code: format.CodeLostData, Text: fmt.Sprintf("%s: given up: %s; %s", name, why, limitHint)},
	)
	s.Damage.AddDamage(
		format.Damage{
			Pos:    format.Pos{File: name, Off: g.read.Load()},
			Code:   format.CodeLostData,
			Why:    "given up: " + why,
			Events: format.UnknownEvents,
			From:   format.NoTime,
			Until:  format.NoTime,
		},
	)
}

// pipeWait is how long to wait for a writer of a named pipe.
const pipeWait = 10 * time.Second

var errNoWriter = errors.New("no process writes to this named pipe")

// openPatiently opens a file. A named pipe opens once it has a writer, which
// may be never.
func openPatiently(path string, wait time.Duration) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return os.Open(path)
	}
	type opened struct {
		*os.File
		error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.File, o.error
	case <-time.After(wait):
		go func() { // a process that writes later finds no reader
			if o := <-done; o.File != nil {
				o.Close()
			}
		}()
		return nil, fail(
			path,
			"named pipe",
			fmt.Errorf("%w: %w", errNoWriter, format.ErrTruncated),
			"start what writes to it first, or pipe it to standard input",
		)
	}
}
