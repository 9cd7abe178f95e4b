package owners

import (
	"sync/atomic"
	"testing"

	"contend/analysis/cores"
	"contend/analysis/internal/column"
	"contend/format"
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

// However few waits they have, the locks of many small inputs are learnt of some at a
// time: whole inputs, and one alone however many locks it has.
func TestLocksLookedAtTogetherAreFew(t *testing.T) {
	const locks = 4 * fewLocks
	for _, perInput := range []int{7, fewLocks / 2, fewLocks + 1} {
		r, all := NewRecord(), make([]format.ObjectID, locks)
		for l := range all {
			all[l], r.inputOf = format.ObjectID(l), append(r.inputOf, uint32(l/perInput))
		}
		ev := &evidence{Activities: &Activities{Record: r, byLock: make([][]column.Ref, locks)}}
		if n := ev.together(all); n%perInput != 0 || n > max(fewLocks, perInput) || n <= fewLocks-perInput {
			t.Errorf("%d locks an input: %d are looked at together", perInput, n)
		}
	}
}
