package jfr

// feed yields the chunks of an input, and the events of each in batches. Where it
// may it steps over chunks ahead of those that are asked for.
type feed struct {
	split   splitter
	ahead   *ahead // nil before the first event is asked for, and once chunks must be taken one by one
	started bool   // any event was asked for
	room    *Room
	stepped *stepped // the chunk at hand, if it was ahead
	scratch chunk    // the chunk at hand or the last one, if it was not
	batch   *batch   // at hand
	own     batch    // used where nothing is ahead
	chunks  int
	taken   int64 // bytes of the input
}

// nextCut returns the next chunk, from what is ahead or from the input itself. The
// error is io.EOF where there is none.
func (f *feed) nextCut() (*chunk, error) {
	if f.ahead != nil {
		if f.stepped != nil {
			f.ahead.free <- f.stepped // has room for all there are
		}
		if f.stepped = f.ahead.take(); f.stepped != nil {
			return &f.stepped.chunk, nil
		}
		f.split, f.ahead = f.ahead.back(nil), nil
	}
	err := f.split.next(&f.scratch)
	if err == nil && !f.scratch.void {
		f.scratch.index()
	}
	return &f.scratch, err
}

// restart leaves the batch at hand, for one that is empty, of a chunk that begins.
func (f *feed) restart(c *chunk) {
	f.taken = c.end
	f.own.clear()
	f.own.last = true
	f.leave(&f.own)
}

// nextBatch makes the next events of the chunk at hand current.
func (f *feed) nextBatch(c *chunk) {
	if f.stepped == nil {
		c.step(&f.own)
		f.leave(&f.own)
		return
	}
	b, more := <-f.stepped.batches
	if !more {
		f.ahead.close() // panics as the goroutine that was to send it
	}
	f.leave(b)
}

// leave makes a batch current, and gives the one before back to what is ahead.
func (f *feed) leave(b *batch) {
	if f.batch != &f.own && f.ahead != nil {
		select {
		case f.ahead.spare <- f.batch:
		default:
		}
	}
	f.batch = b
}

// resync gives up on the rest of the chunk at hand, and returns what takes its place.
// From there on nothing is ahead.
func (f *feed) resync(c *chunk) *chunk {
	at := f.batch.at
	if f.ahead != nil {
		s := f.stepped
		if s == nil { // the first chunk, before which nothing was ahead
			s = &stepped{chunk: *c, after: f.split.last}
		}
		f.split, f.ahead, f.stepped = f.ahead.back(s), nil, nil
	}
	f.split.resync(&f.scratch, at, "event")
	return &f.scratch
}
