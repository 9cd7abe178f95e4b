package owners

import (
	"sync/atomic"
	"testing"

	"contend/analysis/cores"
)

// Nobody gets further ahead than the window is wide, and all get through.
func TestAWindowHoldsBackWhoIsAhead(t *testing.T) {
	var w window
	var taken atomic.Int64
	const n = 3 * locksAhead
	made := make([]chan bool, n)
	for i := range made {
		made[i] = make(chan bool, 1)
	}
	done := cores.Each(n, func(i int) {
		w.enter(i)
		if at := taken.Load(); int64(i) >= at+1+locksAhead {
			t.Errorf("%d begins when %d are taken", i, at)
		}
		made[i] <- true
	})
	for i := range made {
		<-made[i]
		taken.Store(int64(i))
		w.leave(i)
	}
	done()
}
