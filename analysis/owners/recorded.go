package owners

import (
	"encoding/binary"

	"contend/analysis/internal/column"
	"contend/format"
)

// recorded is an activity as it is kept while the trace is read.
type recorded struct {
	start, end int64
	thread     format.ThreadID
	key        uint32 // the number of its activityKey, shifted by one, and otherBit
}

// otherBit, in recorded.key, is set for all activities but waits.
const otherBit = 1

// newRecorded returns a column for activities in any order, of some 8 bytes each.
func newRecorded() *column.Packed[recorded] {
	return &column.Packed[recorded]{
		Start: func(r *recorded) int64 { return r.start },
		Coder: func() column.Coder[recorded] { return &recordedCoder{} },
		Piece: 1 << 14,
	}
}

// recordedCoder packs activities. Most repeat the thread and key of a recent one, so these are
// stored as a place among the recent ones.
type recordedCoder struct {
	times  spans
	recent [unknownPlace]threadKey
}

// threadKey is an activity without its times.
type threadKey struct {
	thread format.ThreadID
	key    uint32
}

func (d threadKey) place() int { return int((uint32(d.thread)*31 + d.key*7) % unknownPlace) }

// Put implements column.Coder.
func (p *recordedCoder) Put(to []byte, r *recorded) []byte {
	d := threadKey{r.thread, r.key}
	at := d.place()
	if p.recent[at] == d {
		to = append(to, byte(at))
	} else {
		p.recent[at] = d
		to = append(to, unknownPlace)
		to = binary.AppendUvarint(to, uint64(d.thread))
		to = binary.AppendUvarint(to, uint64(d.key))
	}
	return p.times.put(to, r.start, r.end)
}

// Get implements column.Coder.
func (p *recordedCoder) Get(from []byte, r *recorded) []byte {
	at := int(from[0])
	from = from[1:]
	if at == unknownPlace {
		var thread, key uint64
		thread, from = number(from)
		key, from = number(from)
		d := threadKey{format.ThreadID(thread), uint32(key)}
		at = d.place()
		p.recent[at] = d
	}
	r.thread, r.key = p.recent[at].thread, p.recent[at].key
	r.start, r.end, from = p.times.get(from)
	return from
}
