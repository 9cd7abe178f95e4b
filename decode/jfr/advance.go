package jfr

import "contend/format"

// advance moves to the next batch, opening the next chunk when this one is done.
func (r *Reader) advance() {
	if r.room != nil {
		r.ahead, r.room = newAhead(&r.split, r.room), nil
	}
	if !r.batch.last {
		r.moreEvents()
		return
	}
	r.reportMissing()
	r.reportEnd()
	r.err = r.begin()
	r.dumpTimes.advance(r.err != nil, &r.queue)
	r.unparks.advance(&r.queue)
	if r.err != nil {
		r.reportIdle()
	}
}

// reportEnd says when a chunk ends that is cut off: its header, and so the recorded interval, is of the whole.
func (r *Reader) reportEnd() {
	if r.cutOff {
		at := min(max(r.until, r.head.startNanos), r.head.end())
		r.queue.Push(format.Event{Kind: format.KindGap, Time: at, End: at, Name: "chunk is cut off"})
	}
}

// begin makes the next chunk current and announces it. It returns io.EOF if there is none.
func (r *Reader) begin() error {
	c := r.nextChunk()
	for _, l := range c.losses {
		r.lost(l)
	}
	if c.err != nil {
		r.head = c.head
	}
	if c.err != nil || c.void {
		return c.err
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
	}
	r.moreEvents()
	return nil
}

func (r *Reader) moreEvents() {
	r.nextBatch(&r.chunk)
	r.events += r.batch.events
}
