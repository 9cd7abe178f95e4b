//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// Four threads are notified again and again, and get their monitor back when the
// notifier releases it: 30 of each 40 ms later. Two others take turns at another
// monitor, of which one or the other always waits.
const returns = `public class Returns {
  static final class Bell { }
  static final class Till { }
  static final Bell bell = new Bell();
  static final Till till = new Till();

  static void rung() throws InterruptedException { synchronized (bell) { bell.wait(); } }
  static void ring() throws InterruptedException { synchronized (bell) { bell.notifyAll(); Thread.sleep(30); } Thread.sleep(10); }
  static void serve() throws InterruptedException { synchronized (till) { Thread.sleep(20); } }

  public static void main(String[] args) {
    Busy.forever(Returns::ring);
    for (int i = 0; i < 4; i++) Busy.forever(Returns::rung);
    for (int i = 0; i < 2; i++) Busy.forever(Returns::serve);
    System.out.println("ready");
  }
}`

// recordedBy runs a class that uses those of Busy with each JDK here, records it
// with the agent and these flags as well, and shows what analyze says of it.
func recordedBy(t *testing.T, name, text string, flags []string, look func(*testing.T, *document.Analyze)) {
	t.Helper()
	dir, classes := program(t, name, text)
	for jdk, jvm := range jvms() {
		t.Run(jdk, func(t *testing.T) {
			t.Parallel()
			pid := java(t, "sh", nil, "-c", "exec "+jvm+" -cp '"+classes+"' "+name, "sh").Process.Pid
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

// program compiles a class that uses those of Busy, in a new folder, and returns
// it and the class path.
func program(t *testing.T, name, text string) (dir, classes string) {
	t.Helper()
	if _, err := exec.LookPath("javac"); err != nil || testing.Short() {
		t.Skip("no JDK here, or -short")
	}
	classes = golden.Must(busy())(t)
	dir = t.TempDir()
	source := filepath.Join(dir, name+".java")
	golden.OK(t, os.WriteFile(source, []byte(text), 0o644))
	if out, err := exec.Command("javac", "-cp", classes, "-d", dir, source).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return dir, classes + string(os.PathListSeparator) + dir
}

// Getting the monitor back after Object.wait is acquiring, as coming for it is.
func TestTheWayBackFromWaitingIsAcquiring(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	recordedBy(t, "Returns", returns, []string{"--rate", "50", "--duration", "4s"}, func(t *testing.T, d *document.Analyze) {
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

// A hundred threads go through four monitors as fast as they can: more than are
// stopped for where they have not moved.
const crowd = `public class Crowd {
  static final Object[] gates = {new Object(), new Object(), new Object(), new Object()};

  static void pass(int i) { synchronized (gates[i % 4]) { Thread.yield(); } }

  public static void main(String[] args) {
    for (int i = 0; i < 100; i++) { int first = i; Busy.forever(() -> { for (int n = first; n < first + 1000; n++) pass(n / 7); }); }
    System.out.println("ready");
  }
}`

// Who was seen to wait and got the lock by the time of the stop is not shown as
// waiting for itself.
func TestNobodyWaitsForHimself(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	recordedBy(t, "Crowd", crowd, []string{"--rate", "200", "--duration", "10s"}, func(t *testing.T, d *document.Analyze) {
		t.Logf("%+v, %d threads", d.Coverage.Sampler, d.Trace.Threads)
		if len(d.Deadlocks) > 0 {
			t.Errorf("%+v", d.Deadlocks[0])
		}
	})
}
