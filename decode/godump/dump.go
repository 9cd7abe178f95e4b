package godump

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"contend/decode/gonames"
	"contend/decode/unwrap"
	"contend/format"
)

// goroutine is one of a dump.
type goroutine struct {
	id     int
	state  string         // why it waits, or that it runs
	frames []format.Frame // innermost first
	args   []uint64       // the first argument of each frame, 0 if the dump marks it as inaccurate
}

// running are the states of goroutines that wait for nothing but a processor.
var running = map[string]bool{
	"running":   true,
	"runnable":  true,
	"syscall":   true,
	"idle":      true,
	"copystack": true,
	"preempted": true,
	"waiting":   true,
}

// waits reports whether one waits. The collector may be looking at its stack.
func (g *goroutine) waits() bool { return !running[strings.TrimSuffix(g.state, " (scan)")] }

// dumps reads the dumps of a text one after the other. What the runtime prints beside
// plain goroutines is no part of a dump, and ends none:
//
//   - frames of C, which have no arguments and no stack pointer;
//   - "[originating from goroutine 1]" with the stack of the creator, under
//     GODEBUG=tracebackancestors;
//   - what each thread of the operating system ran, after "-----" lines at the end of a
//     dump under GOTRACEBACK=crash: its goroutines were there before;
//   - the rules around reports of the race detector.
type dumps struct {
	lines *unwrap.Lines
	list  []*goroutine // of the dump at hand
	ids   map[int]bool // of these
	cur   *goroutine   // whose lines are being read; nil between two
	fn    string       // the first line of a frame, whose file comes next; "" for none
	skips bool         // up to the next empty line

	any     bool // a goroutine was seen
	ruled   bool // the last line was "-----", or an empty one after it
	threads bool // the following lines are of another operating system thread

	lost    int    // first lines of goroutines that are damaged, not reported yet
	example string // one of them

	stuck string // a deadlock that the runtime ended the program for, or a library reports
}

// Some lines of a dump, and around one.
const (
	raceRule      = "=================="
	threadRule    = "-----"
	fatalLine     = "fatal error: "
	deadlockEnd   = " - deadlock!" // all goroutines are asleep, or none is left
	signalLine    = "SIG"
	reportLine    = "POTENTIAL DEADLOCK:" // of github.com/sasha-s/go-deadlock
	ancestorLine  = "[originating from goroutine "
	goroutineHead = "goroutine "
	elsewhere     = "goroutine running on other thread; stack unavailable"
	createdBy     = "created by "
)

// The second line of a frame, which may have lost its tab; the second line of a C frame;
// and a line of register values.
var (
	fileLine = regexp.MustCompile(
		`^[\t ]*([^\t ].*):(\d+)(?: \+0x[0-9a-f]+)?(?: fp=0x[0-9a-f]+ sp=0x[0-9a-f]+(?: pc=0x[0-9a-f]+)?)?$`,
	)
	cFileLine    = regexp.MustCompile(`^\t(?:.+:\d+ )?pc=0x[0-9a-f]+$`)
	registerLine = regexp.MustCompile(`^\w+ +0x[0-9a-f]+$`)
)

// next returns the goroutines of the next dump, none at the end of the input. A dump ends
// at a line that is not a part of it, a second empty line, or a goroutine that it already
// has. The error is a malformed goroutine line, or ErrTruncated if the input ends within a
// line of the dump; the goroutines before it are valid.
func (d *dumps) next() (list []*goroutine, err error) {
	d.list = nil
	d.ids = map[int]bool{}
	d.cur = nil
	d.fn = ""
	for over := false; !over && err == nil; {
		line, ok := d.lines.Next()
		if !ok {
			break
		}
		open := len(d.list) > 0
		over, err = d.line(strings.TrimRight(string(line), " \t")) // terminals fill lines with blanks
		if open && !d.lines.Whole() {
			err = format.ErrTruncated
		}
	}
	if d.fn != "" { // its file is cut off
		d.cur.frame(d.fn, "", "")
	}
	for _, g := range d.list {
		g.complete()
	}
	return d.list, err
}

