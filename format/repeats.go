package format

import (
	"encoding/binary"
	"math"
	"slices"
)

// What version 2 writes of instants that were seen before: KindParts stands for
// contention events and activities of the block, once more at the last time;
// KindAgain for whole instants. What may be repeated is numbered in the order in
// which it stands in the block, from 1:
//
//  1. contention events and activities that come at the time of the event before,
//     as those behind a tick do;
//  2. instants: ticks, with all such events behind each.

// MayRepeat reports whether an event that comes at the time of the one before
// it is numbered.
func MayRepeat(k Kind) bool { return k == KindContention || k == KindActivity }

// DecodeTick reads the fields of a KindTick.
func DecodeTick(body []byte, last *int64) (t Tick, err error) {
	d := decoder{body: body}
	*last += d.varint()
	t.Time = *last
	t.Intended = t.Time + d.varint()
	t.Weight = d.varint()
	t.Live, t.Idle = d.id(), d.id()
	if d.bad {
		return t, ErrCorrupt
	}
	return t, nil
}

// DecodeParts reads the fields of a KindParts: it appends the numbers.
func DecodeParts(dst []uint32, body []byte) ([]uint32, error) {
	d := decoder{body: body}
	for range d.count(1) {
		dst = append(dst, d.id())
	}
	if d.bad {
		return dst, ErrCorrupt
	}
	return dst, nil
}

// Again is the fields of a KindAgain, whose times are still to be read.
type Again struct {
	Instant uint32 // its number
	Times   int    // how many; each takes two bytes of the event at least
	body    []byte // of them
}

// DecodeAgain begins to read the fields of a KindAgain.
func DecodeAgain(body []byte) (a Again, err error) {
	instant, rest := cutUvarint(body)
	times, rest := cutUvarint(rest)
	if rest == nil || instant > math.MaxUint32 || times > uint64(len(rest)/2) {
		return a, ErrCorrupt
	}
	return Again{uint32(instant), int(times), rest}, nil
}

// Append appends ticks that are like another one but for their times. When it
// fails, with ErrCorrupt, dst is returned as it was.
func (a *Again) Append(dst []Tick, like *Tick, last *int64) ([]Tick, error) {
	from, at, body := len(dst), *last, a.body
	out := slices.Grow(dst, a.Times)[:from+a.Times]
	for i := range out[from:] {
		step, rest := cutUvarint(body)
		late, rest := cutUvarint(rest)
		if body = rest; body == nil {
			return dst, ErrCorrupt
		}
		at += signed(step)
		out[from+i] = Tick{at, at + signed(late), like.Weight, like.Live, like.Idle, like.Scene}
	}
	*last = at
	return out, nil
}

// repeats is what a Writer knows of the block it fills.
type repeats struct {
	parts    map[string]uint32 // by how they are written: their numbers
	instants map[string]uint32 // by what is seen
	numbered uint32            // parts, those that nobody asks for too
	ticks    uint32            // written in full

	again struct { // not yet written
		instant uint32
		n       uint64
		times   []byte
	}
	at  openInstant
	key []byte
}

// openInstant is the instant that is being written: what is seen at it is
// complete when another event comes.
type openInstant struct {
	open  bool
	tick  Event
	parts []openPart
	bytes []byte // of the parts that are new in the block
}

type openPart struct {
	number uint32
	length int // of its bytes; 0 when it is not new
}

// mostParts bounds what an instant keeps in memory. What comes behind so many
// stands in a block of its own.
const mostParts = 1 << 14

func (r *repeats) reset() {
	if r.parts == nil {
		r.parts, r.instants = map[string]uint32{}, map[string]uint32{}
	}
	clear(r.parts)
	clear(r.instants)
	r.numbered, r.ticks = 0, 0
}

// begin opens an instant.
func (r *repeats) begin(ev *Event) {
	r.at.open, r.at.tick, r.at.parts, r.at.bytes = true, *ev, r.at.parts[:0], r.at.bytes[:0]
}

// takes reports whether an event is part of the open instant.
func (r *repeats) takes(ev *Event) bool {
	return r.at.open && MayRepeat(ev.Kind) && ev.Time == r.at.tick.Time
}

// add adds a part to the open instant; it reports whether it is new in the block.
func (r *repeats) add(ev *Event) bool {
	last := ev.Time
	from := len(r.at.bytes)
	r.at.bytes = AppendEvent(r.at.bytes, ev, &last)
	written := r.at.bytes[from:]
	if number, ok := r.parts[string(written)]; ok {
		r.at.bytes = r.at.bytes[:from]
		r.at.parts = append(r.at.parts, openPart{number, 0})
		return false
	}
	r.numbered++
	r.parts[string(written)] = r.numbered
	r.at.parts = append(r.at.parts, openPart{r.numbered, len(written)})
	return true
}

// full reports whether the open instant must be written though it goes on.
func (r *repeats) full(blockSize int) bool {
	return len(r.at.parts) >= mostParts || len(r.at.bytes) >= blockSize
}

// known returns the number of the instant of the block that the open one is like;
// 0 when there is none. The open one then is the next that is written in full.
func (r *repeats) known() uint32 {
	t := &r.at.tick
	r.key = binary.AppendVarint(r.key[:0], t.Weight)
	r.key = binary.AppendUvarint(binary.AppendUvarint(r.key, uint64(t.Live)), uint64(t.IdleThreads))
	for _, p := range r.at.parts {
		r.key = binary.AppendUvarint(r.key, uint64(p.number))
	}
	number, ok := r.instants[string(r.key)]
	if !ok {
		r.ticks++
		r.instants[string(r.key)] = r.ticks
	}
	return number
}

// appendInstant appends the open instant in full.
func (r *repeats) appendInstant(dst []byte, last *int64) []byte {
	dst = AppendEvent(dst, &r.at.tick, last)
	bytes := r.at.bytes
	for rest := r.at.parts; len(rest) > 0; {
		n := 0
		for n < len(rest) && rest[n].length == 0 {
			n++
		}
		if n > 0 {
			dst = r.appendParts(dst, rest[:n])
			rest = rest[n:]
			continue
		}
		dst = append(dst, bytes[:rest[0].length]...)
		bytes, rest = bytes[rest[0].length:], rest[1:]
	}
	return dst
}

func (r *repeats) appendParts(dst []byte, list []openPart) []byte {
	r.key = binary.AppendUvarint(r.key[:0], uint64(len(list)))
	for _, p := range list {
		r.key = binary.AppendUvarint(r.key, uint64(p.number))
	}
	return appendBody(append(dst, byte(KindParts)), r.key)
}

// repeat notes that an instant of the block is seen once more, at the time of the
// open one.
func (r *repeats) repeat(instant uint32, last *int64) {
	t := &r.at.tick
	r.again.instant = instant
	r.again.n++
	r.again.times = binary.AppendVarint(r.again.times, t.Time-*last)
	r.again.times = binary.AppendVarint(r.again.times, t.Intended-t.Time)
	*last = t.Time
}

// appendAgain appends what was noted.
func (r *repeats) appendAgain(dst []byte) []byte {
	if r.again.n == 0 {
		return dst
	}
	r.key = binary.AppendUvarint(binary.AppendUvarint(r.key[:0], uint64(r.again.instant)), r.again.n)
	r.key = append(r.key, r.again.times...)
	r.again.n, r.again.times = 0, r.again.times[:0]
	return appendBody(append(dst, byte(KindAgain)), r.key)
}

func appendBody(dst, body []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(body))), body...)
}
