package cores

import "sync"

// Window keeps those that work on numbers, in order but several at a time, from
// getting too far ahead of who takes what they made. Nothing is taken at first.
type Window struct {
	Ahead int // how many numbers may be worked on ahead of the one that is taken

	mu    sync.Mutex
	moved sync.Cond
	taken int // all numbers below
}

// Enter waits until the work on a number may begin. The lowest number that is not
// taken never waits.
func (w *Window) Enter(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moved.L = &w.mu
	for i >= w.taken+w.Ahead {
		w.moved.Wait()
	}
}

// Leave says that all up to a number were taken.
func (w *Window) Leave(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taken = i + 1
	w.moved.Broadcast()
}
