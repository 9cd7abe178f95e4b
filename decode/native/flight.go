package native

import "sync"

// maxInFlight bounds the blocks between the input and the consumer, in bytes
// before compression. An event may take fifteen times what it takes in the
// file, as frames of empty names do. One block may be more than this.
const maxInFlight = 16 << 20

// flight holds back whoever reads ahead while too much is on its way.
type flight struct {
	mu     sync.Mutex
	moved  *sync.Cond
	bytes  int
	closed bool
}

func newFlight() *flight {
	f := &flight{}
	f.moved = sync.NewCond(&f.mu)
	return f
}

// enter waits until there is room for n bytes; it returns false when nobody
// wants them any more.
func (f *flight) enter(n int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.bytes > 0 && f.bytes+n > maxInFlight && !f.closed {
		f.moved.Wait()
	}
	f.bytes += n
	return !f.closed
}

// leave makes room.
func (f *flight) leave(n int) {
	f.mu.Lock()
	f.bytes -= n
	f.mu.Unlock()
	f.moved.Signal()
}

// close lets nothing wait.
func (f *flight) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.moved.Broadcast()
}
