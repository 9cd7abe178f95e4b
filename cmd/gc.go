package cmd

import (
	"os"
	"runtime/debug"
)

// heapSlack is how much the heap may grow, in percent, before garbage is
// collected. What an exact trace keeps are large arrays without pointers,
// which cost a collector next to nothing and are most of the memory: Go's own
// 100 would double it.
const heapSlack = 25

// keepHeapSmall collects garbage often until the function it returns is called.
// Who sets GOGC knows better.
func keepHeapSmall() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(heapSlack)
	return func() { debug.SetGCPercent(before) }
}
