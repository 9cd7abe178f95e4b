package gate

import (
	"strings"

	"contend/format"
)

// ownersHint says how to get an input that shows owners, for the kind of input that a run has: what it has
// already is no advice.
func (run *Run) ownersHint() string {
	_, dumps := run.warned(format.CodeUnlistedOwners, format.CodeUnlistedLocks, format.CodeAbsentOwners)
	switch {
	case strings.HasPrefix(run.Stats.Format, "go "):
		return "record for longer: the release that ends a wait names the owner"
	case strings.HasPrefix(run.Stats.Format, "goroutine"):
		return "give a runtime/trace: a dump of goroutines names no owners"
	case run.native():
		return "record for longer: the wake-up that ends a wait names the owner"
	case run.Stats.Unit == format.UnitThreads || dumps:
		return "take the dump of all threads, with their locks (jstack -l)"
	case run.Stats.Unit != format.UnitTime:
		return "give thread dumps, or a recording (contend record)"
	case run.Stats.DeadlockDumps > 0:
		return "its thread dumps show too little: record for longer"
	}
	return "record with thread dumps ('contend jfc' prints such settings)"
}

// dumpsHint says how to get an input that shows deadlocks.
func (run *Run) dumpsHint() string {
	switch {
	case strings.HasPrefix(run.Stats.Format, "go"):
		return "no input of a Go program names the owners of its locks while they wait: look at a dump of all " +
			"goroutines (SIGQUIT)"
	case run.native():
		return "perf shows waits that end: look at the threads of the program with a debugger"
	case run.Stats.Unit == format.UnitThreads:
		return "take the dump of all threads, with their locks (jstack -l PID; with virtual threads jcmd PID " +
			"Thread.dump_to_file FILE)"
	}
	return "give thread dumps of all threads " +
		"(jstack -l PID; with virtual threads jcmd PID Thread.dump_to_file FILE), " +
		"or a recording that takes them ('contend jfc' prints such settings)"
}

// pollingHint says how to get an input that shows threads which spin or sleep.
func (run *Run) pollingHint() string {
	switch {
	case strings.HasPrefix(run.Stats.Format, "go"):
		return "give a CPU profile: the trace has no samples of what runs"
	case run.native():
		return "perf record with a sampling event shows what runs"
	}
	return "give a recording that shows sleeping and running threads: 'contend record --with both', or thread dumps"
}

// native reports whether perf recorded the program, also if the trace was converted since.
func (run *Run) native() bool {
	_, is := run.warned(format.CodeSpinning, format.CodeKernel)
	return is || strings.HasPrefix(run.Stats.Format, "perf")
}
