package native

import "sync"

// maxAhead bounds the blocks between the input and the consumer, in bytes of
// their room. One block may be more than this.
const maxAhead = 32 << 20

// readAhead holds back whoever reads ahead while too much is on its way.
type readAhead struct {
	mu     sync.Mutex
	freed  *sync.Cond
	bytes  int
	closed bool
}

func newReadAhead() *readAhead {
	a := &readAhead{}
	a.freed = sync.NewCond(&a.mu)
	return a
}

// reserve waits until there is room for n bytes; it returns false when nobody
// wants them any more.
func (a *readAhead) reserve(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.bytes > 0 && a.bytes+n > maxAhead && !a.closed {
		a.freed.Wait()
	}
	a.bytes += n
	return !a.closed
}

// free makes room.
func (a *readAhead) free(n int) {
	a.mu.Lock()
	a.bytes -= n
	a.mu.Unlock()
	a.freed.Signal()
}

// close lets nothing wait.
func (a *readAhead) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.freed.Broadcast()
}
