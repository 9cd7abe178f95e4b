package cmd

import (
	"bytes"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// What threads do in dumps fits ten lines of 80 columns, whatever the dialect.
func TestThreadsOfDumpsFitTenLines(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	for _, path := range []string{
		"../testdata/documents/dumps.txt",
		"../testdata/truth-series-8dumps-jdk17.txt",
		"../testdata/deadlock-monitors-and-juc-jdk17.txt",
		"../testdata/go126-debug2-dump.txt",
		dialect(t, "android-art.txt"),
		dialect(t, "jenkins.txt"),
		dialect(t, "springboot.json"),
	} {
		out := run(t, "threads", path)
		golden.AtMost(t, strings.Count(out, "\n"), 10, path, "lines of", out)
		for _, line := range wide(out, 80) {
			t.Errorf("%s: %s", path, line)
		}
	}
}

// Each dump's threads are compared with those of the dump before by stack and state: six of nine
// keep theirs and are not idle, and a socket read is no running.
func TestThreadsAreComparedBetweenDumps(t *testing.T) {
	d := ask[document.Threads](t, "threads", "../testdata/documents/dumps.txt").Dumps
	golden.Equal(t, d.States, document.ThreadStates{Lock: 2, Resource: 1, Running: 2, IO: 2, Asleep: 1, Idle: 1})
	golden.Equal(t, d.Stuck, 6)
	golden.Equal(t, d.StuckOver, 2)
	last := d.Taken[1]
	golden.Same(t, []int{last.Threads, last.Same, last.Moved, last.New, last.Ended}, []int{9, 7, 1, 1, 1})
	golden.Equal(t, d.Stacks[0].Threads, 2, "they wait with one stack")
	golden.Equal(t, d.Stacks[0].Class, "com.acme.Vault")
}

// Dumps of two processes are not compared with each other, and the last of each counts.
func TestThreadsOfTwoProcesses(t *testing.T) {
	d := ask[document.Threads](t, "threads", "../testdata/documents/dumps.txt",
		"../testdata/go126-debug2-dump.txt").Dumps
	golden.Equal(t, d.Processes, 2)
	golden.Equal(t, d.Threads, 9+10)
	for _, one := range d.Taken {
		if one.Threads == 10 && one != (document.Dump{TimeNs: one.TimeNs, Threads: 10}) {
			t.Errorf("the one dump of its process is compared: %+v", one)
		}
	}
}

// An input without thread dumps says how to take one.
func TestThreadsNeedDumps(t *testing.T) {
	var out, msg bytes.Buffer
	golden.Equal(t, Main([]string{"threads", "../testdata/truth-8threads.jfr"}, nil, &out, &msg), exitUsage)
	golden.Holds(t, msg.String(), "jcmd PID Thread.print")
}
