package decode

import (
	"slices"
	"sync"

	"contend/format"
	"contend/format/workers"
)

// pump runs a decoder on its own goroutine, a few batches of events ahead of its reader. It
// is for decoders whose events stay valid when the next one is read. Its Stats are ahead of
// the events by a batch at most.
//
// The goroutine begins with the first Read. It owns the decoder and the decompressors of
// its input until it ends, and then releases them: Close does not wait for it, because it
// may be waiting for the writer of a pipe.
type pump struct {
	Source
	events  *eventCount
	unpack  func() // releases the decompressor
	full    chan *pumped
	free    chan *pumped
	quit    chan struct{}
	close   sync.Once
	running bool

	cur  *pumped
	next int // of cur's events to be delivered
}

// pumped is the events of one part of the input, decoded before they are asked for.
type pumped struct {
	events []format.Event
	stats  format.Stats // after the last event
	err    error        // occurred after the last event
	failed *workers.Panic
}

const (
	batchEvents  = 1024
	batchesAhead = 3
)

func newPump(r Source, events *eventCount, unpack func()) *pump {
	return &pump{
		Source: r,
		events: events,
		unpack: unpack,
		quit:   make(chan struct{}),
		full:   make(chan *pumped, batchesAhead),
		free:   make(chan *pumped, batchesAhead+1),
	}
}

// run decodes until the input ends or the pump is closed.
func (p *pump) run() {
	defer p.release()
	for {
		b := p.emptied()
		if b.failed = workers.Try(func() { b.decode(p.Source, p.events) }); b.failed != nil {
			b.err = b.failed
		}
		select {
		case p.full <- b:
		case <-p.quit:
			return
		}
		if b.err != nil {
			return
		}
	}
}

func (p *pump) emptied() *pumped {
	select {
	case b := <-p.free:
		return b
	default:
		return &pumped{}
	}
}

// decode fills the batch. The guards see every event immediately: filling a batch may take
// long.
func (b *pumped) decode(r Source, events *eventCount) {
	b.events = b.events[:0]
	for b.err == nil && len(b.events) < batchEvents {
		n := len(b.events)
		b.events = slices.Grow(b.events, 1)[:n+1]
		if b.err = r.Read(&b.events[n]); b.err != nil {
			b.events = b.events[:n]
			break
		}
		events.event()
	}
	b.stats = r.Stats()
}

// Read delivers the next event, then the error the decoder ended with.
func (p *pump) Read(ev *format.Event) error {
	if !p.running {
		p.running = true
		go p.run()
	}
	for p.cur == nil || p.next == len(p.cur.events) {
		if p.cur != nil {
			if p.cur.err != nil {
				return p.cur.err
			}
			p.free <- p.cur // has room for all there are
		}
		p.cur, p.next = <-p.full, 0
		if p.cur.failed != nil {
			panic(p.cur.failed)
		}
	}
	*ev = p.cur.events[p.next]
	p.next++
	return nil
}

// Stats describes what has been read up to the end of the current batch.
func (p *pump) Stats() format.Stats {
	if p.cur != nil {
		return p.cur.stats
	}
	return p.Source.Stats() // the goroutine has not begun
}

// Close stops the goroutine. Nothing can be read any more.
func (p *pump) Close() error {
	p.close.Do(func() {
		close(p.quit)
		if !p.running {
			p.release()
		}
	})
	return nil
}

func (p *pump) release() {
	p.Source.Close()
	p.unpack()
}
