package perf

import (
	"bytes"
	"strings"

	"contend/format"
)

// handler is what is done with a kind of event.
type handler struct {
	do    func(*Reader, *sample)
	chain bool // it wants the call chain
	locks bool // it tells of waits for locks
}

// handlers are the kinds of events that are read, by their names. A new one is
// a line here.
var handlers = map[string]handler{
	"syscalls:sys_enter_futex":       {(*Reader).enterFutex, true, true},
	"syscalls:sys_exit_futex":        {(*Reader).exitFutex, false, false},
	"syscalls:sys_enter_futex_wait":  {(*Reader).enterFutexWait, true, true},
	"syscalls:sys_exit_futex_wait":   {(*Reader).exitFutex, false, false},
	"syscalls:sys_enter_futex_wake":  {(*Reader).enterFutexWake, true, true},
	"syscalls:sys_exit_futex_wake":   {(*Reader).exitFutex, false, false},
	"syscalls:sys_enter_futex_waitv": {(*Reader).enterFutexWaitv, true, true},
	"syscalls:sys_exit_futex_waitv":  {(*Reader).exitFutex, false, false},
	"raw_syscalls:sys_enter":         {(*Reader).enterRaw, true, true},
	"raw_syscalls:sys_exit":          {(*Reader).exitRaw, false, false},
	"sched:sched_switch":             {(*Reader).switched, true, false},
	"sched:sched_waking":             {(*Reader).waking, false, false},
	"sched:sched_wakeup":             {(*Reader).waking, false, false},
	"sched:sched_wakeup_new":         {(*Reader).waking, false, false},
	"sched:sched_process_fork":       {(*Reader).forked, false, false},
	"sched:sched_process_exit":       {(*Reader).exited, false, false},
	"sched:sched_process_exec":       {(*Reader).executed, false, false},
	"lock:contention_begin":          {(*Reader).contentionBegin, true, true},
	"lock:contention_end":            {(*Reader).contentionEnd, false, false},
	"PERF_RECORD_LOST":               {(*Reader).lost, false, false},
	"PERF_RECORD_LOST_SAMPLES":       {(*Reader).lost, false, false},
	"PERF_RECORD_COMM":               {(*Reader).renamed, false, false},
	"PERF_RECORD_SWITCH":             {(*Reader).cpu, false, false},
	"PERF_RECORD_SWITCH_CPU_WIDE":    {(*Reader).cpu, false, false},
}

const (
	enterPrefix = "syscalls:sys_enter_"
	exitPrefix  = "syscalls:sys_exit_"
)

// handler returns what is to be done with an event. Of those it does not read
// it counts the names.
func (r *Reader) handler(s *sample) handler {
	if h, ok := handlers[string(s.event)]; ok {
		r.seen.locks = r.seen.locks || h.locks
		return h
	}
	name := s.event
	counter, _, _ := bytes.Cut(name, colonMark) // what follows says in which mode of the processor
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

// sampled are the events that come while a thread runs.
var sampled = map[string]bool{"cycles": true, "cpu-clock": true, "task-clock": true, "cpu-cycles": true, "instructions": true}

// ran books a sample of a running thread.
func (r *Reader) ran(s *sample) {
	if s.tid > 0 {
		r.queueActivity(r.thread(s), format.ActivityRun, r.stack(true), s.time, s.time, false)
	}
}

// headerArch begins the line of perf script --header that names the machine.
const headerArch = "# arch : "

// other takes a line that is no event.
func (r *Reader) other(line []byte) {
	if name, ok := strings.CutPrefix(string(line[:min(len(line), 64)]), headerArch); ok {
		r.arch = archOf(strings.TrimSpace(name))
		return
	}
	if len(line) > 0 && line[0] != '#' && line[0] != '\t' && line[0] != ' ' {
		r.seen.junk++
	}
}
