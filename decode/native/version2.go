package native

import (
	"encoding/binary"

	"contend/format"
)

// Version 2 of the format is read and no longer written. Two kinds of events of
// its own stand for events of the block that are seen once more:
//
//  1. A part is a contention event or an activity whose time difference is the one
//     byte 0. Parts are numbered from 1 in each block; kindParts repeats some of
//     them at the time of the event before.
//  2. An instant is a tick with all parts after it. Instants are numbered from 1,
//     those written in full; kindAgain repeats one at other times.
const (
	kindAgain = 19
	kindParts = 20
)

// place is the position of an event among the bytes of a block of version 2; an event that
// repeats has several.
type place struct {
	at    uint32
	again bool  // a repeated tick
	from  int64 // the base of its time difference
	late  int64 // of such a tick: when it was intended, less its time
}

// repeats finds the places of a block's events.
type repeats struct {
	places   []place
	limit    int   // of places, by the block's header
	parts    []int // by number, from 1: in places
	instants []instant
	open     bool // the last instant is not complete
	last     int64
	ev       format.Event // scratch, as the arena
	arena    format.Arena
}

// instant is a range of the places: a tick, and the events of its instant.
type instant struct {
	from, to int
	step     int64 // the tick's time difference
}

// expand finds the places of the batch's events, up to a fault.
func (b *blockEvents) expand(raw []byte) {
	r := repeats{places: b.places, limit: int(b.block.header.Events), last: b.last}
	for rest := raw; len(rest) > 0 && b.fault == ""; b.places = r.places {
		if len(r.places) == r.limit {
			b.fault = tooMany(r.limit)
			return
		}
		kind, body, behind, err := format.CutEvent(rest)
		if err == nil {
			err = r.readEvent(kind, body, uint32(len(raw)-len(rest)))
		}
		if rest = behind; err != nil {
			b.fault = undecoded(len(r.places), err)
		}
	}
}

// readEvent reads an event of the block.
func (r *repeats) readEvent(kind uint64, body []byte, at uint32) error {
	switch kind {
	case kindParts:
		return r.repeatParts(body)
	case kindAgain:
		return r.repeatInstant(body)
	}
	n, from := len(r.places), r.last
	if err := format.DecodeFields(kind, body, &r.ev, &r.last, &r.arena); err != nil {
		return err
	}
	r.places = append(r.places, place{at: at, from: from})
	switch {
	case (r.ev.Kind == format.KindContention || r.ev.Kind == format.KindActivity) && len(body) > 0 && body[0] == 0:
		r.parts = append(r.parts, n)
		r.lengthen()
	case r.ev.Kind == format.KindTick:
		r.instants = append(r.instants, instant{n, n + 1, r.last - from})
		r.open = true
	default:
		r.open = false
	}
	return nil
}

// lengthen makes the last event part of the open instant.
func (r *repeats) lengthen() {
	if r.open {
		r.instants[len(r.instants)-1].to = len(r.places)
	}
}

// repeatParts expands a kindParts.
func (r *repeats) repeatParts(body []byte) error {
	list := numbers{body}
	for range list.next() {
		n := list.next()
		switch {
		case n == 0 || n > uint64(len(r.parts)):
			return format.ErrCorrupt
		case len(r.places) >= r.limit:
			return format.ErrLimit
		}
		r.places = append(r.places, place{at: r.places[r.parts[n-1]].at, from: r.last})
		r.lengthen()
	}
	return nil
}

// repeatInstant expands a kindAgain.
func (r *repeats) repeatInstant(body []byte) error {
	r.open = false
	list := numbers{body}
	n, times := list.next(), list.next()
	if n == 0 || n > uint64(len(r.instants)) || times > uint64(len(list.body)/2) {
		return format.ErrCorrupt
	}
	in := r.instants[n-1]
	for range times {
		step, late := list.next(), list.next()
		switch {
		case list.body == nil:
			return format.ErrCorrupt
		case len(r.places)+in.to-in.from > r.limit:
			return format.ErrLimit
		}
		r.last += signed(step)
		r.places = append(r.places, place{r.places[in.from].at, true, r.last - in.step, signed(late)})
		for at := in.from + 1; at < in.to; at++ {
			r.places = append(r.places, place{at: r.places[at].at, from: r.last})
		}
	}
	return nil
}

// numbers reads varints; body is nil once they ran out.
type numbers struct{ body []byte }

func (n *numbers) next() uint64 {
	v, size := binary.Uvarint(n.body)
	if size <= 0 {
		n.body = nil
		return 0
	}
	n.body = n.body[size:]
	return v
}

func signed(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
