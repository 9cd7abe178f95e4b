//go:build !unix

package golden

import (
	"testing"
	"time"
)

// Spent returns the time that a function takes.
func Spent(t *testing.T, do func()) time.Duration {
	t.Helper()
	began := time.Now()
	do()
	return time.Since(began)
}
