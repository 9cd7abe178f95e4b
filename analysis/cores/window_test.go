package cores

import (
	"sync/atomic"
	"testing"
)

// Nobody gets further ahead than the window is wide, and all get through.
func TestAWindowHoldsBackWhoIsAhead(t *testing.T) {
	const ahead = 1 << 10
	w := Window{Ahead: ahead}
	var taken atomic.Int64
	const n = 3 * ahead
	made := make([]chan bool, n)
	for i := range made {
		made[i] = make(chan bool, 1)
	}
	done := Each(n, func(i int) {
		w.Enter(i)
		if at := taken.Load(); int64(i) >= at+1+ahead {
			t.Errorf("%d begins when %d are taken", i, at)
		}
		made[i] <- true
	})
	for i := range made {
		<-made[i]
		taken.Store(int64(i))
		w.Leave(i)
	}
	done()
}
