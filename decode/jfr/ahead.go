package jfr

import (
	"runtime"
	"sync"
	"sync/atomic"

	"contend/format/workers"
)

// ahead cuts chunks out of the input on one goroutine, before the reader asks for them, and
// skips over the events of several chunks concurrently, each on its own goroutine.
type ahead struct {
	split *splitter
	room  *Room

	chunks chan *chunk // in order; closed after the one with an error
	free   chan *chunk // chunks that the reader has finished
	spare  chan *chunkEvents
	quit   chan struct{}
	once   sync.Once
	work   workers.Group
	held   atomic.Int64 // bytes of the room
}

// Room bounds the bytes that readers hold of chunks read ahead. Several readers may share
// one. A reader may always hold one chunk, so that none waits for another.
type Room struct {
	Bytes int64
	held  atomic.Int64
}

// DefaultRoom is enough for the chunks of the JDK, of 12 MB, on a few cores.
const DefaultRoom = 48 << 20

// Limits of reading ahead: chunks per core, and batches of each.
const (
	maxCores      = 4
	batchesAhead  = 2
	batchesSpared = (maxCores + 1) * (batchesAhead + 1)
)

// newAhead begins to read ahead; nil if there is a single core.
func newAhead(s *splitter, room *Room) *ahead {
	cores := min(runtime.GOMAXPROCS(0), maxCores)
	if cores < 2 {
		return nil
	}
	a := &ahead{
		split:  s,
		room:   room,
		chunks: make(chan *chunk, cores+1),
		free:   make(chan *chunk, cores+1),
		spare:  make(chan *chunkEvents, batchesSpared),
		quit:   make(chan struct{}),
	}
	for range cores + 1 {
		a.free <- &chunk{}
	}
	a.work.Go(a.cut)
	return a
}

// cut cuts out one chunk after the other.
func (a *ahead) cut() {
	defer close(a.chunks)
	var unused []*chunk
	for {
		for len(unused) == 0 || a.held.Load() > 0 && a.room.held.Load() >= a.room.Bytes {
			select {
			case c := <-a.free:
				a.hold(-len(c.buf))
				unused = append(unused, c)
			case <-a.quit:
				return
			}
		}
		c := unused[len(unused)-1]
		unused = unused[:len(unused)-1]
		c.err = a.split.next(c)
		c.ready, c.batches = make(chan struct{}), make(chan *chunkEvents, batchesAhead)
		a.hold(len(c.buf))
		a.chunks <- c // has room for all there are
		if c.err == nil && !c.void {
			a.work.Go(func() { a.step(c) })
			continue
		}
		close(c.ready)
		if c.err != nil {
			return
		}
	}
}

// hold takes bytes from the room, or returns them if negative.
func (a *ahead) hold(bytes int) {
	a.held.Add(int64(bytes))
	a.room.held.Add(int64(bytes))
}

// step steps over a chunk.
func (a *ahead) step(c *chunk) {
	ready := sync.OnceFunc(func() { close(c.ready) })
	defer close(c.batches) // earlier than the last one after a panic, or if the reader has stopped
	defer ready()
	c.index()
	mine := *c // the reader's stays at its beginning
	ready()
	for last := false; !last; {
		var b *chunkEvents
		select {
		case b = <-a.spare:
		default:
			b = &chunkEvents{}
		}
		mine.step(b)
		last = b.last
		select {
		case c.batches <- b:
		case <-a.quit:
			return
		}
	}
}

// nextChunk returns the next chunk once its constants are known.
func (a *ahead) nextChunk() *chunk {
	c, more := <-a.chunks
	if !more {
		a.close() // panics as the goroutine that cuts did
	}
	<-c.ready
	return c
}

// batch returns the next events of a chunk.
func (a *ahead) batch(c *chunk) *chunkEvents {
	b, more := <-c.batches
	if !more {
		a.close() // panics as the goroutine that was to send it
	}
	return b
}

// close ends the goroutines and waits for them, because one may be reading; then the input
// may be closed.
func (a *ahead) close() {
	a.once.Do(func() {
		close(a.quit)
		a.work.Wait()
		a.hold(-int(a.held.Load()))
	})
}
