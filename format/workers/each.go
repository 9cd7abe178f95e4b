package workers

import (
	"runtime"
	"sync/atomic"
)

// Each calls f for each of n numbers on all cores, in order, but several at a time. The
// returned function waits until all are done, and panics if one of them did.
func Each(n int, f func(i int)) (wait func()) {
	open := make(chan struct{})
	close(open)
	return each(n, open, f)
}

// each takes a permit before each number, so that the lowest number always has one.
func each(n int, permits <-chan struct{}, f func(i int)) (wait func()) {
	var next atomic.Int64
	var all Group
	for range min(runtime.GOMAXPROCS(0), n) {
		all.Go(func() {
			for {
				<-permits
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				all.Try(func() { f(i) })
			}
		})
	}
	return all.Wait
}

// Handover describes items that are made on all cores, several for each number, and
// delivered in order.
type Handover[T any] struct {
	Ahead int                       // how many numbers are in progress at once, including the one being delivered
	Room  func(i int) int           // how many items of a number are buffered
	Make  func(i int, give func(T)) // makes the items of a number; runs for several numbers at once
	Take  func(i int, one T)        // receives one item, in order of the numbers, then of their making
	Taken func(i int)               // called after the last item of a number; may be nil
}

// InOrder makes the items of n numbers and returns when all are delivered.
func InOrder[T any](n int, h *Handover[T]) {
	made := make([]chan T, min(h.Ahead, n)) // of the numbers being worked on
	permits := make(chan struct{}, h.Ahead)
	permit := func(i int) {
		if i < n {
			made[i%h.Ahead] = make(chan T, h.Room(i))
			permits <- struct{}{}
		}
	}
	for i := range made {
		permit(i)
	}
	done := each(n, permits, func(i int) {
		to := made[i%h.Ahead]
		defer close(to)
		h.Make(i, func(one T) { to <- one })
	})
	for i := range n {
		for one := range made[i%h.Ahead] {
			h.Take(i, one)
		}
		if h.Taken != nil {
			h.Taken(i)
		}
		permit(i + h.Ahead)
	}
	close(permits)
	done()
}
