// Package cores does work on all cores.
package cores

import (
	"runtime"
	"sync/atomic"

	"contend/format/workers"
)

// Each calls f for each of n numbers, in order but several at a time.
// The function it returns waits until all are done, and panics if one of them did.
func Each(n int, f func(i int)) (wait func()) {
	var next atomic.Int64
	var all workers.Group
	for range min(runtime.GOMAXPROCS(0), n) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				all.Try(func() { f(int(i)) })
			}
		})
	}
	return all.Wait
}
