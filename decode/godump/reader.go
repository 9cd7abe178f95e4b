// Package godump reads goroutine dumps: what a Go program prints on SIGQUIT or
// a panic under GOTRACEBACK=all, and what /debug/pprof/goroutine?debug=2 and
// runtime.Stack give; one or several, with other text between. A dump shows who
// waits for which lock; it never shows who holds one, and no owner is guessed.
package godump

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"contend/decode/rules"
	"contend/format"

	"github.com/maruel/panicparse/v2/stack"
)

// Options of a Reader.
type Options struct {
	Rules *rules.Table // tells locks from idle waiting; nil means the default
	Off   int64        // bytes of the input before what is read
}

// Reader is a format.Source over the dumps of one input. Each dump is a tick.
// Dumps carry no time: they stand a second apart, and each weighs 1, so that
// what is summed are goroutines, not nanoseconds.
type Reader struct {
	name  string
	in    *counter
	rest  io.Reader
	lines *normalizer        // what is read of the input
	more  []*stack.Goroutine // of the snapshot at hand, belonging to the next dump
	names symbols

	queue      format.Queue
	dumps      int64
	goroutines int64
	waiting    int64    // for locks
	shapes     []string // of deadlocks in the last dump
	warnings   []format.Warning
	damage     format.DamageLog
	err        error // after the queue
}

// apart is the distance between dumps.
const apart = int64(1e9)

