package threaddump

import (
	"path"
	"strconv"
	"strings"

	"contend/format"
)

// android reads the traces.txt that Android writes for a program that does not respond
// (/data/anr): dumps of ART and of Dalvik.
type android struct {
	builder // threads are known by their tid
	native  []format.Frame
	blank   bool
	ended   bool
}

var androidDialect = dialect{
	name:   "Android",
	header: androidHeader,
	thread: androidThread,
	opens:  quoted,
	open:   newAndroid,
}

// androidHeader matches `----- pid 1234 at 2026-11-22 10:00:00 -----`.
func androidHeader(line string) bool {
	return strings.HasPrefix(line, "----- pid ") && strings.Contains(line, " at ")
}

// androidThread matches `DALVIK THREADS (12):`, with which an excerpt may begin, and
// `"main" prio=5 tid=1 Blocked`.
func androidThread(line string) bool {
	if strings.HasPrefix(line, "DALVIK THREADS") {
		return true
	}
	_, state, ok := androidName(line)
	return ok && androidStates[state] != ""
}

// androidName splits a thread's first line.
func androidName(line string) (id int64, state string, ok bool) {
	if !quoted(line) {
		return 0, "", false
	}
	_, rest, ok := strings.Cut(line[strings.LastIndexByte(line, '"')+1:], "tid=")
	number, state, stated := strings.Cut(rest, " ")
	id, err := strconv.ParseInt(number, 10, 64)
	return id, strings.TrimSpace(state), ok && stated && err == nil
}

// androidStates are the states of ART and Dalvik in Java's words; of the many
// others a thread works for, or waits for, the VM.
var androidStates = map[string]string{
	"Runnable": "RUNNABLE", "RUNNABLE": "RUNNABLE", "Native": "RUNNABLE", "NATIVE": "RUNNABLE",
	"Suspended": "RUNNABLE", "SUSPENDED": "RUNNABLE",
	"Blocked": "BLOCKED", "MONITOR": "BLOCKED", "Waiting": "WAITING", "WAIT": "WAITING",
	"TimedWaiting": "TIMED_WAITING", "Timed Waiting": "TIMED_WAITING", "TIMED_WAIT": "TIMED_WAITING",
	"Sleeping": "TIMED_WAITING", "SLEEPING": "TIMED_WAITING",
}

func newAndroid(n *names, before []string, line string) parser {
	p := &android{builder: newBuilder(n, timeBefore(before))}
	_, at, _ := strings.Cut(line, " at ")
	if t, ok := timeIn(at); ok && androidHeader(line) {
		p.dump.Time = t
	}
	return p
}

func (p *android) line(line string) bool {
	text := strings.TrimLeft(line, " \t")
	if text == "" {
		p.blank = p.cur != nil
		return !p.ended
	}
	if p.ended {
		return false
	}
	if id, state, ok := androidName(line); ok {
		return p.thread(line, id, state)
	}
	switch {
	case strings.HasPrefix(line, "----- end "):
		p.next()
		p.ended = true
	case p.cur == nil || text == line && !isPart(text) && text[0] != '#': // consoles indent not all
	default:
		p.part(text)
	}
	return true
}

// next completes the current thread. Only one without frames of Java has its native ones.
func (p *android) next() {
	if p.cur != nil && len(p.cur.Frames) == 0 && p.cur.For == (LockRef{}) {
		p.cur.Frames = p.native
	}
	p.native = nil
	p.builder.next()
}

// thread begins one; false when it was there before, so that this is the next
// dump.
func (p *android) thread(line string, id int64, state string) bool {
	p.next()
	end := strings.LastIndexByte(line, '"')
	name := p.names.intern(line[1:end])
	if !p.replaces(id, name) && !p.known(id) {
		return false
	}
	p.begin(Thread{Name: name, JavaID: id, State: androidStates[state]})
	p.blank = false
	return true
}

// androidLocks are the lines under a frame.
var androidLocks = []lockLine{
	{"- locked ", NotWaiting},
	{"- waiting to lock ", Blocked},
	{"- waiting on ", Waiting},
}

func (p *android) part(text string) {
	p.blank = false
	if frame, ok := strings.CutPrefix(text, "at "); ok {
		p.frame(frame, dotted)
	} else if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "native: #") {
		p.nativeFrame(text)
	} else if id, ok := strings.CutPrefix(text, "| sysTid="); ok {
		id, _, _ = strings.Cut(id, " ")
		p.cur.NativeID, _ = strconv.ParseInt(id, 10, 64)
	} else {
		p.lockIn(androidLocks, text, p.names.bracketed)
	}
}

// nativeFrame reads `#01  pc 000000000005b8d4  /system/lib64/libc.so (ioctl+156)`.
func (p *android) nativeFrame(text string) {
	fields := strings.Fields(strings.TrimPrefix(text, "native: "))
	if len(fields) < 5 || fields[1] != "pc" || len(p.native) >= format.MaxFrames {
		return
	}
	name, _, _ := strings.Cut(strings.Trim(fields[4], "()"), "+")
	p.native = append(
		p.native,
		format.Frame{Method: p.names.intern(name), File: p.names.intern(path.Base(fields[3])), Line: -1},
	)
}

// finish: a last thread without a blank line after it is cut off.
func (p *android) finish(cut bool) *Dump {
	p.dump.Cut = cut && !p.ended && p.cur != nil && !p.blank
	p.dump.Fragment = !p.ended && !p.dump.Cut
	p.next()
	return p.done()
}
