package threaddump

import (
	"strings"
	"testing"
)

// What other tools write of a program is told by its first line; text of any other kind
// is not taken for theirs.
func TestHintsForForeignText(t *testing.T) {
	for first, want := range map[string]string{
		"<!DOCTYPE html>":   "a page",
		"<html lang='en'>":  "a page",
		"<p>of nothing</p>": "contend reads",
		"12346 13:00:01.0005 futex(0x7f00, FUTEX_WAKE_PRIVATE, 1) = 1 <0.00001>":            "strace",
		"[pid  4711] futex(0x7f00, FUTEX_WAIT_PRIVATE, 2, NULL) = -1 EAGAIN (Resource ...)": "strace",
		"execve(\"/bin/true\", [\"true\"], 0x7ffd /* 9 vars */) = 0":                        "strace",
		"2026-11-23 13:00:01 INFO put(x) = 3":                                               "contend reads",
		"# tracer: nop":                                                                     "ftrace",
		" contended   total wait     max wait     avg wait         type   caller":           "'perf lock",
		"Thread 3 (Thread 0x7f0000000700 (LWP 4711) \"worker\"):":                           "a debugger",
		"#0  0x00007f0000000000 in __lll_lock_wait () from /lib64/libc.so.6":                "a debugger",
		"Attaching 3 probes...":                                                             "bpftrace",
		"* Goroutine 1 - User: ./main.go:12 main.main (0x4010)":                             "Delve",
		"       Value     Percentile TotalCount 1/(1-Percentile)":                           "percentiles",
		"# a comment":  "contend reads",
		"hello; world": "contend reads",
		"":             "contend reads",
	} {
		if got := hintOf(first); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q", first, got)
		}
	}
}
