package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// tracepoint must exist and be readable.
const tracepoint = "/events/syscalls/sys_enter_futex/id"

// tracing are the directories of tracepoints.
var tracing = []string{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}

// rights is the hint for a user who may not record kernel events.
const rights = "run it as root, or let this user: sudo sysctl kernel.perf_event_paranoid=-1 && " +
	"sudo mount -o remount,mode=755 /sys/kernel/tracing"

// diagnose returns one line on why perf failed: a known obstacle, else perf's own message.
func diagnose(said string, err error) error {
	switch {
	case strings.Contains(said, "perf_event_paranoid"):
		return &Error{"the kernel lets this user record nothing: perf_event_paranoid is " + paranoid(), rights}
	case strings.Contains(said, "perf_event_mlock_kb"):
		return &Error{
			"the kernel lets this user pin too little memory for perf's buffers",
			"run it as root, or: sudo sysctl kernel.perf_event_mlock_kb=66000",
		}
	case strings.Contains(said, "No such process"):
		return &Error{"the process ended before it could be recorded", ""}
	case strings.Contains(said, "trace events"),
		strings.Contains(said, "tracepoint"),
		strings.Contains(said, "tracing"):
		return noTracepoint()
	case strings.Contains(said, "No space left"):
		return &Error{
			"no space is left for the recording",
			"TMPDIR names where perf's file goes; a shorter --duration or --call-graph fp needs less",
		}
	}
	if line := firstLine(said); line != "" {
		return &Error{"perf: " + line, ""}
	}
	if err == nil {
		err = errors.New("recorded nothing")
	}
	return &Error{"perf did not say what is wrong: " + err.Error(), "'contend perf-args PID' prints what was run"}
}

// noTracepoint returns why futex events are not available.
func noTracepoint() error {
	var err error
	for _, root := range tracing {
		var f *os.File
		if f, err = os.Open(root + tracepoint); err == nil {
			f.Close()
			return &Error{"perf finds no futex events", "is the kernel built with CONFIG_FTRACE_SYSCALLS?"}
		}
		if errors.Is(err, fs.ErrPermission) {
			return &Error{fmt.Sprintf("this user may not read %s: perf_event_paranoid is %s", root, paranoid()), rights}
		}
	}
	return &Error{
		"the kernel shows no futex events: " + err.Error(),
		"sudo mount -t tracefs tracefs /sys/kernel/tracing; a container needs the host's",
	}
}

func paranoid() string {
	text, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	if err != nil {
		return "not readable"
	}
	return strings.TrimSpace(string(text))
}

// firstLine returns the first line that is not empty.
func firstLine(said string) string {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && !strings.Contains(line, "not valid for") && line != "Error:" {
			return line
		}
	}
	return ""
}
