package threaddump

import (
	"strconv"
	"strings"
)

// jrockit reads the dumps of JRockit (jrcmd PID print_threads, and on
// SIGQUIT).
type jrockit struct {
	builder
	dated bool
	whole bool // the current thread's stack ended with "-- end of trace", or a blank line
}

func jrockitHeader(line string) bool { return strings.HasPrefix(line, "===== FULL THREAD DUMP") }

func newJRockit(n *names, before []string, _ string) parser {
	return &jrockit{builder: newBuilder(n, timeBefore(before))}
}

// jrockitEnds begin the text after the threads.
var jrockitEnds = []string{
	"Blocked lock chains",
	"Open lock chains",
	"Circular (deadlocked) lock chains",
	"===== END OF THREAD DUMP",
}

func (p *jrockit) line(line string) bool {
	text := strings.TrimLeft(line, " \t")
	if text == "" {
		p.whole = true
		return true
	}
	if !p.dated { // the line under the header
		p.dated = true
		if t, ok := timeIn(text); ok {
			p.dump.Time = t
			return true
		}
	}
	for _, end := range jrockitEnds {
		if strings.HasPrefix(line, end) {
			p.whole = true
			return false
		}
	}
	switch {
	case line[0] == '"':
		p.thread(line)
	case p.cur != nil:
		p.part(text)
	}
	return true
}

// jrockitLocks are the lines between frames. A line with ^ follows the frame that acquired
// the lock.
var jrockitLocks = []lockLine{
	{"^-- Holding lock: ", NotWaiting},
	{"-- Blocked trying to get lock: ", Blocked},
	{"-- Waiting for notification on: ", Waiting},
	{"-- Parking to wait for: ", Parked},
}

func (p *jrockit) part(text string) {
	p.whole = outermost(strings.ReplaceAll(text, "/", ".")) ||
		strings.HasPrefix(text, "at jrockit/vm/RNI.c2java(") && strings.HasSuffix(text, ")")
	if frame, ok := strings.CutPrefix(text, "at "); ok {
		p.frame(frame, slashed)
		return
	}
	if strings.HasPrefix(text, "-- end of trace") {
		p.whole = true
	}
	p.lockIn(jrockitLocks, text, p.names.hashed)
}

// jrockitStates are the words of a thread's first line that give a state; a thread without
// one runs.
var jrockitStates = map[string]string{
	"blocked":  "BLOCKED",
	"waiting":  "WAITING",
	"sleeping": "TIMED_WAITING",
	"parked":   "WAITING",
}

// thread begins a thread: `"name" id=1 idx=0x4 tid=27878 prio=5 alive, in
// native, waiting, daemon`.
func (p *jrockit) thread(line string) {
	end := strings.LastIndexByte(line, '"')
	if end < 1 {
		return
	}
	p.begin(Thread{Name: p.names.intern(line[1:end]), State: "RUNNABLE"})
	p.whole = line[1] == '(' // one of the VM has no stack
	for word := range strings.FieldsSeq(line[end+1:]) {
		key, value, _ := strings.Cut(strings.TrimSuffix(word, ","), "=")
		switch key {
		case "id":
			p.cur.JavaID, _ = strconv.ParseInt(value, 10, 64) // ? for threads of the VM
		case "tid":
			p.cur.NativeID, _ = strconv.ParseInt(value, 10, 64)
		default:
			if state, ok := jrockitStates[key]; ok {
				p.cur.State = state
			}
		}
	}
}

// finish: a dump has no certain end, so it is cut only within a thread.
func (p *jrockit) finish(cut bool) *Dump {
	p.dump.Cut = cut && p.cur != nil && !p.whole
	return p.done()
}
