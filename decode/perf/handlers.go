package perf

import (
	"bytes"
	"strings"

	"contend/format"
)

// handler is how a kind of event is handled.
type handler struct {
	do    func(*Reader, *sample)
	chain bool // it wants the call chain
	locks bool // the event shows waits for locks

	nobody bool // the event's arguments name its threads
}

// handlers are the kinds of events that are read, by their names. A new one is
// a line here.
var handlers = map[string]handler{
	"syscalls:sys_enter_futex":       {do: (*Reader).enterFutex, chain: true, locks: true},
	"syscalls:sys_exit_futex":        {do: (*Reader).exitFutex},
	"syscalls:sys_enter_futex_wait":  {do: (*Reader).enterFutexWait, chain: true, locks: true},
	"syscalls:sys_exit_futex_wait":   {do: (*Reader).exitFutex},
	"syscalls:sys_enter_futex_wake":  {do: (*Reader).enterFutexWake, chain: true, locks: true},
	"syscalls:sys_exit_futex_wake":   {do: (*Reader).exitFutex},
	"syscalls:sys_enter_futex_waitv": {do: (*Reader).enterFutexWaitv, chain: true, locks: true},
	"syscalls:sys_exit_futex_waitv":  {do: (*Reader).exitFutex},
	"raw_syscalls:sys_enter":         {do: (*Reader).enterRaw, chain: true, locks: true},
	"raw_syscalls:sys_exit":          {do: (*Reader).exitRaw},
	"sched:sched_switch":             {do: (*Reader).switched, chain: true, nobody: true},
	"sched:sched_waking":             {do: (*Reader).waking, nobody: true},
	"sched:sched_wakeup":             {do: (*Reader).waking, nobody: true},
	"sched:sched_wakeup_new":         {do: (*Reader).waking, nobody: true},
	"sched:sched_process_fork":       {do: (*Reader).forked},
	"sched:sched_process_exit":       {do: (*Reader).exited},
	"sched:sched_process_exec":       {do: (*Reader).executed},
	"lock:contention_begin":          {do: (*Reader).contentionBegin, chain: true, locks: true},
	"lock:contention_end":            {do: (*Reader).contentionEnd},
	"PERF_RECORD_LOST":               {do: (*Reader).lost, nobody: true},
	"PERF_RECORD_LOST_SAMPLES":       {do: (*Reader).lost, nobody: true},
	"PERF_RECORD_COMM":               {do: (*Reader).renamed},
	"PERF_RECORD_SWITCH":             {do: (*Reader).cpu},
	"PERF_RECORD_SWITCH_CPU_WIDE":    {do: (*Reader).cpu},
}

const (
	enterPrefix = "syscalls:sys_enter_"
	exitPrefix  = "syscalls:sys_exit_"
)

// handler returns the handler of an event. It counts the names of events without one.
func (r *Reader) handler(s *sample) handler {
	if h, ok := handlers[string(s.event)]; ok {
		r.seen.locks = r.seen.locks || h.locks
		return h
	}
	name := s.event
	counter, _, _ := bytes.Cut(name, colonMark) // a suffix is the mode of the processor
	switch {
	case bytes.HasPrefix(name, []byte(enterPrefix)):
		return handler{do: (*Reader).enterOther}
	case bytes.HasPrefix(name, []byte(exitPrefix)):
		return handler{do: (*Reader).exitOther}
	case bytes.HasPrefix(name, []byte("PERF_RECORD_FORK(")):
		return handler{do: (*Reader).forkRecord}
	case bytes.HasPrefix(name, []byte("PERF_RECORD_EXIT(")):
		return handler{do: (*Reader).exitRecord}
	case bytes.HasPrefix(name, recordPrefix):
		return handler{}
	case sampled[string(counter)]:
		return handler{do: (*Reader).ran, chain: true}
	}
	r.seen.unread(string(name))
	return handler{}
}

// sampled are the events that occur while a thread runs.
var sampled = map[string]bool{
	"cycles":       true,
	"cpu-clock":    true,
	"task-clock":   true,
	"cpu-cycles":   true,
	"instructions": true,
}

// ran books a sample of a running thread.
func (r *Reader) ran(s *sample) {
	if s.tid > 0 {
		r.queueActivity(r.thread(s), format.ActivityRun, r.stack(true), s.time, s.time, false)
	}
}

// headerArch begins the line of perf script --header that names the machine.
const headerArch = "# arch : "

// other takes a line that is not an event.
func (r *Reader) other(line []byte) {
	if name, ok := strings.CutPrefix(string(line[:min(len(line), 64)]), headerArch); ok {
		r.arch = archOf(strings.TrimSpace(name))
		return
	}
	if len(line) > 0 && line[0] != '#' && line[0] != '\t' && line[0] != ' ' {
		r.seen.junk++
	}
}