// line takes a line, and reports whether the dump is over.
func (d *dumps) line(text string) (over bool, err error) {
	d.remark(text)
	if d.ruled && text != "" {
		d.ruled, d.threads = false, strings.HasPrefix(text, signalLine)
	}
	id, state, head := header(text)
	damaged := !head && damagedHeader(text)
	switch {
	case d.fn != "" && (head || damaged || text == ""):
		return d.unfinished(text)
	case text == "":
		over = d.cur == nil && !d.skips && len(d.list) > 0
		d.cur, d.skips = nil, false
	case text == raceRule:
	case text == threadRule:
		d.cur = nil
		d.fn = ""
		d.skips = false
		d.ruled = d.any
	case head && d.threads:
		d.cur, d.skips = nil, true
	case head && d.ids[id]:
		d.lines.Unread()
		return true, nil
	case head:
		d.any = true
		d.skips = false
		d.ids[id] = true
		d.cur = &goroutine{id: id, state: state}
		d.list = append(d.list, d.cur)
	case damaged && len(d.list) > 0:
		d.cur = nil
		d.skips = true
		d.lost++
		d.example = text
	case d.threads && registerLine.MatchString(text): // what follows is another thread's, or no longer of this dump
		d.cur = nil
		d.skips = false
		d.threads = false
		return len(d.list) > 0, nil
	case d.skips:
	case d.cur == nil:
		return len(d.list) > 0, nil
	default:
		return d.part(text)
	}
	return over, nil
}

// remark notes deadlocks that are reported outside of goroutines.
func (d *dumps) remark(text string) {
	if d.cur != nil || d.skips {
		return
	}
	if _, kind, ok := strings.Cut(text, reportLine); ok {
		kind, _, _ = strings.Cut(strings.Trim(kind, " :"), ".") // recursive or inconsistent locking
		d.stuck = "go-deadlock reports " + cmp.Or(strings.ToLower(kind), "a potential deadlock")
	}
	if _, why, ok := strings.Cut(text, fatalLine); ok && strings.HasSuffix(why, deadlockEnd) {
		d.stuck = "the Go runtime ended the program: " + why
	}
}

// header reads `goroutine 7 gp=0x1 m=nil [select, 5 minutes]:`, which a reader's remark may
// follow.
func header(text string) (id int, state string, ok bool) {
	rest, ok := strings.CutPrefix(text, goroutineHead)
	if !ok {
		return 0, "", false
	}
	rest, remark, closed := strings.Cut(rest, "]:")
	number, _, _ := strings.Cut(rest, " ")
	_, state, stated := strings.Cut(rest, " [")
	state, _, _ = strings.Cut(state, ", ")
	id, err := strconv.Atoi(number)
	return id, state, closed && stated && err == nil && id >= 0 && (remark == "" || remark[0] == ' ')
}

// headerStart matches what is left of `goroutine 7 [select, 5 minutes]:` if its end, or a bracket, is lost.
var headerStart = regexp.MustCompile(`^goroutine \d+( gp=\S+.*)?( \[.*|.*\]:)?$`)

// damagedHeader reports whether a line is the first of a goroutine, and is damaged or cut.
func damagedHeader(text string) bool {
	return strings.HasPrefix(text, goroutineHead) && headerStart.MatchString(text)
}

// part takes a line after a goroutine's first.
func (d *dumps) part(text string) (over bool, err error) {
	switch m := fileLine.FindStringSubmatch(text); {
	case strings.HasPrefix(text, ancestorLine):
		d.skips = true
	case d.fn != "" && cFileLine.MatchString(text):
		d.fn = ""
	case d.fn != "" && m != nil:
		fn := d.fn
		if d.fn = ""; !d.cur.frame(fn, m[1], m[2]) {
			return true, d.cur.unexpected(fn)
		}
	case d.fn != "":
		return d.unfinished(text)
	case strings.TrimLeft(text, "\t ") == elsewhere:
	case text[0] == '\t':
		return true, nil
	case snipped(text):
	default:
		d.fn = text
	}
	return false, nil
}

// unfinished takes a line in place of a frame's file. The supposed function before it may
// be a line of a log.
func (d *dumps) unfinished(text string) (over bool, err error) {
	fn := d.fn
	if d.fn = ""; fn == "" {
		return false, nil
	}
	d.lines.Unread()
	trimmed := !d.cur.placed()
	if d.cur.frame(fn, "", "") {
		_, _, head := header(text)
		if trimmed && (head || damagedHeader(text) || text == "") || plainFunction(text) {
			return false, nil // the line with its file was cut
		}
		return true, fmt.Errorf("expected a file after a function, got: %q", strings.TrimSpace(text))
	}
	return true, d.cur.unexpected(fn)
}

