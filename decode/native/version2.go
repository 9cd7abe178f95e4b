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
//  2. An instant is a tick with all parts behind it. Instants are numbered from 1,
//     those written in full; kindAgain repeats one at other times.
const (
	kindAgain = 19
	kindParts = 20
)

// repeats expands a block of version 2. Its events share their owners and waiters,
// which a Reader copies as it delivers them.
type repeats struct {
	parts    []int // by number, from 1: places in the batch's events
	instants []instant
	open     bool // the last instant goes on
}

// instant is a range of the batch's events: a tick, and what was seen at it.
type instant struct{ from, to int }

func (r *repeats) reset() { *r = repeats{r.parts[:0], r.instants[:0], false} }

// take takes an event of the block.
func (w *worker) take(kind uint64, body []byte) error {
	v2 := w.block.header.Version != format.Version
	switch {
	case !v2:
	case kind == kindParts:
		return w.repeatParts(body)
	case kind == kindAgain:
		return w.repeatInstant(body)
	}
	at := len(w.events)
	if err := format.DecodeFields(kind, body, w.add(), &w.last, &w.arena); err != nil {
		w.events = w.events[:at]
		return err
	}
	if v2 {
		w.number(format.Kind(kind), body, at)
	}
	return nil
}

// number gives an event that may be repeated its number.
func (w *worker) number(k format.Kind, body []byte, at int) {
	switch {
	case (k == format.KindContention || k == format.KindActivity) && len(body) > 0 && body[0] == 0:
		w.parts = append(w.parts, at)
		w.lengthen()
	case k == format.KindTick:
		w.instants = append(w.instants, instant{at, at + 1})
		w.open = true
	default:
		w.open = false
	}
}

// lengthen makes the last event part of the open instant.
func (w *worker) lengthen() {
	if w.open {
		w.instants[len(w.instants)-1].to = len(w.events)
	}
}

// repeatParts takes a kindParts.
func (w *worker) repeatParts(body []byte) error {
	list := numbers{body}
	for range list.next() {
		n := list.next()
		switch {
		case n == 0 || n > uint64(len(w.parts)):
			return format.ErrCorrupt
		case len(w.events) >= w.limit():
			return format.ErrLimit
		}
		w.repeat(w.parts[n-1], w.last)
		w.lengthen()
	}
	return nil
}

// repeatInstant takes a kindAgain.
func (w *worker) repeatInstant(body []byte) error {
	w.open = false
	list := numbers{body}
	n, times := list.next(), list.next()
	if n == 0 || n > uint64(len(w.instants)) || times > uint64(len(list.body)/2) {
		return format.ErrCorrupt
	}
	in := w.instants[n-1]
	for range times {
		step, late := list.next(), list.next()
		switch {
		case list.body == nil:
			return format.ErrCorrupt
		case len(w.events)+in.to-in.from > w.limit():
			return format.ErrLimit
		}
		w.last += signed(step)
		for at := in.from; at < in.to; at++ {
			w.repeat(at, w.last)
		}
		w.events[len(w.events)-in.to+in.from].Intended = w.last + signed(late)
	}
	return nil
}

// limit is how many events the block has by its header, which bounds them.
func (w *worker) limit() int { return int(w.block.header.Events) }

// repeat adds an event of the batch once more, at another time.
func (w *worker) repeat(at int, time int64) {
	ev := w.add()
	*ev = w.events[at]
	if ev.Kind == format.KindActivity {
		ev.End += time - ev.Time
	}
	ev.Time = time
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
