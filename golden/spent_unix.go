//go:build unix

package golden

import (
	"syscall"
	"testing"
	"time"
)

// Spent returns the processor time that a function takes of this process: what else the
// machine does makes it no longer.
func Spent(t *testing.T, do func()) time.Duration {
	t.Helper()
	before := spent(t)
	do()
	return spent(t) - before
}

func spent(t *testing.T) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