// unexpected returns the error for a line in place of a function.
func (g *goroutine) unexpected(text string) error {
	if len(g.frames) > 0 {
		return nil
	}
	return fmt.Errorf("expected a function after a goroutine header, got: %q", strings.TrimSpace(text))
}

func isFunction(text string) bool {
	return strings.HasPrefix(text, createdBy) || strings.LastIndexByte(text, '(') > 0 && strings.HasSuffix(text, ")")
}

// frame adds `main.(*Cache).Get(0x3226d7016120, ...)` with its file; false if fn is not a
// function. The site that created the goroutine is not a frame of it.
func (g *goroutine) frame(fn, file, line string) bool {
	if fn = strings.TrimLeft(fn, " \t"); !isFunction(fn) {
		return false
	}
	if strings.HasPrefix(fn, createdBy) || len(g.frames) == format.MaxFrames {
		return true
	}
	open := strings.LastIndexByte(fn, '(')
	name, err := url.QueryUnescape(fn[:open]) // dots in paths of packages are escaped
	if err != nil {
		name = fn[:open]
	}
	f := format.Frame{}
	f.Class, f.Method = gonames.Split(name)
	if rest, ok := strings.CutPrefix(f.Method, "(_"); ok { // an editor took the star for markup
		f.Method = "(*" + rest
	}
	if slash := strings.LastIndexByte(file, '/'); slash >= 0 { // else it is <autogenerated>, or ??
		f.File = strings.ToValidUTF8(file[slash+1:], "\uFFFD")
	}
	f.Line, _ = strconv.Atoi(line)
	g.frames = append(g.frames, f)
	g.args = append(g.args, firstArgument(fn[open+1:]))
	return true
}

// firstArgument reads `0x3226d7016120, {0x4d21b8, 0x1})`; 0 for an argument that is
// omitted, marked as inaccurate, or a part of a larger value.
func firstArgument(list string) uint64 {
	first, _, _ := strings.Cut(strings.TrimSuffix(list, ")"), ", ")
	v, err := strconv.ParseUint(first, 0, 64)
	if err != nil {
		return 0
	}
	return v
}

// complete removes the runtime's outermost frame from every stack. A goroutine without a
// readable frame waits for the lock named by its state: sync.Mutex.Lock.
func (g *goroutine) complete() {
	for n := len(g.frames); n > 1 && g.frames[n-1].Class == "runtime" &&
		g.frames[n-1].Method == "goexit"; n = len(g.frames) {
		g.frames, g.args = g.frames[:n-1], g.args[:n-1]
	}
	lock, method, ok := strings.Cut(strings.TrimPrefix(strings.ToValidUTF8(g.state, "\uFFFD"), "sync."), ".")
	own := func(f format.Frame) bool { return f.Class == "sync" || f.Class == "internal/sync" }
	if ok && strings.HasPrefix(g.state, "sync.") && !slices.ContainsFunc(g.frames, own) { // they were cut
		at := 0
		for at < len(g.frames) && gonames.OfLocks(g.frames[at].Class) {
			at++
		}
		g.frames = slices.Insert(g.frames, at, format.Frame{Class: "sync", Method: "(*" + lock + ")." + method})
		g.args = slices.Insert(g.args, at, 0)
	}
}

// shows reports whether a frame is of a lock's package.
func (g *goroutine) shows() bool {
	return slices.ContainsFunc(g.frames, func(f format.Frame) bool { return gonames.OfLocks(f.Class) })
}

// placed reports whether a frame has its file.
func (g *goroutine) placed() bool {
	return slices.ContainsFunc(g.frames, func(f format.Frame) bool { return f.Line > 0 })
}

// plainFunction reports whether a line is a function and its arguments, and no sentence.
func plainFunction(text string) bool {
	open := strings.LastIndexByte(text, '(')
	return strings.HasPrefix(text, createdBy) ||
		isFunction(text) && !strings.ContainsAny(text[:open], " \t") && strings.Contains(text[:open], ".")
}

// snipped reports whether a line stands for frames that were left out, by the runtime or by hand.
func snipped(text string) bool {
	text = strings.TrimLeft(text, " \t[(<")
	return strings.HasPrefix(text, "...") || strings.HasPrefix(text, "\u2026") || strings.HasPrefix(text, "snip")
}