// Is reports whether text holds the beginning of a goroutine dump.
func Is(head []byte) bool {
	for line := range strings.Lines(string(head)) {
		if Begins(strings.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}

// Begins tells the first line of a goroutine: `goroutine 7 [running]:`, or of a report
// of deadlocks.
func Begins(line string) bool {
	if strings.HasPrefix(line, string(reportLine)) {
		return true
	}
	rest, ok := strings.CutPrefix(line, string(goroutineHead))
	head, remark, closed := strings.Cut(rest, "]:")
	return ok && closed && rest[0] >= '0' && rest[0] <= '9' && strings.Contains(head, " [") && (remark == "" || remark[0] == ' ')
}

// profileHead begins what debug=1 gives.
const profileHead = "goroutine profile: total "

// IsProfile reports whether text is that: counts of goroutines by stack.
func IsProfile(line string) bool { return strings.HasPrefix(line, profileHead) }

// NotDump is the error of such a profile, which tells neither what goroutines
// wait for nor that they wait. It wraps ErrNotMine.
func NotDump(name string) error {
	return &format.Error{Pos: format.Pos{File: name, Line: 1}, What: "goroutine profile", Err: fmt.Errorf("of debug=1 it does not tell what goroutines wait for: %w", format.ErrNotMine),
		Hint: "take it with debug=2: curl 'http://HOST:PORT/debug/pprof/goroutine?debug=2' > dump.txt"}
}

// NewReader reads the first dump. The error is a *format.Error with
// ErrNotMine for text that holds none, or what the input returned.
func NewReader(in *bufio.Reader, name string, o Options) (*Reader, error) {
	c := &counter{in: in, n: o.Off}
	r := &Reader{name: name, in: c, lines: &normalizer{in: bufio.NewReader(&depthLimit{in: c, start: true})}, names: newSymbols(o.Rules)}
	r.rest = r.lines
	r.advance()
	if r.dumps == 0 && (c.err != nil || r.lines.stuck == "") {
		if c.err != nil {
			return nil, fmt.Errorf("%s: %w", name, c.err)
		}
		return nil, &format.Error{Pos: format.Pos{File: name}, What: "goroutine dump", Err: format.ErrNotMine}
	}
	return r, nil
}

// counter counts what is read and keeps a fault of the input.
type counter struct {
	in   io.Reader
	n    int64
	last byte // the last one read
	err  error
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	if n > 0 {
		c.last = p[n-1]
	}
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// Close releases the reader; the input stays open.
func (r *Reader) Close() error { return nil }

// Read delivers the next event. The error is io.EOF, or what the input
// returned.
func (r *Reader) Read(ev *format.Event) error {
	for !r.queue.Pop(ev) {
		if r.err != nil && r.more == nil {
			return r.err
		}
		r.advance()
	}
	return nil
}

// Stats says what has been read so far.
func (r *Reader) Stats() format.Stats {
	s := format.Stats{Format: "goroutine dump", Unit: format.UnitThreads, Events: r.goroutines, BytesRead: r.in.n, BytesTotal: r.in.n, Warnings: r.warnings, Damage: r.damage}
	s.Warnings = append(s.Warnings[:len(s.Warnings):len(s.Warnings)], format.Warning{Code: "no-times",
		Text: "goroutine dumps have no time: what is counted is goroutines seen waiting, in " + format.Some(int(r.dumps), "dump", "dumps together")})
	s.Blind = "goroutine dumps do not tell who holds a lock"
	if why := r.lines.stuck; why != "" {
		s.Warnings = append(s.Warnings, format.Warning{Code: format.RuntimeDeadlock, Text: why})
	}
	for _, shape := range r.shapes {
		s.Warnings = append(s.Warnings, format.Warning{Code: format.LikelyDeadlock, Text: shape})
	}
	if r.waiting > 0 {
		s.Warnings = append(s.Warnings, format.Warning{Code: "no-owners", Text: "goroutine dumps do not tell who holds a lock"})
	}
	return s
}

// advance queues the next dump, or sets err.
func (r *Reader) advance() {
	list := r.more
	if r.more = nil; list == nil {
		list = r.scan()
	}
	if len(list) == 0 {
		return
	}
	seen := map[int]bool{}
	for i, g := range list {
		if seen[g.ID] { // another dump follows without a line between
			list, r.more = list[:i], list[i:]
			break
		}
		seen[g.ID] = true
	}
	r.deliver(list)
}

// scan reads up to the end of the next run of goroutines; none at the end of
// the input, which sets err.
func (r *Reader) scan() []*stack.Goroutine {
	s, suffix, err := snapshot(r.rest)
	r.rest = io.MultiReader(bytes.NewReader(suffix), r.lines)
	within := r.in.last != '\n' && !bytes.ContainsRune(suffix, '\n') // a line of the dump, when this is the end
	switch {
	case r.in.err != nil:
		r.err = r.in.err
	case errors.Is(err, io.EOF) && s != nil && within:
		r.damaged("truncated", format.ErrTruncated)
	case errors.Is(err, io.EOF):
		r.err = io.EOF
	case err != nil && within:
		r.damaged("truncated", format.ErrTruncated)
	case err != nil:
		r.damaged("lost-data", fmt.Errorf("%w (%.200q)", format.ErrCorrupt, err))
	}
	if err != nil && (s == nil || len(s.Goroutines) == 0) && r.err == nil {
		r.err = io.EOF
	}
	if s == nil {
		return nil
	}
	return s.Goroutines
}

// maxWarnings bounds what a badly damaged input can say.
const maxWarnings = 16

func (r *Reader) damaged(code string, err error) {
	r.damage.Add(format.Damage{Pos: format.Pos{File: r.name, Off: r.in.n}, Code: code, Why: fmt.Sprintf("goroutine dump: %v", err), Events: format.UnknownEvents, From: format.NoTime, Until: format.NoTime})
	if len(r.warnings) < maxWarnings {
		r.warnings = append(r.warnings, format.Warning{Code: code, Text: fmt.Sprintf("%s: goroutine dump: %v", r.name, err)})
	}
}

// snapshot guards against what the library does not expect of damaged text.
func snapshot(in io.Reader) (s *stack.Snapshot, suffix []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("%v", p)
		}
	}()
	return stack.ScanSnapshot(in, io.Discard, &stack.Opts{})
}

// deliver queues the events of one dump.
func (r *Reader) deliver(list []*stack.Goroutine) {
	at := r.dumps * apart
	r.dumps++
	r.goroutines += int64(len(list))
	r.shapes = patterns(list)
	tick := format.Event{Kind: format.KindTick, Time: at, Weight: 1, Live: uint32(len(list))}
	r.names.joinHalves(list)
	var locks, others []format.Event
	index := map[format.ObjectID]int{}
	for _, g := range list {
		w, what := r.names.goroutine(g)
		switch what {
		case rules.Unknown:
			if waits(g) {
				tick.IdleThreads++
				others = append(others, r.names.idle(g, at, false))
			}
		case rules.Idle, rules.Resource:
			tick.IdleThreads++
			others = append(others, r.names.idle(g, at, what == rules.Resource))
		case rules.Lock:
			r.waiting++
			i, ok := index[w.lock]
			if !ok {
				i = len(locks)
				index[w.lock] = i
				locks = append(locks, format.Event{Kind: format.KindContention, Time: at, Weight: 1, Object: w.lock,
					Owners: []format.Party{{}}})
			}
			locks[i].Waiters = append(locks[i].Waiters, w.party)
		}
	}
	r.queue.Push(r.names.metadata...)
	r.names.metadata = r.names.metadata[:0]
	r.queue.Push(tick)
	r.queue.Push(others...)
	r.queue.Push(locks...)
}
