package cmd

import (
	"os"
	"runtime"
	"runtime/debug"
)

// The heap may grow to heapFree bytes before the first garbage collection, and by heapPercent
// after that. An exact trace keeps most of what it allocates, so Go's default of 100 % would
// double the memory.
const (
	heapFree    = 40 << 20
	heapPercent = 25
)

// keepHeapSmall lets the heap grow to heapFree before the first collection and collects often
// after that, until restore is called. A report allocates less than its analysis. GOGC takes
// precedence.
//
// The memory is reserved by a slice that nothing writes to: it counts as heap but takes no
// pages.
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
