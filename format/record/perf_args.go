package record

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Perf is what Linux's perf is to record of a native program: which threads wait for futexes, which
// wake them, and when threads run.
type Perf struct {
	Process  string // its number
	Duration time.Duration
	Chains   string // how call chains are made: one of PerfChains
	Kernel   bool   // also waits for the kernel's own locks
	CPUs     int    // of the machine: the buffers of all share what may be pinned
}

// PerfChains are the ways to make call chains. Dwarf is right whatever libc was
// built with; fp is where it keeps frame pointers.
var PerfChains = []string{"dwarf", "fp"}

// PerfStackBytes of each waiter and waker are copied for dwarf. 4 KB hold some 30
// frames; a Python program needs more, of which the outermost are cut off.
const PerfStackBytes = 4096

// tracepointEvent is a tracepoint. Call chains cost most of all, so only events whose
// chains say where a lock is taken or given back have them.
type tracepointEvent struct {
	name  string
	chain bool
}

var futexes = []tracepointEvent{
	{"syscalls:sys_enter_futex", true},
	{"syscalls:sys_exit_futex", false},
	{"sched:sched_switch", true},  // where a thread sleeps, or that it is preempted
	{"sched:sched_waking", false}, // whom a thread wakes
}

var kernelLocks = []tracepointEvent{
	{"lock:contention_begin", true},
	{"lock:contention_end", false},
}

// Record returns the words of the command that records into a file. It ends
// early when it is interrupted or the program ends. It copies no program into the cache of
// the user who runs it, and opens none: another user may have made it, as a pipe.
func (a *Perf) Record(file string) []string {
	words := []string{"perf", "record", "-q", "-N", "-B", "-k", "CLOCK_MONOTONIC", "-m", a.buffer(), "--call-graph", a.callGraph(), "--switch-events"}
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
	return append(words, "-p", a.Process, "-o", file, "--", "sleep", strconv.FormatFloat(a.Duration.Seconds(), 'f', -1, 64))
}

// PerfScript returns the words of the command that writes what was recorded as text. Of frames that
// were inlined perf would ask another program, which reads files of whoever is recorded.
func PerfScript(file string) []string {
	return []string{"perf", "script", "--no-inline", "-i", file, "--ns", "-F", "comm,pid,tid,cpu,time,event,trace,ip,sym,dso",
		"--show-switch-events", "--show-task-events", "--show-lost-events"}
}

func (a *Perf) callGraph() string {
	if a.Chains == "dwarf" {
		return fmt.Sprintf("dwarf,%d", PerfStackBytes)
	}
	return a.Chains
}

// pinned is how much memory the buffers of all processors may take, in MB: what
// a quarter of a second of a hundred thousand copied stacks a second needs.
const pinned = 128

// buffer is the size of one processor's: a power of two from 1 to 16 MB.
func (a *Perf) buffer() string {
	each := min(max(pinned/max(a.CPUs, 1), 1), 16)
	return strconv.Itoa(1<<(bits.Len(uint(each))-1)) + "M"
}

// ShellLine writes words as a line for a shell.
func ShellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; strings.ContainsAny(w, " '\"\\$&|;<>()*?[]#~`!{}\t\n") || w == "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
