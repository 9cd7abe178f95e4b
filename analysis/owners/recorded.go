package owners

import (
	"encoding/binary"

	"contend/analysis/internal/column"
	"contend/format"
)

// recorded is an activity as it is read from a trace.
type recorded struct {
	start, end int64
	thread     format.ThreadID
	doer       uint32 // its number
}

// newRecorded returns a column of them, which come in any order and take some 8
// bytes each.
func newRecorded() *column.Packed[recorded] {
	return &column.Packed[recorded]{
		Start: func(r *recorded) int64 { return r.start },
		Coder: func() column.Coder[recorded] { return &recordedCoder{} },
		Piece: 1 << 14,
	}
}

// recordedCoder packs activities: who did what, mostly as in one of those before,
// when it began, since the one before, and how long it was.
type recordedCoder struct {
	times  spans
	recent [unknownPlace]deed
}

// deed is who did what.
type deed struct {
	thread format.ThreadID
	doer   uint32
}

func (d deed) place() int { return int((uint32(d.thread)*31 + d.doer*7) % unknownPlace) }

// Put implements column.Coder.
func (p *recordedCoder) Put(to []byte, r *recorded) []byte {
	d := deed{r.thread, r.doer}
	at := d.place()
	if p.recent[at] == d {
		to = append(to, byte(at))
	} else {
		p.recent[at] = d
		to = append(to, unknownPlace)
		to = binary.AppendUvarint(to, uint64(d.thread))
		to = binary.AppendUvarint(to, uint64(d.doer))
	}
	return p.times.put(to, r.start, r.end)
}

// Get implements column.Coder.
func (p *recordedCoder) Get(from []byte, r *recorded) []byte {
	at := int(from[0])
	from = from[1:]
	if at == unknownPlace {
		var thread, doer uint64
		thread, from = number(from)
		doer, from = number(from)
		d := deed{format.ThreadID(thread), uint32(doer)}
		at = d.place()
		p.recent[at] = d
	}
	r.thread, r.doer = p.recent[at].thread, p.recent[at].doer
	r.start, r.end, from = p.times.get(from)
	return from
}

// The bit below the number of a doer that tells others from waits.
const otherBit = 1
