package jfr

import "contend/format"

// advance moves to the next batch, opening the next chunk when this one is done.
func (r *Reader) advance() {
	if r.feed.room != nil {
		r.feed.ahead, r.feed.room = newAhead(&r.feed.split, r.feed.room), nil
	}
	if !r.feed.batch.last {
		r.moreEvents()
		return
	}
	r.reportMissing()
	r.reportEnd()
	r.err = r.begin()
	r.evidence.dumpTimes.advance(r.err != nil, &r.symbols.queue)
	r.evidence.unparks.advance(&r.symbols.queue)
	if r.err != nil {
		r.reportIdle()
	}
}

// reportEnd says when a chunk ends that is cut off: its header, and so the recorded interval, is of the whole.
func (r *Reader) reportEnd() {
	if r.symbols.chunk.cutOff {
		at := min(max(r.evidence.until, r.symbols.chunk.head.startNanos), r.symbols.chunk.head.end())
		r.symbols.queue.Push(format.Event{Kind: format.KindGap, Time: at, End: at, Name: "chunk is cut off"})
	}
}

// begin makes the next chunk current and announces it. It returns io.EOF if there is none.
func (r *Reader) begin() error {
	c := r.feed.nextChunk()
	for _, l := range c.losses {
		r.lost(l)
	}
	if c.err != nil {
		r.symbols.chunk.head = c.head
	}
	if c.err != nil || c.void {
		return c.err
	}
	before := r.symbols.chunk.head
	r.evidence.until = max(r.evidence.until, before.end())
	r.symbols.chunk = *c
	if r.feed.chunks++; r.feed.chunks == 1 {
		r.symbols.ids.virtual.since = r.symbols.chunk.head.startNanos
	}
	r.symbols.newConstants()
	r.checkJVM(&before)
	if r.symbols.chunk.off < len(r.symbols.chunk.buf) {
		head := &r.symbols.chunk.head
		r.symbols.queue.Push(format.Event{Kind: format.KindRecording, Time: head.startNanos, End: head.end()})
	}
	r.moreEvents()
	return nil
}

func (r *Reader) moreEvents() {
	r.feed.nextBatch(&r.symbols.chunk)
	r.events += r.feed.batch.events
}
