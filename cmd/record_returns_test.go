//go:build unix

package cmd

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// recordedBy runs a class that uses those of Busy with each JDK here, records it
// with the agent and these flags as well, and shows what analyze says of it.
func recordedBy(t *testing.T, name string, flags []string, look func(*testing.T, *document.Analyze)) {
	t.Helper()
	dir, classes := t.TempDir(), classes(t)
	for jdk, jvm := range jvms() {
		t.Run(jdk, func(t *testing.T) {
			t.Parallel()
			pid := program(t, jvm, nil, "-cp", classes, name).Process.Pid
			file := filepath.Join(dir, jdk+".bin")
			args := append([]string{"--with", "agent", "-o", file, strconv.Itoa(pid)}, flags...)
			if code, _, msg := recordOf(t, args...); code != exitOK {
				t.Fatal(msg)
			}
			waitForOneEach(t, run(t, "dump", file))
			look(t, ask[document.Analyze](t, "analyze", file))
		})
	}
}

// waitForOneEach holds samples to it that a thread waits for one lock at a time.
func waitForOneEach(t *testing.T, dump string) {
	t.Helper()
	seen := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^contention (time=\d+) (lock=[1-9]\d*) .*waiters=(\S+)`).FindAllStringSubmatch(dump, -1) {
		for _, waiter := range strings.Split(m[3], ",") {
			thread, _, _ := strings.Cut(waiter, "/")
			at := m[1] + " thread=" + thread
			if lock, other := seen[at]; other && lock != m[2] {
				t.Fatalf("%s waits for %s and %s", at, lock, m[2])
			}
			seen[at] = m[2]
		}
	}
}

// Getting the monitor back after Object.wait is acquiring, as coming for it is.
func TestTheWayBackFromWaitingIsAcquiring(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	recordedBy(t, "Returns", []string{"--rate", "50", "--duration", "4s"}, func(t *testing.T, d *document.Analyze) {
		waited := map[string]float64{}
		for _, l := range d.Locks {
			waited[l.Class] += float64(l.WaitNs) / float64(d.Trace.DurationNs)
		}
		t.Log(waited)
		till, bell := waited["Returns$Till"], waited["Returns$Bell"]
		if till < 0.7 || till > 1.35 || bell < 2.2 || bell > 3.8 {
			t.Errorf("waiting threads, on average: %v; want 1 at the till, 3 at the bell", waited)
		}
	})
}

// Who was seen to wait and got the lock by the time of the stop is not shown as
// waiting for itself.
func TestNobodyWaitsForHimself(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	recordedBy(t, "Crowd", []string{"--rate", "200", "--duration", "10s"}, func(t *testing.T, d *document.Analyze) {
		t.Logf("%+v, %d threads", d.Coverage.Sampler, d.Trace.Threads)
		if len(d.Deadlocks) > 0 {
			t.Errorf("%+v", d.Deadlocks[0])
		}
	})
}
