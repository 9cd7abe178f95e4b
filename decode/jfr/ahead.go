package jfr

import (
	"bytes"
	"contend/format/workers"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// ahead cuts chunks out of the input and steps over their events before the reader asks
// for them, several at a time on as many cores. It stops at the first damage: from a
// chunk on that is not whole the reader takes the input back, and reads it chunk by
// chunk.
type ahead struct {
	split splitter // of the goroutine that cuts, until it ends
	room  *Room
	most  int // chunks at a time

	order chan *stepped // as they lie in the input; closed when no more come
	free  chan *stepped // those the reader is done with
	want  chan struct{} // the reader waits
	spare chan *batch
	quit  chan struct{}
	once  sync.Once
	work  workers.Group

	out    []*stepped // of the goroutine that cuts: chunks that are not free again
	unsent *stepped   // the same: cut when the reader did not want it any more
	unused []*stepped
}

// stepped is a chunk that is stepped over on a goroutine of its own.
type stepped struct {
	chunk
	ready   chan struct{} // closed once its constants are known
	batches chan *batch   // of its events
	after   last          // what is known of the input behind it
	held    int64         // bytes of the room it takes
}

// Room bounds the bytes that readers hold of chunks read ahead. Several may share it.
type Room struct{ left atomic.Int64 }

// NewRoom returns a room of some bytes.
func NewRoom(bytes int64) *Room {
	r := &Room{}
	r.left.Store(bytes)
	return r
}

// DefaultRoom is enough for the chunks of the JDK, of 12 MB, on a few cores.
const DefaultRoom = 48 << 20

func (r *Room) take(n int64) bool {
	if r.left.Add(-n) >= 0 {
		return true
	}
	r.left.Add(n)
	return false
}

// What is ahead at a time, at most: chunks by cores, and batches of each.
const (
	maxCores      = 4
	batchesAhead  = 2
	batchesSpared = (maxCores + 1) * (batchesAhead + 1)
)

// startAhead begins to read ahead of what is at hand.
func (f *feed) startAhead() {
	cores := min(runtime.GOMAXPROCS(0), maxCores)
	if cores < 2 || f.room == nil {
		return
	}
	a := &ahead{split: f.split, room: f.room, most: cores + 1, want: make(chan struct{}, 1), spare: make(chan *batch, batchesSpared), quit: make(chan struct{})}
	a.order, a.free = make(chan *stepped, a.most), make(chan *stepped, a.most)
	f.ahead = a
	a.work.Go(a.cut)
}

// cut cuts out one chunk after the other.
func (a *ahead) cut() {
	defer close(a.order)
	for {
		c := a.next()
		if c == nil {
			return
		}
		if !a.split.whole(&c.chunk, func(n int64) bool { return a.wait(c, n) }) {
			a.giveBack(c) // it may have got room before it turned out to be cut off
			return
		}
		c.after = a.split.last
		c.ready, c.batches = make(chan struct{}), make(chan *batch, batchesAhead)
		a.out = append(a.out, c)
		select {
		case a.order <- c:
			a.work.Go(func() { a.step(c) })
		case <-a.quit:
			a.unsent = c
			return
		}
	}
}

// next returns a chunk to be filled, once not too many are; nil when no more are
// wanted.
func (a *ahead) next() *stepped {
	for len(a.out) >= a.most {
		if !a.reclaim() {
			return nil
		}
	}
	if n := len(a.unused); n > 0 {
		c := a.unused[n-1]
		a.unused = a.unused[:n-1]
		return c
	}
	return &stepped{}
}

// wait returns once there is room for a chunk of n bytes, or the reader wants
// it now; false when no more are wanted.
func (a *ahead) wait(c *stepped, n int64) bool {
	for !a.room.take(n) {
		if len(a.out) > 0 {
			if !a.reclaim() {
				return false
			}
			continue
		}
		select {
		case <-a.want:
			c.held = 0
			return true
		case <-a.quit:
			return false
		}
	}
	c.held = n
	return true
}

// reclaim waits for a chunk that is free again.
func (a *ahead) reclaim() bool {
	select {
	case c := <-a.free:
		a.giveBack(c)
		a.out = slices.DeleteFunc(a.out, func(o *stepped) bool { return o == c })
		a.unused = append(a.unused, c)
		return true
	case <-a.quit:
		return false
	}
}

// step steps over a chunk.
func (a *ahead) step(c *stepped) {
	ready := sync.OnceFunc(func() { close(c.ready) })
	defer close(c.batches) // before the last one only where it panics, or nobody wants more
	defer ready()
	if c.void {
		return
	}
	c.index()
	mine := c.chunk // the reader's stays at its beginning
	ready()
	for last := false; !last; {
		var b *batch
		select {
		case b = <-a.spare:
		default:
			b = &batch{}
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

// take returns the next chunk; nil when the reader has to go on by itself.
func (a *ahead) take() *stepped {
	select {
	case a.want <- struct{}{}:
	default:
	}
	c := <-a.order
	if c != nil {
		<-c.ready
	}
	return c
}

// close ends the goroutines and waits for them: what is read from may be closed
// then. One of them may be reading.
func (a *ahead) close() {
	a.once.Do(func() {
		close(a.quit)
		a.work.Wait()
		for _, c := range a.out {
			a.giveBack(c)
		}
	})
}

func (a *ahead) giveBack(c *stepped) {
	a.room.left.Add(c.held)
	c.held = 0
}

// back ends what is ahead and gives the input back, at the beginning of the
// chunk at hand if that cannot be stepped over, else behind what was cut out.
func (a *ahead) back(at *stepped) splitter {
	a.close()
	s := a.split
	if at == nil {
		return s
	}
	var rest []io.Reader
	for c := range a.order {
		rest = append(rest, bytes.NewReader(c.buf))
	}
	if a.unsent != nil {
		rest = append(rest, bytes.NewReader(a.unsent.buf))
	}
	rest = append(rest, bytes.NewReader(s.buf[len(s.buf):len(s.buf)+s.input.ahead]))
	switch {
	case s.err == nil:
		rest = append(rest, s.in)
	case !errors.Is(s.err, io.EOF):
		rest = append(rest, broken{s.err})
	}
	s.input = input{in: io.MultiReader(rest...), buf: at.buf, base: at.base}
	s.last = at.after
	return s
}

// broken is the end of an input that cannot be read any further.
type broken struct{ err error }

func (f broken) Read([]byte) (int, error) { return 0, f.err }
