//go:build !unix

package golden

import (
	"testing"
	"time"
)

// CPUTime returns the elapsed time of a function: this system gives no CPU time.
func CPUTime(t *testing.T, do func()) time.Duration {
	t.Helper()
	began := time.Now()
	do()
	return time.Since(began)
}
