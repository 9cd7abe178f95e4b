//go:build unix

package golden

import (
	"syscall"
	"testing"
	"time"
)

// CPUTime returns the CPU time that a function takes of this process, independent of the
// load of the machine.
func CPUTime(t *testing.T, do func()) time.Duration {
	t.Helper()
	before := cpuTime(t)
	do()
	return cpuTime(t) - before
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
