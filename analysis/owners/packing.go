package owners

import (
	"encoding/binary"

	"contend/analysis/internal/column"
	"contend/format"
)

// Owned keeps ownerships, in some 7 bytes each. They are many more than waits and are read only
// in order of time.
type Owned struct {
	column.Packed[Ownership]
	Threads int // an upper bound of the ids of the owners
}

func newOwned() *Owned {
	return &Owned{Packed: column.Packed[Ownership]{
		Start: func(o *Ownership) int64 { return o.Start },
		Coder: func() column.Coder[Ownership] { return &packer{} },
	}}
}

func (o *Owned) Add(v Ownership) {
	o.Threads = max(o.Threads, int(v.Holder.Thread)+1)
	o.Packed.Add(v)
}

// packer packs ownerships. Most repeat the lock and holder of a recent one, so these are stored
// as a place among the recent ones.
type packer struct {
	times  spans
	recent [unknownPlace]whose
}

type whose struct {
	lock   format.ObjectID
	holder Holder
}

// unknownPlace stands for one that is not among the recent ones: it follows.
const unknownPlace = 255

func (w *whose) place() int {
	h := &w.holder
	n := uint32(w.lock)*31 + uint32(h.Thread)*7 + uint32(h.Stack)*13 + uint32(h.Kind)*101 + uint32(h.Prov)*37 + uint32(h.Did)*59
	return int(n % unknownPlace)
}

func (p *packer) Put(to []byte, o *Ownership) []byte {
	w := whose{o.Lock, o.Holder}
	at := w.place()
	if p.recent[at] == w {
		to = append(to, byte(at))
	} else {
		p.recent[at] = w
		to = append(to, unknownPlace, byte(w.holder.Kind), byte(w.holder.Prov), byte(w.holder.Did))
		to = binary.AppendUvarint(to, uint64(w.lock))
		to = binary.AppendUvarint(to, uint64(w.holder.Thread))
		to = binary.AppendUvarint(to, uint64(w.holder.Stack))
	}
	return p.times.put(to, o.Start, o.End)
}

func (p *packer) Get(from []byte, o *Ownership) []byte {
	at := int(from[0])
	from = from[1:]
	if at == unknownPlace {
		w := whose{holder: Holder{Kind: Kind(from[0]), Prov: Provenance(from[1]), Did: format.Activity(from[2])}}
		var lock, thread, stack uint64
		lock, from = number(from[3:])
		thread, from = number(from)
		stack, from = number(from)
		w.lock, w.holder.Thread, w.holder.Stack = format.ObjectID(lock), format.ThreadID(thread), format.StackID(stack)
		at = w.place()
		p.recent[at] = w
	}
	o.Lock, o.Holder = p.recent[at].lock, p.recent[at].holder
	o.Start, o.End, from = p.times.get(from)
	return from
}

// spans packs intervals: the start, since that of the one before, and the duration.
type spans struct{ start int64 }

func (p *spans) put(to []byte, start, end int64) []byte {
	to = binary.AppendUvarint(to, uint64(start-p.start))
	p.start = start
	return binary.AppendUvarint(to, uint64(end-start))
}

func (p *spans) get(from []byte) (start, end int64, rest []byte) {
	since, from := number(from)
	length, from := number(from)
	p.start += int64(since)
	return p.start, p.start + int64(length), from
}

// number reads a number written by binary.AppendUvarint.
func number(from []byte) (v uint64, rest []byte) {
	v, n := binary.Uvarint(from)
	return v, from[n:]
}

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

type threadKey struct {
	thread format.ThreadID
	key    uint32
}

func (d threadKey) place() int { return int((uint32(d.thread)*31 + d.key*7) % unknownPlace) }

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
