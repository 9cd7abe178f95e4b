// Package jfrprint reads what the JDK's `jfr print` writes of a flight recording, as text and as JSON:
// waits for monitors with the owner before each acquisition, and parks.
package jfrprint

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"contend/decode/rules"
	"contend/decode/threaddump"
	"contend/decode/unwrap"
	"contend/format"
)

// Reader is a format.Source over one such text.
type Reader struct {
	name    string
	next    func() (e event, ok bool)
	read    func() int64 // bytes
	rules   rules.Memo
	threads format.Interner[string]
	locks   format.Interner[lockKey]
	stacks  format.Stacks

	first, last int64       // the times of all events
	cut         bool        // stacks end in dots
	torn        func() bool // reports whether the text ended within an event
	format.Output
}

// lockKey identifies a lock.
type lockKey struct{ class, address string }

// event is one event as printed; text fields are "" where they are missing.
type event struct {
	kind           string // without "jdk."
	start, length  int64  // ns
	thread, owner  string
	class, address string
	frames         []format.Frame
	cut            bool
}

// Is reports whether an input is text that `jfr print` wrote.
func Is(start []byte) bool { return isText(start) || isJSON(start) }

var eventHead = regexp.MustCompile(`^jdk\.(\w+) \{$`)

func isText(start []byte) bool {
	line, _, whole := strings.Cut(strings.TrimLeft(string(start), " \t\r\n"), "\n")
	return whole && eventHead.MatchString(strings.TrimRight(line, "\r"))
}

// NewReader returns a reader of such a text. It gives no errors but io.EOF and those of the input.
func NewReader(in *bufio.Reader, name string, t *rules.Table) *Reader {
	r := &Reader{name: name, rules: rules.NewMemo(t), first: format.NoTime, last: format.NoTime}
	// Idle time is printed when it has ended, and if it was longer than thresholds that are not printed.
	r.Push(format.Event{Kind: format.KindSetting, Name: format.SettingIdle, Value: format.IdleLong})
	if head, _ := in.Peek(peeked); isJSON(head) {
		d := newDocument(in)
		r.next = d.event
		r.read = d.in.InputOffset
		r.torn = func() bool { return d.torn }
		r.Said.Format = "jfr print, JSON"
		return r
	}
	p := &text{lines: unwrap.NewLines(in, 64<<10, 0, 0)}
	r.next = p.event
	r.read = p.lines.Used
	r.torn = func() bool { return p.torn }
	r.Said.Format = "jfr print"
	return r
}

// peeked is how much of the beginning shows what a text is.
const peeked = 1 << 10

// Read implements format.Source.
func (r *Reader) Read(ev *format.Event) error { return r.Next(ev, r.step) }

func (r *Reader) step() {
	e, ok := r.next()
	if ok {
		r.Said.Events++
		r.deliver(&e)
		return
	}
	r.Ended = io.EOF
	if r.torn() {
		r.Said.Warn(format.CodeTruncated, r.name+": the input ends within an event")
		r.Said.Damage.AddDamage(format.Damage{
			Pos:    format.Pos{File: r.name, Off: r.read()},
			Code:   format.CodeTruncated,
			Why:    "the input ends within an event",
			Events: format.UnknownEvents,
			From:   format.NoTime,
			Until:  format.NoTime,
		})
	}
	if r.first != format.NoTime {
		r.Push(format.Event{Kind: format.KindRecording, Time: r.first, End: max(r.last, r.first+1)})
	}
}

// Stats implements decode.Source.
func (r *Reader) Stats() format.Stats {
	s := r.Said
	s.BytesRead = r.read()
	s.BytesTotal = s.BytesRead
	s.Blind = "a recording shows waits that ended, and those of a deadlock never do"
	s.Warnings = append(s.Warnings[:len(s.Warnings):len(s.Warnings)], format.Warning{
		Code: format.CodeEvents,
		Text: "the text of 'jfr print' rounds times and leaves out settings, thread dumps and deep stacks: " +
			"the recording itself shows more",
	})
	if r.cut {
		s.Warnings = append(s.Warnings, format.Warning{
			Code: format.CodeTruncatedStacks,
			Text: "'jfr print' cut stacks off",
			Hint: "print them with --stack-depth 64",
		})
	}
	return s
}

