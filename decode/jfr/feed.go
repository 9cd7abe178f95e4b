package jfr

// feed yields the chunks of an input, and the events of each in batches. With a room it
// reads ahead once the first event is asked for; the first chunk is read by itself.
type feed struct {
	split  splitter
	room   *Room // nil without reading ahead
	ahead  *ahead
	shared *chunk       // the current chunk if it was read ahead, else nil
	single chunk        // the current or last chunk that was not read ahead
	batch  *chunkEvents // the current one
	own    chunkEvents  // used without reading ahead
	chunks int
	taken  int64 // bytes of the input
}

// nextChunk returns the next chunk; it has an error if there is none.
func (f *feed) nextChunk() *chunk {
	c := &f.single
	if f.ahead == nil {
		if c.err = f.split.next(c); c.err == nil {
			c.index()
		}
	} else {
		if f.shared != nil {
			f.ahead.free <- f.shared // has room for all there are
		}
		f.shared = f.ahead.nextChunk()
		c = f.shared
		if c.err != nil { // the last
			f.ahead.close()
			f.ahead = nil
		}
	}
	f.taken = c.end
	f.own.clear()
	f.own.last = true
	f.use(&f.own)
	return c
}

// nextBatch makes the next events of the current chunk current.
func (f *feed) nextBatch(c *chunk) {
	if f.shared != nil {
		f.use(f.ahead.batch(f.shared))
		return
	}
	c.step(&f.own)
	f.use(&f.own)
}

// use makes a batch current and returns the previous one for reuse.
func (f *feed) use(b *chunkEvents) {
	if f.batch != &f.own && f.ahead != nil {
		select {
		case f.ahead.spare <- f.batch:
		default:
		}
	}
	f.batch = b
}
