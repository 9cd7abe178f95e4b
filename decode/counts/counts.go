// Package counts reads the output of the contention-profiling agents of
// jpbempel: how often threads found each lock taken, cumulated, and for each
// lock the stack that created it (java.util.concurrent) or that waited first
// (synchronized). It knows no lengths of time and no owners, and makes none
// up: a count of n is a contention event that weighs n.
package counts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"contend/format"
)

// marks are what an input holds near its beginning.
var marks = []string{"creating lock ", "contention detected on ["}

// Is reports whether an input begins like one of contention-profiling.
func Is(head []byte) bool {
	for line := range bytes.Lines(head) {
		for _, m := range marks {
			if bytes.HasPrefix(line, []byte(m)) {
				return true
			}
		}
		if _, _, ok := instant(string(line)); !ok && len(bytes.TrimSpace(line)) > 0 {
			return false
		}
	}
	return false
}

// Reader is a format.Source of contention events that count.
type Reader struct {
	in     *bufio.Scanner
	name   string
	locks  map[int]*lock
	stacks format.StackID // the id given last
	queue  format.Queue
	now    int64 // of the counts being read
	timed  bool
	first  int64
	last   int64 // of the event delivered last
	line   int
	bad    int   // the first line that does not fit, 0 for none
	lost   int64 // bytes of all such lines
	size   int64 // of the line at hand
	damage format.DamageLog
	ended  bool
	stats  format.Stats
}

// lock is one lock counted.
type lock struct {
	id    format.ObjectID
	stack format.StackID // that waits; NoStack when not known
	count int64
}

// maxLine bounds a line; stacks are printed on one.
const maxLine = 1 << 20

// maxLock bounds the numbers of locks.
const maxLock = 1 << 20

// NewReader returns a reader. It gives no errors but io.EOF: a line that does
// not fit is told by Stats.
func NewReader(in *bufio.Reader, name string) *Reader {
	r := &Reader{in: bufio.NewScanner(in), name: name, locks: map[int]*lock{}, first: format.NoTime}
	r.in.Buffer(nil, maxLine)
	r.in.Split(r.split)
	return r
}

// Close implements io.Closer; the input belongs to the caller.
func (r *Reader) Close() error { return nil }

// Stats implements what every decoder tells.
func (r *Reader) Stats() format.Stats {
	s := r.stats
	s.Format, s.Unit, s.BytesTotal = "contention-profiling counts", format.UnitAcquisitions, s.BytesRead
	s.BytesRead -= r.lost
	s.Damage = r.damage
	s.Blind = "the input counts acquisitions: it does not tell who holds a lock"
	s.Warnings = []format.Warning{{Code: "counts-only", Text: "the input counts contended acquisitions; it knows no waiting times and no owners"}}
	if !r.timed {
		s.Warnings = append(s.Warnings, format.Warning{Code: "no-times", Text: "the counts have no time: none per second can be given"})
	}
	if r.bad > 0 {
		s.Warnings = append(s.Warnings, format.Warning{Code: "lost-data", Text: fmt.Sprintf("%s:%d: not a line of contention-profiling; such lines are left out", r.name, r.bad)})
	}
	if err := r.in.Err(); err != nil {
		s.Warnings = append(s.Warnings, format.Warning{Code: "truncated", Text: fmt.Sprintf("%s:%d: %v", r.name, r.line+1, err)})
	}
	return s
}

// Read implements format.Source.
func (r *Reader) Read(ev *format.Event) error {
	for !r.queue.Pop(ev) {
		if r.ended {
			return io.EOF
		}
		r.next()
	}
	return nil
}

// next reads a line.
func (r *Reader) next() {
	if !r.in.Scan() {
		r.ended = true
		if err := r.in.Err(); err != nil {
			r.damaged("truncated", err.Error(), 0)
		}
		if r.timed { // the stretch over which was counted
			r.queue.Push(format.Event{Kind: format.KindRecording, Time: r.first, End: max(r.now, r.first+1)})
		}
		return
	}
	r.line++
	text := strings.ToValidUTF8(strings.TrimSpace(r.in.Text()), "\uFFFD")
	if text == "" {
		return
	}
	r.stats.Events++
	if err := r.take(text); err != nil {
		if r.bad == 0 {
			r.bad = r.line
		}
		r.lost += r.size
		r.damaged("lost-data", err.Error(), r.size)
	}
}

// split is bufio.ScanLines that keeps the sizes of lines, with their ends.
func (r *Reader) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
	advance, line, err = bufio.ScanLines(data, atEOF)
	r.size = int64(advance)
	r.stats.BytesRead += r.size
	return advance, line, err
}

// damaged books the line at hand.
func (r *Reader) damaged(code, why string, bytes int64) {
	d := format.Damage{Pos: format.Pos{File: r.name, Line: max(r.line, 1)}, Code: code, Why: why, Bytes: bytes, Events: format.UnknownEvents, From: format.NoTime, Until: format.NoTime}
	if r.timed {
		d.From, d.Until = r.now, r.now
	}
	r.damage.Add(d)
}

var errLine = errors.New("does not fit")

// take reads `2026-11-21 03:03:57.871 0=551, 1=1,`, `creating lock 2: frames,
// 0=13,` or `contention detected on [0] java.lang.Object frames,`.
func (r *Reader) take(text string) error {
	if t, rest, ok := instant(text); ok {
		r.now, r.timed, text = t, true, rest
		if r.first == format.NoTime {
			r.first = t
		}
	}
	if rest, ok := strings.CutPrefix(text, marks[0]); ok {
		return r.created(rest)
	}
	if rest, ok := strings.CutPrefix(text, "new "+marks[1]); ok {
		_, counted, _ := strings.Cut(rest, "]")
		return r.counts(counted)
	}
	if rest, ok := strings.CutPrefix(text, marks[1]); ok {
		return r.detected(rest)
	}
	return r.counts(text)
}

// instant reads the time a line begins with.
func instant(line string) (ns int64, rest string, ok bool) {
	const layout = "2006-01-02 15:04:05.000"
	if len(line) < len(layout) {
		return 0, line, false
	}
	t, err := time.Parse(layout, line[:len(layout)])
	if err != nil || t.Year() < 1970 || t.Year() > 2261 {
		return 0, line, false
	}
	return t.UnixNano(), strings.TrimSpace(line[len(layout):]), true
}

// created reads `2: App.<clinit>(App.java:3), 0=13, 1=1,`: the first counts
// follow the last lock created before them.
func (r *Reader) created(text string) error {
	number, rest, _ := strings.Cut(text, ": ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > maxLock {
		return errLine
	}
	frames, rest := frames(rest)
	stack := r.stack(frames)
	r.lock(n, format.Event{Class: "java.util.concurrent.locks.Lock", LockKind: format.KindSynchronizer, Stack: stack})
	return r.counts(rest)
}

// detected reads `0] java.lang.Object Sync.enter:2,  Sync.run:3,`.
func (r *Reader) detected(text string) error {
	number, rest, _ := strings.Cut(text, "] ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > maxLock {
		return errLine
	}
	class, rest, _ := strings.Cut(rest, " ")
	frames, rest := frames(rest)
	l := r.lock(n, format.Event{Class: class, LockKind: format.KindMonitor})
	l.stack = r.stack(frames)
	r.count(l, l.count+1)
	return r.counts(rest)
}
