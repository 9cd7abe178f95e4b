//go:build unix

package cmd

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// recordedBy runs a class that uses those of Busy with each JDK here, records it with the
// agent and these flags as well, and shows what analyze says of it. It records for so many
// seconds, and again for longer where the agent had too few turns on a busy machine for so
// many samples.
func recordedBy(t *testing.T, name string, seconds int, samples int64, flags []string, look func(*testing.T, *document.Analyze)) {
	t.Helper()
	dir, classes := t.TempDir(), classes(t)
	for jdk, jvm := range jvms() {
		t.Run(jdk, func(t *testing.T) {
			t.Parallel()
			pid, file := program(t, jvm, nil, "-cp", classes, name).Process.Pid, filepath.Join(dir, jdk+".bin")
			var d *document.Analyze
			for s := seconds; s <= 16*seconds && (d == nil || d.Coverage.Sampler != nil && d.Coverage.Sampler.Samples < samples); s *= 2 {
				args := []string{"--with", "agent", "--duration", fmt.Sprint(s, "s"), "-o", file, strconv.Itoa(pid)}
				if code, _, msg := recordOf(t, append(args, flags...)...); code != exitOK {
					t.Fatal(msg)
				}
				d = ask[document.Analyze](t, "analyze", file)
			}
			waitForOneEach(t, run(t, "dump", file))
			look(t, d)
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
	recordedBy(t, "Returns", 4, 150, []string{"--rate", "50"}, func(t *testing.T, d *document.Analyze) {
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
	recordedBy(t, "Crowd", 10, 1, []string{"--rate", "200"}, func(t *testing.T, d *document.Analyze) {
		t.Logf("%+v, %d threads", d.Coverage.Sampler, d.Trace.Threads)
		if len(d.Deadlocks) > 0 {
			t.Errorf("%+v", d.Deadlocks[0])
		}
	})
}
