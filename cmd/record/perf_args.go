package record

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Perf describes what Linux's perf records of a native program: the threads that wait for
// futexes, their wake-ups, and when threads run.
type Perf struct {
	Process  string // its number
	Duration time.Duration
	Chains   string // the method of call chains: one of PerfChains
	Kernel   bool   // also waits for the kernel's own locks
	CPUs     int    // of the machine: their buffers share the memory that may be pinned
}

// PerfChains are the methods of call chains. Dwarf works with any libc; fp needs frame
// pointers in it.
var PerfChains = []string{"dwarf", "fp"}

// PerfStackBytes of the stack of each waiter and waker are copied for dwarf. 4 KB hold some
// 30 frames; a Python program has more, and loses the outermost ones.
const PerfStackBytes = 4096

// tracepointEvent is a tracepoint. Call chains cost most, so only events that show where a
// lock is acquired or released have them.
type tracepointEvent struct {
	name  string
	chain bool
}

var futexes = []tracepointEvent{
	{"syscalls:sys_enter_futex", true},
	{"syscalls:sys_exit_futex", false},
	{"sched:sched_switch", true},  // where a thread sleeps, or that it is preempted
	{"sched:sched_waking", false}, // the thread that is woken
}

var kernelLocks = []tracepointEvent{
	{"lock:contention_begin", true},
	{"lock:contention_end", false},
}

// Record returns the words of the command that records into a file. It ends early if it is
// interrupted or the program ends. It copies no program into the user's cache, and opens
// none: another user may have made it, as a pipe.
func (a *Perf) Record(file string) []string {
	words := []string{
		"perf",
		"record",
		"-q",
		"-N",
		"-B",
		"-k",
		"CLOCK_MONOTONIC",
		"-m",
		a.buffer(),
		"--call-graph",
		a.callGraph(),
		"--switch-events",
	}
	events := futexes
	if a.Kernel {
		events = append(events[:len(events):len(events)], kernelLocks...)
	}
	for _, e := range events {
		name := e.name
		if !e.chain {
			name += "/call-graph=no/"
		}
		words = append(words, "-e", name)
	}
	return append(
		words,
		"-p",
		a.Process,
		"-o",
		file,
		"--",
		"sleep",
		strconv.FormatFloat(a.Duration.Seconds(), 'f', -1, 64),
	)
}

// PerfScript returns the words of the command that writes a recording as text. Without
// inlined frames: perf would start another program for these, which reads files of the
// recorded user.
func PerfScript(file string) []string {
	return []string{
		"perf",
		"script",
		"--no-inline",
		"-i",
		file,
		"--ns",
		"-F",
		"comm,pid,tid,cpu,time,event,trace,ip,sym,dso",
		"--show-switch-events",
		"--show-task-events",
		"--show-lost-events",
	}
}

func (a *Perf) callGraph() string {
	if a.Chains == "dwarf" {
		return fmt.Sprintf("dwarf,%d", PerfStackBytes)
	}
	return a.Chains
}

// pinned bounds the memory of the buffers of all processors, in MB: enough for a quarter of
// a second of a hundred thousand copied stacks a second.
const pinned = 128

// buffer returns the buffer size of one processor: a power of two from 1 to 16 MB.
func (a *Perf) buffer() string {
	each := min(max(pinned/max(a.CPUs, 1), 1), 16)
	return strconv.Itoa(1<<(bits.Len(uint(each))-1)) + "M"
}

// ShellLine quotes words as a line for a shell.
func ShellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; strings.ContainsAny(w, " '\"\\$&|;<>()*?[]#~`!{}\t\n") || w == "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