// deliver queues the events of one that was printed.
func (r *Reader) deliver(e *event) {
	if e.start != format.NoTime {
		if r.first == format.NoTime || e.start < r.first {
			r.first = e.start
		}
		r.last = max(r.last, e.start+e.length)
	}
	r.cut = r.cut || e.cut
	if e.start == format.NoTime || e.thread == "" {
		return
	}
	ev := format.Event{Time: e.start, End: e.start + e.length, Thread: r.thread(e.thread), Owner: r.thread(e.owner)}
	ev.Stack = r.stacks.Announce(e.frames, &r.Queue)
	switch e.kind {
	case "JavaMonitorEnter":
		ev.Kind, ev.Object = format.KindWait, r.lock(e, format.KindMonitor)
	case "ThreadPark":
		res := r.rules.Classify(e.class, ev.Stack, e.frames)
		ev.Owner = format.NoThread
		if ev.Kind, ev.Mode = format.KindWait, res.Mode; res.Verdict != rules.Lock {
			ev.Kind, ev.Resource = format.KindActivity, res.Verdict == rules.Resource
			if res.Verdict != rules.Unknown {
				ev.Activity = format.ActivityPark
			}
		}
		ev.Object = r.lock(e, res.Kind)
	case "JavaMonitorWait":
		ev.Kind, ev.Activity = format.KindActivity, format.ActivityWait
		ev.Resource = r.rules.Classify(e.class, ev.Stack, e.frames).Verdict == rules.Resource
		ev.Object = r.lock(e, format.KindMonitor)
	case "VirtualThreadPinned": // what it waits for has an event of its own, or is not recorded
		ev.Kind = format.KindActivity
		ev.Activity = format.ActivitySeen
		ev.Owner = format.NoThread
		ev.End = ev.Time
	case "ThreadSleep":
		ev.Kind = format.KindActivity
		ev.Activity = format.ActivitySleep
		ev.Owner = format.NoThread
	case "ThreadStart":
		ev = format.Event{Kind: format.KindThreadStart, Time: e.start, Thread: ev.Thread}
	case "ThreadEnd":
		ev = format.Event{Kind: format.KindThreadEnd, Time: e.start, Thread: ev.Thread}
	default:
		return
	}
	r.Push(ev)
}

// thread returns the id of a thread by its name and number.
func (r *Reader) thread(name string) format.ThreadID {
	if name == "" {
		return format.NoThread
	}
	n, added := r.threads.Intern(name)
	id := format.ThreadID(n + 1)
	if added {
		shown, number, _ := strings.Cut(name, "\x00")
		if shown == "" { // a virtual thread
			number, _, _ = strings.Cut(strings.TrimPrefix(number, " (javaThreadId = "), ",")
			shown = "virtual thread " + strings.TrimSuffix(number, ")")
		}
		r.Push(format.Event{Kind: format.KindThread, Thread: id, Name: shown})
	}
	return id
}

// lock returns the id of the lock of an event; NoObject where it has none.
func (r *Reader) lock(e *event, kind format.LockKind) format.ObjectID {
	if e.class == "" && e.address == "" {
		return format.NoObject
	}
	n, added := r.locks.Intern(lockKey{e.class, e.address})
	id := format.ObjectID(n + 1)
	if added {
		hash, _ := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(e.address), "0x"), 16, 64)
		r.Push(format.Event{Kind: format.KindObject, Object: id, Class: e.class, Hash: hash, LockKind: kind})
	}
	return id
}

// text reads events in blocks of lines.
type text struct {
	lines *unwrap.Lines
	torn  bool // the last event is cut off
}

