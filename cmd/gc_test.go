package cmd

import (
	"runtime/debug"
	"testing"
)

// Garbage is collected by this package's rule from the reading of a trace on, by the user's
// where GOGC is set.
func TestKeepHeapSmall(t *testing.T) {
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	for gogc, want := range map[string]int{"": heapPercent, "77": 77} {
		t.Setenv("GOGC", gogc)
		restore := keepHeapSmall()
		if p := debug.SetGCPercent(want); p != want {
			t.Errorf("GOGC=%q: the heap may grow by %d %%, want %d", gogc, p, want)
		}
		if restore(); debug.SetGCPercent(77) != want {
			t.Errorf("GOGC=%q: another rule in the end", gogc)
		}
	}
}
