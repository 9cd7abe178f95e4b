// Package perf records a native program with Linux's perf: who waits for futexes,
// who wakes whom, and when threads run. It knows the command lines and what can
// go wrong, and reads none of what comes.
package perf

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Ask is what to record.
type Ask struct {
	Process  string // its number
	Duration time.Duration
	Chains   string // how call chains are made: one of Chains
	Kernel   bool   // also waits for the kernel's own locks
	CPUs     int    // of the machine: the buffers of all share what may be pinned
}

// Chains are the ways to make call chains. Dwarf is right whatever libc was
// built with; fp is where it keeps frame pointers.
var Chains = []string{"dwarf", "fp"}

// StackBytes of each waiter and waker are copied for dwarf. 4 KB hold some 30
// frames; a Python program needs more, of which the outermost are cut off.
const StackBytes = 4096

// event is a tracepoint. Call chains cost most of all, so only events whose
// chains say where a lock is taken or given back have them.
type event struct {
	name  string
	chain bool
}

var futexes = []event{
	{"syscalls:sys_enter_futex", true},
	{"syscalls:sys_exit_futex", false},
	{"sched:sched_switch", true},  // where a thread sleeps, or that it is preempted
	{"sched:sched_waking", false}, // whom a thread wakes
}

var kernelLocks = []event{
	{"lock:contention_begin", true},
	{"lock:contention_end", false},
}

// Record returns the words of the command that records into a file. It ends
// early when it is interrupted or the program ends.
func (a *Ask) Record(file string) []string {
	words := []string{"perf", "record", "-q", "-k", "CLOCK_MONOTONIC", "-m", a.buffer(), "--call-graph", a.callGraph(), "--switch-events"}
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

// Script returns the words of the command that writes what was recorded as text.
func Script(file string) []string {
	return []string{"perf", "script", "-i", file, "--ns", "-F", "comm,pid,tid,cpu,time,event,trace,ip,sym,dso",
		"--show-switch-events", "--show-task-events", "--show-lost-events"}
}

func (a *Ask) callGraph() string {
	if a.Chains == "dwarf" {
		return fmt.Sprintf("dwarf,%d", StackBytes)
	}
	return a.Chains
}

// pinned is how much memory the buffers of all processors may take, in MB: what
// a quarter of a second of a hundred thousand copied stacks a second needs.
const pinned = 128

// buffer is the size of one processor's: a power of two from 1 to 16 MB.
func (a *Ask) buffer() string {
	each := min(max(pinned/max(a.CPUs, 1), 1), 16)
	return strconv.Itoa(1<<(bits.Len(uint(each))-1)) + "M"
}

// Line writes words as a line for a shell.
func Line(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; strings.ContainsAny(w, " '\"\\$&|;<>()*?[]#~`!{}\t\n") || w == "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