// event returns the next event; ok is false at the end. One that is cut off is left out.
func (p *text) event() (e event, ok bool) {
	for {
		line, more := p.lines.Next()
		if !more {
			return e, false
		}
		head := eventHead.FindSubmatch(line)
		if head == nil {
			continue
		}
		e = event{kind: string(head[1]), start: format.NoTime}
		if p.fields(&e) {
			return e, true
		}
	}
}

// fields reads the lines up to the closing bracket; false if there is none.
func (p *text) fields(e *event) bool {
	stack := false
	for {
		raw, ok := p.lines.Next()
		if !ok {
			p.torn = true
			return false
		}
		line := strings.ToValidUTF8(strings.TrimSpace(string(raw)), "\uFFFD")
		switch {
		case line == "}" && !stack:
			return true
		case stack && line == "]":
			stack = false
		case stack && line == "...":
			e.cut = true
		case stack:
			if f, ok := frameOf(line); ok && len(e.frames) < format.MaxFrames {
				e.frames = append(e.frames, f)
			}
		default:
			key, value, ok := strings.Cut(line, " = ")
			if stack = ok && key == "stackTrace" && value == "["; ok && !stack {
				e.set(key, value)
			}
		}
	}
}

// set takes a field.
func (e *event) set(key, value string) {
	switch key {
	case "startTime":
		e.start = timeOf(value)
	case "duration":
		e.length = lengthOf(value)
	case "eventThread":
		e.thread = threadOf(value)
	case "previousOwner", "notifier":
		e.owner = threadOf(value)
	case "monitorClass", "parkedClass":
		if class, _, _ := strings.Cut(value, " (classLoader"); class != "N/A" && class != "null" {
			e.class = threaddump.JavaName(class)
		}
	case "address":
		e.address = value
	}
}

// threadOf reads `"name" (javaThreadId = 15)`: the name and what tells threads of one name apart.
func threadOf(value string) string {
	end := strings.LastIndexByte(value, '"')
	if end < 1 || value[0] != '"' {
		return ""
	}
	return value[1:end] + "\x00" + value[end+1:]
}

// frameOf reads `Truth.checkout(Log, Random) line: 15`.
func frameOf(line string) (f format.Frame, ok bool) {
	name, rest, _ := strings.Cut(line, "(")
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return f, false
	}
	f.Class, f.Method = threaddump.ClassName(name[:dot]), name[dot+1:]
	if _, number, ok := strings.Cut(rest, "line: "); ok {
		n, _ := strconv.Atoi(strings.TrimSpace(number))
		f.Line = max(n, 0)
	}
	return f, true
}

// timeOf reads `03:04:57.339`, with a date in brackets from JDK 19 on, as nanoseconds; of the first
// day of 1970 without one.
func timeOf(value string) int64 {
	clock, date, dated := strings.Cut(value, " (")
	layout, text := "15:04:05.999999999", strings.ReplaceAll(clock, ",", ".")
	if dated {
		layout, text = "2006-01-02 "+layout, strings.TrimSuffix(date, ")")+" "+text
	}
	t, err := time.Parse(layout, text)
	if err != nil {
		return format.NoTime
	}
	if !dated {
		t = t.AddDate(1970, 0, 0)
	}
	return nsOf(t)
}

// nsOf returns the ns of an instant since 1970; NoTime if they are no int64.
func nsOf(t time.Time) int64 {
	if t.Year() < 1970 || t.Year() >= 2262 {
		return format.NoTime
	}
	return t.UnixNano()
}

// units are those of durations.
var units = map[string]float64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9}

// lengthOf reads `4.21 ms`, in ns; 0 where it is none.
func lengthOf(value string) int64 {
	total := 0.0
	fields := strings.Fields(value)
	for i := 0; i+1 < len(fields); i += 2 {
		n, err := strconv.ParseFloat(strings.ReplaceAll(fields[i], ",", "."), 64)
		if err != nil || n < 0 {
			return 0
		}
		total += n * units[fields[i+1]]
	}
	if total > float64(maxLength) {
		return 0
	}
	return int64(total)
}

// maxLength bounds a duration, in ns: a day and more of one wait are a fault of the text.
const maxLength = int64(1) << 50
