package cmd

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

// A heap may grow by what the constants say, never by less of a larger one, and
// a large one by little.
func TestSlack(t *testing.T) {
	last := uint64(0)
	for live := uint64(1 << 20); live < 1<<34; live += live / 3 {
		next := live + live*uint64(slack(live, 0))/100
		if next < last*99/100 || next < heapFree*9/10 && live >= smallestHeap || live > 1<<30 && next > live+live/12 {
			t.Errorf("of %d bytes that live the next collection is at %d, before at %d", live, next, last)
		}
		if more := live + live*uint64(slack(live, live))/100; live > heapFree && more < live+(live-scanFree)/2 {
			t.Errorf("of %d bytes, all looked through for pointers, the next collection is at %d", live, more)
		}
		last = next
	}
}

// While a report is made the heap may grow to what it was before, or by a quarter of
// what lives, and no further: what an analysis took is most of the memory.
func TestReportSlack(t *testing.T) {
	for _, c := range []struct{ live, most, next uint64 }{
		{60 << 20, 100 << 20, 100 << 20}, {60 << 20, 62 << 20, 75 << 20}, {60 << 20, 0, 75 << 20}, {400 << 20, 420 << 20, 500 << 20},
	} {
		next := c.live + c.live*uint64(reportSlack(c.live, c.most))/100
		if next > c.next || next < c.next*98/100 {
			t.Errorf("of %d MB that live, once %d, the next collection is at %d", c.live>>20, c.most>>20, next>>20)
		}
	}
}

// The percentage follows what lives, and is as it was in the end.
func TestKeepHeapSmall(t *testing.T) {
	t.Setenv("GOGC", "")
	os.Unsetenv("GOGC")
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	restore := keepHeapSmall()
	kept := make([]byte, 200<<20)
	for range 3 {
		runtime.GC()
	}
	for range 100 { // the finalizer runs on a goroutine of its own
		runtime.Gosched()
		runtime.GC()
		if p := debug.SetGCPercent(20); p < 20 {
			runtime.KeepAlive(kept)
			restore()
			if p := debug.SetGCPercent(77); p != 77 {
				t.Errorf("%d percent in the end", p)
			}
			return
		}
	}
	t.Error("a heap of 200 MB may grow by 20 % and more")
}
