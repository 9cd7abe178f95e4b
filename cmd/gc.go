package cmd

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// What the heap may grow by, in bytes, before garbage is collected: heapFree in
// all, and above that heapSlack, one part in heapPart of what lives, and one in
// scanPart of what is looked through for pointers beyond scanFree. What an exact
// trace keeps are large arrays without pointers, which cost a collector next to
// nothing and are most of the memory: Go's own part, all of it, would double that.
// Thousands of locks with sums of their own do cost: looked through for a small
// growth, again and again, they take a sixth of the time.
const (
	heapFree  = 40 << 20
	heapSlack = 8 << 20
	heapPart  = 20
	scanFree  = 32 << 20
	scanPart  = 2
)

// reportPart is which part of what lives the heap may grow by while a report is made of
// what was summed, or to what it was before.
const reportPart = 4

// keepHeapSmall collects garbage often, once there is much of it, until the
// function it returns is called. Who sets GOGC knows better.
func keepHeapSmall() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	g := &governor{heap: []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/heap:bytes"}}}
	before := debug.SetGCPercent(100 * heapFree / smallestHeap)
	g.watch()
	return func() {
		g.done.Store(true)
		if g.size() > heapFree {
			runtime.GC() // what an analysis kept is of no use to its report
		}
		debug.SetGCPercent(min(before, reportSlack(g.size(), g.most.Load())))
	}
}

// smallestHeap is that at which Go collects garbage first, by its documentation
// 4 MB for a percentage of 100, and in proportion.
const smallestHeap = 4 << 20

// governor sets after each collection at which size of the heap the next one is.
type governor struct {
	heap []metrics.Sample // what lived at the last collection, and what was scanned
	most atomic.Uint64    // the largest size at which a collection was due
	done atomic.Bool
}

// watch has adjust called after the next collection: the finalizer of a thing
// that is garbage at once.
func (g *governor) watch() {
	runtime.SetFinalizer(new(*governor), func(**governor) { g.adjust() })
}

func (g *governor) adjust() {
	if g.done.Load() {
		return
	}
	live := g.size()
	percent := slack(live, g.heap[1].Value.Uint64())
	g.most.Store(max(g.most.Load(), live+live*uint64(percent)/100))
	debug.SetGCPercent(percent)
	if !g.done.Load() {
		g.watch()
	}
}

// size returns what lived in the heap at the last collection.
func (g *governor) size() uint64 {
	metrics.Read(g.heap)
	return g.heap[0].Value.Uint64()
}

// reportSlack is slack for the time of the report: the memory up to the largest heap
// there was is the process's already.
func reportSlack(live, most uint64) int {
	live = max(live, 1)
	return int(max((max(most, live)-live)*100/live, 100/reportPart))
}

// slack returns how much a heap may grow, in percent of what lives in it.
func slack(live, scanned uint64) int {
	if live < smallestHeap {
		live = smallestHeap
	}
	grow := heapSlack + live/heapPart + (max(min(scanned, live), scanFree)-scanFree)/scanPart
	if live+grow < heapFree {
		grow = heapFree - live
	}
	return int(grow * 100 / live)
}
