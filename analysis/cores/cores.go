// Package cores does work on all cores.
package cores

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls f for each of n numbers, in order but several at a time.
// The function it returns waits until all are done.
func Each(n int, f func(i int)) (wait func()) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	return workers.Wait
}
