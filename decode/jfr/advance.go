package jfr

import "contend/format"

// advance moves to the next batch, opening the next chunk when this one is done.
func (r *Reader) advance() {
	if !r.started {
		r.started = true
		r.startAhead()
	}
	switch {
	case r.batch.broken:
		r.open(r.resync(&r.chunk))
	case !r.batch.last:
		r.moreEvents()
	default:
		r.reportMissing()
		r.err = r.nextChunk()
		r.dumpTimes.advance(r.err != nil, &r.queue)
		r.unparks.advance(&r.queue)
		if r.err != nil {
			r.reportIdle()
		}
	}
}

// nextChunk makes the next chunk current and announces it. The error is io.EOF
// where there is none.
func (r *Reader) nextChunk() error {
	c, err := r.nextCut()
	r.open(c)
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
		r.moreEvents()
	}
	return nil
}

// open reports what was lost before a chunk, or within it, and leaves the batch at
// hand.
func (r *Reader) open(c *chunk) {
	for _, l := range c.losses {
		r.lost(l)
	}
	r.restart(c)
}

func (r *Reader) moreEvents() {
	r.nextBatch(&r.chunk)
	r.events += r.batch.events
}
