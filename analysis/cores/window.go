package cores

import "sync"

// window keeps those that work on numbers, in order but several at a time, from
// getting too far ahead of who takes what they made. Nothing is taken at first.
type window struct {
	ahead int // how many numbers may be worked on ahead of the one that is taken

	mu    sync.Mutex
	moved sync.Cond
	taken int // all numbers below
}

// enter waits until the work on a number may begin. The lowest number that is not
// taken never waits.
func (w *window) enter(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moved.L = &w.mu
	for i >= w.taken+w.ahead {
		w.moved.Wait()
	}
}

// leave says that all up to a number were taken.
func (w *window) leave(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taken = i + 1
	w.moved.Broadcast()
}
