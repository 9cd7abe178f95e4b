package jfr

import "contend/format"

// more makes the next batch current, if need be of the next chunk.
func (r *Reader) more() {
	if !r.begun {
		r.begun = true
		r.goAhead()
	}
	switch {
	case r.batch.broken:
		r.resync()
	case !r.batch.last:
		r.nextBatch()
	default:
		r.tellMissing()
		r.err = r.nextChunk()
		r.dated.turn(r.err != nil, &r.queue)
		r.wakings.turn(&r.queue)
		if r.err != nil {
			r.tellIdle()
		}
	}
}

// nextChunk makes the next chunk current and announces it. The error is io.EOF
// where there is none.
func (r *Reader) nextChunk() error {
	c, err := r.cutOut()
	r.meet(c)
	if err != nil {
		r.head = r.split.head
	}
	if err != nil || c.void {
		return err
	}
	before := r.head
	r.until = max(r.until, before.end())
	r.chunk = *c
	if r.chunks++; r.chunks == 1 {
		r.ids.virtual.since = r.head.startNanos
	}
	r.newConstants()
	r.checkJVM(&before)
	if r.off < len(r.buf) {
		r.queue.Push(format.Event{Kind: format.KindRecording, Time: r.head.startNanos, End: r.head.end()})
		r.nextBatch()
	}
	return nil
}

// cutOut returns the next chunk, from what is ahead or from the input itself.
func (r *Reader) cutOut() (*chunk, error) {
	if r.ahead != nil {
		if r.stepped != nil {
			r.ahead.free <- r.stepped // has room for all there are
		}
		if r.stepped = r.ahead.take(); r.stepped != nil {
			return &r.stepped.chunk, nil
		}
		r.split, r.ahead = r.ahead.back(nil), nil
	}
	err := r.split.next(&r.inTurn)
	if err == nil && !r.inTurn.void {
		r.inTurn.index()
	}
	return &r.inTurn, err
}

// meet books what was lost before a chunk, or within it, and leaves the batch
// at hand.
func (r *Reader) meet(c *chunk) {
	for _, l := range c.losses {
		r.lost(l)
	}
	r.taken = c.end
	r.own.clear()
	r.own.last = true
	r.leave(&r.own)
}

// nextBatch makes the next events of the chunk current.
func (r *Reader) nextBatch() {
	if r.stepped != nil {
		b, more := <-r.stepped.batches
		if !more {
			r.ahead.close() // panics as whoever was to send it
		}
		r.leave(b)
	} else {
		r.chunk.step(&r.own)
		r.leave(&r.own)
	}
	r.events += r.batch.events
}

// leave makes a batch current, and gives the one before back to what is ahead.
func (r *Reader) leave(b *batch) {
	if r.batch != &r.own && r.ahead != nil {
		select {
		case r.ahead.spare <- r.batch:
		default:
		}
	}
	r.batch = b
}

// resync gives up on the rest of the chunk. From there on nothing is ahead.
func (r *Reader) resync() {
	at := r.batch.at
	if r.ahead != nil {
		c := r.stepped
		if c == nil { // the first chunk, before which nothing was ahead
			c = &stepped{chunk: r.chunk, after: r.split.last}
		}
		r.split, r.ahead, r.stepped = r.ahead.back(c), nil, nil
	}
	r.split.resync(&r.inTurn, at, "event")
	r.meet(&r.inTurn)
}
