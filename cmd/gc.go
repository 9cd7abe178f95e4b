package cmd

import (
	"os"
	"runtime"
	"runtime/debug"
)

// heapFree is how far the heap may grow, in bytes, before garbage is first collected, and
// heapPercent by what part of it from then on: what an exact trace keeps is most of the
// memory, and Go's own 100 % would double it.
const (
	heapFree    = 40 << 20
	heapPercent = 25
)

// keepHeapSmall collects garbage seldom while there is little, and often once there is much,
// until the function it returns is called. Then a report is made of what was summed: the
// heap grows by the same part of it, from a smaller size. A user who sets GOGC decides
// instead.
//
// A slice that nothing touches counts as heap, and takes no memory.
func keepHeapSmall() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	untouched := make([]byte, heapFree*100/(100+heapPercent))
	before := debug.SetGCPercent(heapPercent)
	return func() {
		runtime.GC() // what an analysis kept is of no use to its report
		debug.SetGCPercent(min(before, heapPercent))
		runtime.KeepAlive(untouched)
	}
}
