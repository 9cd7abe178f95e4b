package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"contend/decode/unwrap"
	"contend/format"
)

// marks are found near the beginning of an agent's output.
var marks = []string{"creating lock ", "contention detected on ["}

// IsCounts reports whether an input begins like one of contention-profiling.
func IsCounts(head []byte) bool {
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

// Counts is a format.Source over the output of the contention-profiling agents of jpbempel:
// how often each lock was found held, cumulative, and for each lock the stack that created
// it (java.util.concurrent) or that waited first (synchronized). It has no durations and no
// owners, and invents none: a count of n is a contention event that weighs n.
type Counts struct {
	lines  *unwrap.Lines
	name   string
	locks  map[int]*lock
	stacks format.StackID // the id given last
	now    int64          // of the counts being read
	timed  bool
	first  int64
	last   int64 // of the event delivered last
	events int64
	bad    int   // the first line that does not fit, 0 for none
	lost   int64 // bytes of all unreadable lines
	format.Output
}

// lock is one lock counted.
type lock struct {
	id    format.ObjectID
	stack format.StackID // that waits; NoStack when not known
	count int64
}

// maxLock bounds the numbers of locks.
const maxLock = 1 << 20

// NewCounts returns a reader. It gives no errors but io.EOF: a line that does
// not fit is reported by Stats.
func NewCounts(in io.Reader, name string) *Counts {
	r := &Counts{lines: unwrap.NewLines(in, 64<<10, 0, 0), name: name, locks: map[int]*lock{}, first: format.NoTime}
	r.Push(sumsOfWaits)
	return r
}

// Stats implements decode.Source.
func (r *Counts) Stats() format.Stats {
	s := format.Stats{
		Format:     "contention-profiling counts",
		Unit:       format.UnitAcquisitions,
		Events:     r.events,
		Damage:     r.Said.Damage,
		BytesRead:  r.lines.Used() - r.lost,
		BytesTotal: r.lines.Used(),
		Blind:      "the input counts acquisitions: it does not show the owner of a lock",
	}
	s.Warnings = []format.Warning{
		{
			Code: format.CodeCountsOnly,
			Text: "the input counts contended acquisitions; it has no waiting times and no owners",
		},
	}
	if !r.timed {
		s.Warnings = append(
			s.Warnings,
			format.Warning{Code: format.CodeNoTimes, Text: "the counts have no times: their rate is unknown"},
		)
	}
	if r.bad > 0 {
		s.Warnings = append(
			s.Warnings,
			format.Warning{
				Code: format.CodeLostData,
				Text: fmt.Sprintf("%s:%d: not a line of contention-profiling; such lines are left out", r.name, r.bad),
			},
		)
	}
	if err := r.fault(); err != nil {
		s.Warnings = append(
			s.Warnings,
			format.Warning{Code: format.CodeTruncated, Text: fmt.Sprintf("%s:%d: %v", r.name, r.lines.Line()+1, err)},
		)
	}
	return s
}

// Read implements format.Source.
func (r *Counts) Read(ev *format.Event) error { return r.Next(ev, r.next) }

// fault returns the error that ended the input, except its end.
func (r *Counts) fault() error {
	if err := r.lines.Err(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// next reads a line.
func (r *Counts) next() {
	from := r.lines.Used()
	line, ok := r.lines.Next()
	if !ok {
		r.Ended = io.EOF
		if err := r.fault(); err != nil {
			r.damaged(format.CodeTruncated, err.Error(), 0)
		}
		if r.timed { // the counted interval
			r.Push(format.Event{Kind: format.KindRecording, Time: r.first, End: max(r.now, r.first+1)})
		}
		return
	}
	text := strings.ToValidUTF8(strings.TrimSpace(string(line)), "\uFFFD")
	if text == "" {
		return
	}
	r.events++
	if err := r.readLine(text); err != nil {
		if r.bad == 0 {
			r.bad = r.lines.Line()
		}
		size := r.lines.Used() - from
		r.lost += size
		r.damaged(format.CodeLostData, err.Error(), size)
	}
}

// damaged records that the current line is damaged.
func (r *Counts) damaged(code, why string, bytes int64) {
	d := format.Damage{
		Pos:    format.Pos{File: r.name, Line: max(r.lines.Line(), 1)},
		Code:   code,
		Why:    why,
		Bytes:  bytes,
		Events: format.UnknownEvents,
		From:   format.NoTime,
		Until:  format.NoTime,
	}
	if r.timed {
		d.From, d.Until = r.now, r.now
	}
	r.Said.Damage.AddDamage(d)
}

var errLine = errors.New("does not fit")

// readLine reads `2026-11-21 03:03:57.871 0=551, 1=1,`, `creating lock 2: frames,
// 0=13,` or `contention detected on [0] java.lang.Object frames,`.
func (r *Counts) readLine(text string) error {
	if t, rest, ok := instant(text); ok {
		r.now = t
		r.timed = true
		text = rest
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
func (r *Counts) created(text string) error {
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
func (r *Counts) detected(text string) error {
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
