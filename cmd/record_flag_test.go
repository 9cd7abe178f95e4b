//go:build unix

package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"contend/cmd/record"
	"contend/cmd/record/attach"
	"contend/golden"
)

// The agent switches the JVM's measuring of blocked time on while it records,
// and off when the last recording is over; where the program wants it on, it
// stays.
func TestRecordRestoresContentionMonitoring(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	for _, c := range []struct{ name, wants, want string }{
		{"off", "false", "false true false"},
		{"on", "true", "true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pid, log := watch(t, c.wants)
			during := strings.TrimSuffix(c.want, " false")
			end := recordedUntil(t, pid)
			if got := awaited(t, log, during); got != during {
				t.Errorf("monitoring was %s, want %s", got, during)
			}
			for range 2 { // the first goes on without the second, and so it is when the third comes
				if code, _, msg := recordOf(t, "--with", "agent", "--duration", "1s", "-o", "/dev/null",
					strconv.Itoa(pid)); code != exitOK {
					t.Errorf("exit %d: %s", code, msg)
				}
				if got := awaited(t, log, during); got != during {
					t.Errorf("monitoring was %s, want %s", got, during)
				}
			}
			end()
			if got := awaited(t, log, c.want); got != c.want {
				t.Errorf("monitoring was %s, want %s", got, c.want)
			}
		})
	}
}

// recordedUntil records with the agent until it is ended.
func recordedUntil(t *testing.T, pid int) (end func()) {
	t.Helper()
	p := golden.Must(attach.Find(pid))(t)
	ctx, cancel := context.WithCancel(t.Context())
	begun, ended := make(chan bool), make(chan bool)
	begin := sync.OnceFunc(func() { close(begun) })
	go func() {
		defer close(ended)
		defer begin()
		r, err := record.JVM(
			ctx,
			p,
			record.Means{Agent: true},
			record.Config{Duration: time.Hour, Rate: 20, Progress: func(time.Duration) { begin() }},
		)
		if err != nil {
			t.Error(err)
			return
		}
		r.Close()
	}()
	<-begun
	end = func() { cancel(); <-ended }
	t.Cleanup(end)
	return end
}

// A recording whose end nobody tells leaves the JVM as it was, too.
func TestRecordKilledRestoresContentionMonitoring(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	pid, log := watch(t, "false")
	c, _ := started(t, "record", "--with", "agent", "-o", filepath.Join(t.TempDir(), "x.bin"), strconv.Itoa(pid))
	if got := awaited(t, log, "false true"); got != "false true" {
		t.Fatalf("monitoring was %s", got)
	}
	_ = c.Process.Signal(syscall.SIGKILL)
	_ = c.Wait()
	// Its lease would last for 30 s: the file's removal ends it at once.
	leases, _ := filepath.Glob(fmt.Sprintf("/tmp/contend-%d-*/lease-*", pid))
	if len(leases) != 1 {
		t.Fatalf("leases: %v", leases)
	}
	golden.OK(t, os.Remove(leases[0]))
	if got := awaited(t, log, "false true false"); got != "false true false" {
		t.Errorf("monitoring was %s", got)
	}
}

// watch starts a program that logs whether blocked time is measured, whenever
// that changes.
func watch(t *testing.T, wants string) (pid int, log string) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "log")
	return program(t, "java", nil, "-Dwants="+wants, "-Dlog="+log, "-cp", classes(t), "Watch").Process.Pid, log
}

// awaited returns what a log says, once it says that or that takes too long.
func awaited(t *testing.T, log, want string) (got string) {
	t.Helper()
	comes(func() bool {
		text, _ := os.ReadFile(log)
		got = strings.TrimSpace(string(text))
		return got == want
	})
	return got
}
